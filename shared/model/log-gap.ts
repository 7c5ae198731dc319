import { z } from 'zod';

/** Output that is not in the log any more: over its quota, or removed. It lies in [from, to); offsets are absolute. */
export const LogGap = z.object({
  from: z.number(),
  to: z.number(),
  /** How much of that range is missing: less than all of it when there is more than one hole. */
  droppedBytes: z.number(),
});
export type LogGap = z.infer<typeof LogGap>;
