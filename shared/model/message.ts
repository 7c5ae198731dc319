import { z } from 'zod';
import { CommandState, Descendant } from './command.ts';
import { CommandId, MessageId } from './ids.ts';
import { Spent } from './usage.ts';

export const ToolCall = z.object({ id: z.string(), name: z.string(), input: z.unknown() });
export type ToolCall = z.infer<typeof ToolCall>;

/**
 * What the runtime itself put into a chat. It has a system origin and is never a person's consent.
 * `background_exec_wait`: the session was suspended. `completion`: a command ended; the text is for the model.
 * `resumed`: the session woke. `guard`: a diagnostic packet for the model. `turn_ended`: a turn ended early; says why.
 */
export const RuntimeKind = z.enum(['background_exec_wait', 'completion', 'resumed', 'guard', 'turn_ended']);
export type RuntimeKind = z.infer<typeof RuntimeKind>;

/** How a command ended, as told to its session. */
export const CommandEnd = z.object({
  commandId: CommandId,
  cmd: z.string(),
  state: CommandState,
  /** Observed, never invented. */
  exitCode: z.number().int().nullable(),
  signal: z.string().nullable(),
  elapsedMs: z.number(),
  /** The last lines, at most 50 and 4,096 bytes. */
  tail: z.string(),
  /** What of it was alive when this was written: left running, or not to be ended. */
  alive: z.array(Descendant).default([]),
});
export type CommandEnd = z.infer<typeof CommandEnd>;

/** Why a request to a provider failed: a code of `ProviderErrorCode`, and whose request it was. */
export const ProviderFailure = z.object({ code: z.string(), provider: z.string() });
export type ProviderFailure = z.infer<typeof ProviderFailure>;

const base = { id: MessageId, /** Milliseconds since the epoch. */ at: z.number() };

export const Message = z.discriminatedUnion('role', [
  z.object({ ...base, role: z.literal('user'), text: z.string() }),
  z.object({
    ...base,
    role: z.literal('assistant'),
    text: z.string(),
    toolCalls: z.array(ToolCall),
    /** What the model thought; for people, and no part of the conversation. */
    reasoning: z.string().optional(),
    /** How the answer came about (tried again, the conversation shortened), in sentences for people. */
    notes: z.array(z.string()).optional(),
    /** What its request used; absent where nothing is paid by use. */
    spent: Spent.optional(),
  }),
  z.object({
    ...base,
    role: z.literal('tool'),
    toolCallId: z.string(),
    name: z.string(),
    result: z.unknown(),
    isError: z.boolean(),
  }),
  z.object({
    ...base,
    role: z.literal('runtime'),
    kind: RuntimeKind,
    text: z.string(),
    commandIds: z.array(CommandId),
    ends: z.array(CommandEnd),
    /** Of a turn that its provider ended: what the window may offer. */
    failure: ProviderFailure.optional(),
  }),
]);
export type Message = z.infer<typeof Message>;
export type UserMessage = Extract<Message, { role: 'user' }>;
export type AssistantMessage = Extract<Message, { role: 'assistant' }>;
export type ToolMessage = Extract<Message, { role: 'tool' }>;
export type RuntimeMessage = Extract<Message, { role: 'runtime' }>;
