import type { EndpointKind, ModelPrice } from '../../../shared/model/provider-settings.ts';
import { addSpent } from '../../../shared/model/spent.ts';
import type { Spent, Usage } from '../../../shared/model/usage.ts';
import table from './prices.json' with { type: 'json' };

/** Where the table's prices come from, in words for people. */
export const PRICES_FROM = { date: table.date, source: table.source } as const;

interface TablePrice extends ModelPrice {
  readonly overTokens?: number;
  readonly long?: ModelPrice;
}

const TABLES: Record<EndpointKind, Readonly<Record<string, TablePrice>>> = {
  anthropic: table.anthropic,
  openai: table.openai,
  // Who runs the server decides what it costs.
  compatible: {},
};

/** What decides the price of a request: an endpoint has all of it. */
export interface Priced {
  readonly kind: EndpointKind;
  readonly model: string;
  readonly price?: ModelPrice | undefined;
}

/** Cost of one request in dollars; null where no price is known. */
export function costOf(priced: Priced, usage: Usage): number | null {
  const price = priced.price ?? tablePrice(priced, usage);
  if (!price) return null;
  const fresh = Math.max(0, usage.inputTokens - usage.cachedInputTokens - usage.cacheWriteTokens);
  return (
    (fresh * price.input +
      usage.cachedInputTokens * price.cachedInput +
      usage.cacheWriteTokens * price.cacheWrite +
      usage.outputTokens * price.output) /
    1_000_000
  );
}

function tablePrice({ kind, model }: Priced, usage: Usage): ModelPrice | undefined {
  const prices = TABLES[kind];
  // A dated snapshot costs what its model costs; another variant of the name may not.
  const name = model.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '');
  const price = Object.hasOwn(prices, name) ? prices[name] : undefined;
  const isLong = price?.overTokens !== undefined && usage.inputTokens > price.overTokens;
  return isLong ? price.long : price;
}

/** One more request on a sum. */
export function addRequest(spent: Spent, priced: Priced, usage: Usage): Spent {
  const dollars = costOf(priced, usage);
  return addSpent(spent, {
    requests: 1,
    usage,
    dollars: dollars ?? 0,
    unpricedRequests: dollars === null ? 1 : 0,
  });
}
