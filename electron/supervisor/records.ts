import { z } from 'zod';
import { ArtifactRef } from '../../shared/model/artifact.ts';
import { CommandView } from '../../shared/model/command.ts';
import { CommandId, SessionId } from '../../shared/model/ids.ts';
import { CommandEnd } from '../../shared/model/message.ts';

/** A command as it is kept: what the window sees of it, and what only the supervisor needs. */
export const CommandRecord = CommandView.omit({
  isAttached: true,
  isBlocked: true,
  attention: true,
  resources: true,
}).extend({
  /** Byte offset in the log up to which readouts have been given to the owner. */
  cursor: z.number().int().nonnegative(),
  /** Its handle was given to the agent: an aborted turn no longer stops it. */
  hasYielded: z.boolean(),
  /** The agent itself read the end: the completion is kept as consumed and not told again. */
  isEndRead: z.boolean(),
  /** Its completion is in the inbox. A record that ended without it is delivered at the next start. */
  isEndSaved: z.boolean(),
  /** The complete output as a file, once a result that was cut needed it. */
  artifact: ArtifactRef.nullable(),
  /** The person said to stop waiting for it: the end of a turn does not suspend the session for it again. */
  isUnawaited: z.boolean(),
});
export type CommandRecord = z.infer<typeof CommandRecord>;

/** A completion on its way to its session. `id` is a hash of the content. */
export const InboxEntry = z.object({
  id: z.string().regex(/^[0-9a-f]{64}$/),
  sessionId: SessionId,
  commandId: CommandId,
  at: z.number(),
  end: CommandEnd,
  /** pending: not told yet. injected: in the conversation. consumed: the agent had read the end by itself. */
  state: z.enum(['pending', 'injected', 'consumed']),
});
export type InboxEntry = z.infer<typeof InboxEntry>;
