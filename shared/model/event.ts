import { z } from 'zod';
import { CommandView } from './command.ts';
import { CommandId, MessageId, SessionId } from './ids.ts';
import { Message } from './message.ts';
import { SessionView } from './session.ts';
import { Settings } from './settings.ts';
import { UpdateState } from './update.ts';

const session = { session: SessionView };
const command = { command: CommandView };

/**
 * What the window is told, after the durable save. Per command: started, ..., terminal, and nothing after it but
 * changes to what it left behind. Output is no event: bytes have their own stream.
 */
export const AppEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('session.changed'), ...session }),
  z.object({ type: z.literal('session.suspended'), ...session }),
  z.object({ type: z.literal('session.resumed'), ...session }),
  z.object({ type: z.literal('approval.requested'), ...session }),
  /** Answered by a person, or not asked any more. */
  z.object({ type: z.literal('approval.settled'), ...session }),
  z.object({ type: z.literal('message.appended'), sessionId: SessionId, message: Message }),
  /** Text of a message that is still being written; the whole message follows as appended under the same id. */
  z.object({
    type: z.literal('message.streaming'),
    sessionId: SessionId,
    messageId: MessageId,
    delta: z.string(),
    /** What the delta is when it is no text of the answer: what the model thinks, or a whole sentence about it. */
    of: z.enum(['reasoning', 'note']).optional(),
  }),
  z.object({ type: z.literal('command.started'), ...command }),
  /** The call that waited has returned; the command runs on. */
  z.object({ type: z.literal('command.yielded'), ...command }),
  z.object({ type: z.literal('command.detached'), ...command }),
  z.object({ type: z.literal('command.handed_off'), ...command }),
  /** Placement, stopping, attachment, attention, resources, descendants, a full disk or a gap in the log changed. */
  z.object({ type: z.literal('command.changed'), ...command }),
  z.object({
    type: z.literal('command.progress'),
    id: CommandId,
    outputBytes: z.number(),
    lastOutputAt: z.number(),
    tail: z.array(z.string()).optional(),
  }),
  z.object({ type: z.literal('command.terminal'), ...command }),
  /** Somebody asked for this session from outside the window, which shows it. */
  z.object({ type: z.literal('session.chosen'), sessionId: SessionId }),
  z.object({ type: z.literal('commands.cleared'), ids: z.array(CommandId) }),
  z.object({ type: z.literal('settings.changed'), settings: Settings }),
  z.object({ type: z.literal('update.changed'), update: UpdateState }),
  /** A sentence about the app itself that came up after the start. */
  z.object({ type: z.literal('notice.raised'), text: z.string() }),
  /** The pty host went away or came back; `message` says what that means for what runs. */
  z.object({ type: z.literal('host.changed'), isConnected: z.boolean(), message: z.string() }),
]);
export type AppEvent = z.infer<typeof AppEvent>;

/** An event and its place in the one sequence of a run of the app. */
export const NumberedEvent = z.object({ seq: z.number().int().positive(), event: AppEvent });
export type NumberedEvent = z.infer<typeof NumberedEvent>;

/** Everything small, as of `seq`: the events after it bring it up to date. Messages are fetched per session. */
export const Snapshot = z.object({
  seq: z.number().int().nonnegative(),
  sessions: z.array(SessionView),
  commands: z.array(CommandView),
  settings: Settings,
  update: UpdateState,
  /** Sentences about what was found at the start; shown until they are dismissed. */
  notices: z.array(z.string()),
  /** The session that the start of the app asked for; told once. */
  chosen: SessionId.nullable(),
  app: z.object({ version: z.string(), home: z.string(), platform: z.string() }),
});
export type Snapshot = z.infer<typeof Snapshot>;
