import { z } from 'zod';
import { MAX_MESSAGE_BYTES, MAX_REASON_CHARACTERS } from '../limits.ts';
import { ApprovalRule, RuleId } from '../model/approval.ts';
import { Snapshot } from '../model/event.ts';
import { CommandId, MessageId, SessionId } from '../model/ids.ts';
import { Message } from '../model/message.ts';
import { EndpointDraft, KeysState, KeyText, ModelInfo } from '../model/model-list.ts';
import { EndpointId } from '../model/provider-settings.ts';
import { SessionView } from '../model/session.ts';
import { Approvals, Settings, SettingsChange, Theme } from '../model/settings.ts';
import { UpdateState } from '../model/update.ts';

/** Bytes of JSON that the input of a call may have. */
export const SIZE_CLASSES = { small: 4 * 1024, settings: 64 * 1024, message: 2 * MAX_MESSAGE_BYTES } as const;
export type SizeClass = keyof typeof SIZE_CLASSES;

interface CallSpec {
  readonly input: z.ZodType;
  readonly output: z.ZodType;
  readonly size: SizeClass;
}

const nothing = z.strictObject({});
const done = z.null();

/**
 * The one table of calls from the window to main: name, input, output, size class. Preload, handlers, client types
 * and tests derive from it. Failures come back as `CallError`, never as a rejected promise with a stack.
 */
export const calls = {
  /** Everything small, and from then on the events after it. */
  'events.subscribe': { input: nothing, output: Snapshot, size: 'small' },
  'session.create': {
    input: z.strictObject({ workspace: z.string().min(1).max(4096).optional() }),
    output: SessionView,
    size: 'small',
  },
  'session.rename': {
    input: z.strictObject({ sessionId: SessionId, title: z.string().trim().min(1).max(200) }),
    output: done,
    size: 'small',
  },
  /** A page of messages, oldest first, that ends before `before` (or with the newest). */
  'session.messages': {
    input: z.strictObject({
      sessionId: SessionId,
      before: MessageId.optional(),
      limit: z.number().int().min(1).max(500),
    }),
    output: z.object({
      messages: z.array(Message),
      hasMore: z.boolean(),
      streaming: z
        .object({
          messageId: MessageId,
          text: z.string(),
          reasoning: z.string(),
          notes: z.array(z.string()).readonly(),
        })
        .nullable(),
    }),
    size: 'small',
  },
  'session.send': {
    input: z.strictObject({ sessionId: SessionId, text: z.string().min(1).max(MAX_MESSAGE_BYTES) }),
    output: z.object({ messageId: MessageId }),
    size: 'message',
  },
  /** Ends the running turn. What was given a handle, or detached, runs on. */
  'session.stopTurn': { input: z.strictObject({ sessionId: SessionId }), output: done, size: 'small' },
  /** Begins a turn from where the last one broke off. */
  'session.retry': { input: z.strictObject({ sessionId: SessionId }), output: done, size: 'small' },
  /** Gives a session another agent, from its next turn on. */
  'session.setProvider': {
    input: z.strictObject({ sessionId: SessionId, providerId: z.string().min(1).max(100) }),
    output: done,
    size: 'small',
  },
  /** Drops the wait. The commands run on; their ends are kept for the next turn. */
  'session.stopWaiting': { input: z.strictObject({ sessionId: SessionId }), output: done, size: 'small' },
  /**
   * A person's answer to a command that is asked for. `always` adds the rules that were suggested with it; `refuse` gives
   * the reason to the agent.
   */
  'approval.answer': {
    input: z.strictObject({
      sessionId: SessionId,
      toolCallId: z.string().min(1).max(1024),
      answer: z.enum(['once', 'always', 'refuse']),
      reason: z.string().trim().max(MAX_REASON_CHARACTERS).optional(),
    }),
    output: done,
    size: 'settings',
  },
  /** Rules of a workspace for what may run without being asked for, oldest first. */
  'approvals.rules': {
    input: z.strictObject({ workspace: z.string().min(1).max(4096) }),
    output: z.array(ApprovalRule),
    size: 'settings',
  },
  'approvals.deleteRule': { input: z.strictObject({ ruleId: RuleId }), output: done, size: 'small' },
  'command.detach': {
    input: z.strictObject({ commandId: CommandId }),
    output: z.object({ isDetached: z.boolean() }),
    size: 'small',
  },
  'command.stop': { input: z.strictObject({ commandId: CommandId }), output: done, size: 'small' },
  'commands.stopAll': { input: nothing, output: z.object({ count: z.number().int() }), size: 'small' },
  'commands.clearFinished': { input: nothing, output: z.object({ count: z.number().int() }), size: 'small' },
  /** Shows the log file of a command in the file manager. */
  'command.showLog': { input: z.strictObject({ commandId: CommandId }), output: done, size: 'small' },
  'settings.update': { input: SettingsChange, output: Settings, size: 'settings' },
  /** Looks for a new version. The answer may be that one is being downloaded. */
  'updates.check': { input: nothing, output: UpdateState, size: 'small' },
  /** Quits as ever, and comes back as the version that is ready. */
  'updates.restart': { input: nothing, output: done, size: 'small' },
  'keys.state': { input: nothing, output: KeysState, size: 'small' },
  /** Keeps a key. It goes in here and never comes back. `allowPlain`: readable in a file, where there is no keyring. */
  'keys.set': {
    input: z.strictObject({ providerId: EndpointId, key: KeyText, allowPlain: z.boolean().optional() }),
    output: KeysState,
    size: 'small',
  },
  'keys.delete': { input: z.strictObject({ providerId: EndpointId }), output: KeysState, size: 'small' },
  /** The models of an endpoint, which is also a test of its address and key. Without `key` the kept one is used. */
  'models.list': {
    input: z.strictObject({ endpoint: EndpointDraft, key: KeyText.optional() }),
    output: z.array(ModelInfo).readonly(),
    size: 'small',
  },
  'settings.setApprovals': { input: z.strictObject({ mode: Approvals }), output: Settings, size: 'small' },
  'settings.setTheme': { input: z.strictObject({ theme: Theme }), output: Settings, size: 'small' },
  /** Asks for a folder; null when the dialog was cancelled. */
  'workspace.choose': { input: nothing, output: z.string().nullable(), size: 'small' },
  /** Opens an http, https or mailto link in the system's browser. */
  'link.open': { input: z.strictObject({ url: z.string().max(2048) }), output: done, size: 'small' },
} as const satisfies Record<string, CallSpec>;

export type CallName = keyof typeof calls;
export type CallInput<N extends CallName> = z.input<(typeof calls)[N]['input']>;
export type ParsedInput<N extends CallName> = z.output<(typeof calls)[N]['input']>;
export type CallOutput<N extends CallName> = z.output<(typeof calls)[N]['output']>;

/** Closed union of what a call can fail with; `message` is a sentence for people. */
export const CALL_ERROR_CODES = [
  'invalid_input',
  'too_large',
  'forbidden',
  'unknown_session',
  'unknown_command',
  'unknown_approval',
  'workdir_missing',
  'host_unavailable',
  'unknown_provider',
  'provider_failed',
  'store_failed',
  'internal',
] as const;
export type CallErrorCode = (typeof CALL_ERROR_CODES)[number];
export interface CallError {
  readonly code: CallErrorCode;
  readonly message: string;
}

export type CallAnswer<N extends CallName> =
  | { readonly ok: true; readonly value: CallOutput<N> }
  | { readonly ok: false; readonly error: CallError };

/** What the page asks for when it opens the bytes of a command. With `from`, only what follows it is sent. */
export const StreamRequest = z.strictObject({
  commandId: CommandId,
  from: z
    .strictObject({ generation: z.number().int().nonnegative(), offset: z.number().int().nonnegative() })
    .nullable(),
});
export type StreamRequest = z.infer<typeof StreamRequest>;

export { CHANNELS } from './channels.ts';
