import type { Spent } from './usage.ts';

// Free of zod: the window sums too.

export const NOTHING_SPENT: Spent = {
  requests: 0,
  usage: { inputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 0 },
  dollars: 0,
  unpricedRequests: 0,
};

/** The sum of two: requests make a turn, turns make a session. */
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

/** `940`, `8.1k`, `1.2M`. */
export function tokensInWords(tokens: number): string {
  if (tokens < 1000) return String(tokens);
  // 999,950 would be drawn as 1000.0k.
  return tokens < 999_950 ? `${(tokens / 1000).toFixed(1)}k` : `${(tokens / 1_000_000).toFixed(1)}M`;
}

/** `3 requests · 12.4k in · 8.1k cached · 0.9k out · $0.05`. */
export function spentInWords(spent: Spent): string {
  const { inputTokens, cachedInputTokens, outputTokens } = spent.usage;
  const parts = [`${spent.requests} ${spent.requests === 1 ? 'request' : 'requests'}`];
  if (inputTokens + outputTokens > 0) {
    parts.push(`${tokensInWords(inputTokens)} in`);
    if (cachedInputTokens > 0) parts.push(`${tokensInWords(cachedInputTokens)} cached`);
    parts.push(`${tokensInWords(outputTokens)} out`);
  }
  return [...parts, dollarsInWords(spent)].join(' · ');
}
