import { z } from 'zod';

const count = z.number().int().nonnegative();

/** Tokens of requests, as the service counted them. */
export const Usage = z.object({
  /** All input, with what came from the service's cache and what was written to it. */
  inputTokens: count,
  cachedInputTokens: count,
  cacheWriteTokens: count,
  /** Reasoning is output. */
  outputTokens: count,
});
export type Usage = z.infer<typeof Usage>;

/** What a request, a turn or a session has used. Dollars count only the requests whose price is known. */
export const Spent = z.object({
  requests: count,
  usage: Usage,
  dollars: z.number().nonnegative(),
  /** Requests whose price is not known: the dollars are then only a part. */
  unpricedRequests: count,
});
export type Spent = z.infer<typeof Spent>;

export const NO_USAGE: Usage = {
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
};
