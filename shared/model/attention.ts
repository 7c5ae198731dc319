import { z } from 'zod';

/**
 * What a living command wants of a person, from the kernel's view. `needs-input`: a process of it waits for its
 * terminal. `needs-secret`: the same, with the echo off. `serving`: it listens on ports. `quiet`: no output for long.
 */
export const AttentionKind = z.enum(['needs-secret', 'needs-input', 'serving', 'quiet']);
export type AttentionKind = z.infer<typeof AttentionKind>;

/** One kind at a time: the first in the order above. Null where nothing is to be told, or nothing can be seen. */
export const Attention = z.object({
  kind: AttentionKind,
  /** On which its processes listen, ascending; with every kind. */
  ports: z.array(z.number().int()),
});
export type Attention = z.infer<typeof Attention>;
