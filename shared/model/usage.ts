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

export const NO_USAGE: Usage = {
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
};
