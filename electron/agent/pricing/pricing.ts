import type { EndpointKind, ModelPrice } from '../../../shared/model/provider-settings.ts';
import { NO_USAGE, type Usage } from '../../../shared/model/usage.ts';
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

/** What a turn or a session has used. Dollars count only the requests whose price is known. */
export interface Spent {
  readonly requests: number;
  readonly usage: Usage;
  readonly dollars: number;
  /** Requests whose price is not known: the dollars are then only a part. */
  readonly unpricedRequests: number;
}

export const NOTHING_SPENT: Spent = { requests: 0, usage: NO_USAGE, dollars: 0, unpricedRequests: 0 };

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

/** The sum of two: turns make a session. */
export function addSpent(a: Spent, b: Spent): Spent {
  return {
    requests: a.requests + b.requests,
    usage: {
      inputTokens: a.usage.inputTokens + b.usage.inputTokens,
      cachedInputTokens: a.usage.cachedInputTokens + b.usage.cachedInputTokens,
      cacheWriteTokens: a.usage.cacheWriteTokens + b.usage.cacheWriteTokens,
      outputTokens: a.usage.outputTokens + b.usage.outputTokens,
    },
    dollars: a.dollars + b.dollars,
    unpricedRequests: a.unpricedRequests + b.unpricedRequests,
  };
}

/** A sum in words: `$0.42`, `less than $0.01`, `at least $0.42 (2 requests have no known price)`, `price not known`. */
export function dollarsInWords(spent: Spent): string {
  const { dollars, requests, unpricedRequests } = spent;
  if (requests > 0 && unpricedRequests === requests) return 'price not known';
  const amount = dollars > 0 && dollars < 0.01 ? 'less than $0.01' : `$${dollars.toFixed(2)}`;
  if (unpricedRequests === 0) return amount;
  const some = unpricedRequests === 1 ? '1 request has' : `${unpricedRequests} requests have`;
  return `at least $${dollars.toFixed(2)} (${some} no known price)`;
}
