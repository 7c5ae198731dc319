import { z } from 'zod';

/** Where new versions come from: those that are finished, or those that are still tried out too. */
export const UpdateChannel = z.enum(['stable', 'beta']);
export type UpdateChannel = z.infer<typeof UpdateChannel>;

export const UpdateSettings = z.strictObject({
  /** Look for new versions by itself, and download them. */
  check: z.boolean().default(true),
  channel: UpdateChannel.default('stable'),
});
export type UpdateSettings = z.infer<typeof UpdateSettings>;
export const DEFAULT_UPDATE_SETTINGS: UpdateSettings = { check: true, channel: 'stable' };

/** How it stands with a newer version of the app. */
export const UpdateState = z.discriminatedUnion('kind', [
  /** This copy cannot update itself; `reason` is a sentence. */
  z.object({ kind: z.literal('unavailable'), reason: z.string() }),
  /** Nothing is under way. `checkedAt`: when it was last known that there is nothing newer; null: not in this run. */
  z.object({ kind: z.literal('idle'), checkedAt: z.number().nullable() }),
  /** `isAsked`: a person waits for the answer, so a failure is told. */
  z.object({ kind: z.literal('checking'), isAsked: z.boolean() }),
  z.object({ kind: z.literal('downloading'), version: z.string(), isAsked: z.boolean() }),
  /** Downloaded and verified. `isOnQuit`: installing it asks nobody, so quitting does it. */
  z.object({ kind: z.literal('ready'), version: z.string(), isOnQuit: z.boolean() }),
  /** Somebody asked, and it could not be found out; `message` is a sentence. */
  z.object({ kind: z.literal('failed'), message: z.string() }),
]);
export type UpdateState = z.infer<typeof UpdateState>;
