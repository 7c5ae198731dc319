import { Buffer } from 'node:buffer';
import {
  type CallError,
  type CallErrorCode,
  type CallName,
  type CallOutput,
  CHANNELS,
  calls,
  type ParsedInput,
  SIZE_CLASSES,
} from '../../shared/contract/calls.ts';
import { err, type Result } from '../../shared/model/result.ts';
import { describeIssue } from '../../shared/text/schema-issue.ts';
import { StoreError } from '../store/store-error.ts';

/** What each call of the contract does. `sender` is the page that called, as the ipc object gives it. */
export type Handlers<S> = {
  readonly [N in CallName]: (
    input: ParsedInput<N>,
    sender: S,
  ) => Promise<Result<CallOutput<N>, CallError>> | Result<CallOutput<N>, CallError>;
};

/** The part of Electron's ipcMain that is needed. */
export interface CallIpc<E> {
  handle(channel: string, listener: (event: E, ...args: unknown[]) => unknown): void;
}

export interface CallOptions<E extends { readonly sender: S }, S> {
  readonly ipc: CallIpc<E>;
  readonly handlers: Handlers<S>;
  /** True for the main frame of our own window, and for nothing else. */
  readonly isTrusted: (event: E) => boolean;
  /** Told of what went wrong inside, with the stack. The page is not. */
  readonly log: (line: string) => void;
}

/**
 * Binds the whole table of calls to one channel. Here, and only here, sender, name, size and schema are
 * checked; a handler sees parsed input alone. Whatever happens, the page gets an answer: a promise that
 * rejected would carry a stack.
 */
export function bindCalls<E extends { readonly sender: S }, S>(options: CallOptions<E, S>): void {
  options.ipc.handle(CHANNELS.call, async (event, name, input) => {
    if (!options.isTrusted(event)) {
      options.log(`a call from an unknown sender was refused: ${String(name).slice(0, 100)}`);
      return refuse('forbidden', 'This page may not call Switchyard.');
    }
    if (!isCallName(name)) return refuse('invalid_input', 'name: no such call');
    return answer(name, input, event.sender, options);
  });
}

const isCallName = (name: unknown): name is CallName =>
  typeof name === 'string' && Object.hasOwn(calls, name);

const refuse = (code: CallErrorCode, message: string): { ok: false; error: CallError } =>
  err({ code, message });

async function answer<N extends CallName, S>(
  name: N,
  input: unknown,
  sender: S,
  { handlers, log }: { handlers: Handlers<S>; log: (line: string) => void },
): Promise<Result<CallOutput<N>, CallError>> {
  const json = toJson(input);
  if (json === undefined) return refuse('invalid_input', 'input: not an object of plain values');
  const bytes = Buffer.byteLength(json);
  const limit = SIZE_CLASSES[calls[name].size];
  if (bytes > limit) {
    return refuse('too_large', `input: ${bytes} bytes, which is more than the ${limit} that are taken.`);
  }
  // what was measured is what is used: structured clone can carry more than JSON shows
  const parsed = calls[name].input.safeParse(JSON.parse(json));
  if (!parsed.success) return refuse('invalid_input', describeIssue(parsed.error, 'input'));
  try {
    return await handlers[name](parsed.data as ParsedInput<N>, sender);
  } catch (error) {
    log(`${name} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    if (error instanceof StoreError) return refuse('store_failed', error.message);
    return refuse(
      'internal',
      'This failed because of a fault in Switchyard. Its log says what happened. Try again.',
    );
  }
}

/** Undefined for what JSON cannot hold: a cycle, a big integer, nothing at all. */
function toJson(input: unknown): string | undefined {
  try {
    return JSON.stringify(input);
  } catch {
    return undefined;
  }
}
