import { expect, it } from 'vitest';
import prices from '../../../electron/agent/pricing/prices.json' with { type: 'json' };
import { addRequest, costOf, PRICES_FROM } from '../../../electron/agent/pricing/pricing.ts';
import { limitsOfModel } from '../../../electron/agent/providers/model-limits.ts';
import { ModelEndpoint, ModelPrice } from '../../../shared/model/provider-settings.ts';
import { addSpent, dollarsInWords, NOTHING_SPENT } from '../../../shared/model/spent.ts';

const MILLION = { inputTokens: 1_000_000, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };

it('prices fresh, cached, written and output tokens each at its own rate', () => {
  const usage = {
    inputTokens: 100_000,
    cachedInputTokens: 70_000,
    cacheWriteTokens: 20_000,
    outputTokens: 3_000,
  };
  const cost = costOf({ kind: 'anthropic', model: 'claude-sonnet-4-5' }, usage);
  expect(cost).toBeCloseTo((10_000 * 3 + 70_000 * 0.3 + 20_000 * 3.75 + 3_000 * 15) / 1e6, 10);
});

it('knows dated snapshots of a model, and no other variant of its name', () => {
  expect(costOf({ kind: 'anthropic', model: 'claude-sonnet-4-5-20250929' }, MILLION)).toBe(3);
  expect(costOf({ kind: 'openai', model: 'gpt-5-2025-08-07' }, MILLION)).toBe(1.25);
  expect(costOf({ kind: 'openai', model: 'gpt-5-pro' }, MILLION)).toBeNull();
  expect(costOf({ kind: 'openai', model: 'constructor' }, MILLION)).toBeNull();
  expect(costOf({ kind: 'compatible', model: 'gpt-5' }, MILLION)).toBeNull();
});

it('a long request costs the long rates, and a price that a person has set goes first', () => {
  const haiku = { kind: 'anthropic', model: 'claude-haiku-5-5' } as const;
  expect(costOf(haiku, { ...MILLION, inputTokens: 100_000 })).toBeCloseTo(0.01, 10);
  expect(costOf(haiku, { ...MILLION, inputTokens: 100_001 })).toBeCloseTo(0.0500005, 10);
  const price = { input: 7, cachedInput: 1, cacheWrite: 1, output: 1 };
  expect(costOf({ kind: 'compatible', model: 'mine', price }, MILLION)).toBe(7);
});

it('sums turns and sessions, and says what is not known', () => {
  const known = addRequest(NOTHING_SPENT, { kind: 'anthropic', model: 'claude-sonnet-4-5' }, MILLION);
  const unknown = addRequest(NOTHING_SPENT, { kind: 'compatible', model: 'llama' }, MILLION);
  const both = addSpent(known, unknown);
  expect(both).toEqual({
    requests: 2,
    usage: { ...MILLION, inputTokens: 2_000_000 },
    dollars: 3,
    unpricedRequests: 1,
  });
  expect(dollarsInWords(known)).toBe('$3.00');
  expect(dollarsInWords(unknown)).toBe('price not known');
  expect(dollarsInWords(both)).toBe('at least $3.00 (1 request has no known price)');
  expect(dollarsInWords({ ...known, dollars: 0.004 })).toBe('less than $0.01');
  expect(dollarsInWords(NOTHING_SPENT)).toBe('$0.00');
});

it('the table is sound, and says where it comes from', () => {
  expect(PRICES_FROM.date).toMatch(/^\d{4}-\d{2}$/);
  expect(PRICES_FROM.source.length).toBeGreaterThan(20);
  for (const price of [...Object.values(prices.anthropic), ...Object.values(prices.openai)]) {
    const {
      overTokens = 1,
      long = price,
      ...rates
    } = price as typeof price & { overTokens?: number; long?: object };
    expect(overTokens).toBeGreaterThan(0);
    expect(ModelPrice.safeParse(rates).success).toBe(true);
    expect(rates.cachedInput).toBeLessThanOrEqual(rates.input);
    if (long !== price) expect(ModelPrice.safeParse(long).success).toBe(true);
  }
});

it('a model that nobody knows gets a cautious context, and a person can set another', () => {
  const endpoint = (model: string, more = {}) =>
    ModelEndpoint.parse({
      id: 'a',
      kind: 'compatible',
      name: 'A',
      baseUrl: 'http://localhost:11434/v1',
      model,
      ...more,
    });
  expect(limitsOfModel(endpoint('llama3')).contextTokens).toBe(32_000);
  expect(limitsOfModel(endpoint('anthropic/Claude-Sonnet-5')).contextTokens).toBe(1_000_000);
  expect(limitsOfModel(endpoint('gpt-5.6-luna')).contextTokens).toBe(1_000_000);
  expect(limitsOfModel(endpoint('llama3', { contextTokens: 8_000 })).contextTokens).toBe(8_000);
});
