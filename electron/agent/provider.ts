import type { CommandState, Placement } from '../../shared/model/command.ts';
import type { Message, ToolCall } from '../../shared/model/message.ts';
import type { Wait } from '../../shared/model/session.ts';
import type { Usage } from '../../shared/model/usage.ts';
import type { Priced } from './pricing/pricing.ts';

/** A tool as a model sees it. */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  /** JSON schema of the input. */
  readonly inputSchema: unknown;
}

/** What is alive in a session: restated to a model that has lost the older part of its conversation. */
export interface LiveFacts {
  readonly commands: readonly {
    readonly id: string;
    readonly cmd: string;
    readonly state: CommandState;
    readonly placement: Placement;
    readonly startedAt: number;
  }[];
  readonly wait: Wait | null;
  readonly now: number;
}

/** One request to a provider. The messages are paired: behind each tool call stands its result. */
export interface ProviderRequest {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDescription[];
  readonly workspace: string;
  readonly live?: LiveFacts;
}

/** What a provider streams. Tool calls come whole; `done` comes last, once, unless it fails or is stopped. */
export type ProviderEvent =
  | { readonly type: 'text'; readonly delta: string }
  /** What the model thinks before it answers. It is shown, and no part of the answer. */
  | { readonly type: 'reasoning'; readonly delta: string }
  | { readonly type: 'tool_call'; readonly call: ToolCall }
  /** The request failed and is made again after `waitMs`; the message is for people. */
  | { readonly type: 'retry'; readonly attempt: number; readonly waitMs: number; readonly message: string }
  /** The conversation was too long for the model: its older part was sent as a summary. */
  | { readonly type: 'compacted'; readonly messagesLeftOut: number }
  | { readonly type: 'usage'; readonly model: string; readonly usage: Usage }
  | { readonly type: 'done' };

/**
 * A mind, or something that stands for one. A failure is thrown as a ProviderError whose message is for people; what
 * was streamed before is kept.
 */
export interface Provider {
  readonly id: string;
  readonly name: string;
  /** What decides the price of its requests; absent where nothing is paid by use. */
  readonly priced?: Priced;
  stream(request: ProviderRequest, signal: AbortSignal): AsyncIterable<ProviderEvent>;
}

/** Why a provider failed: what a window may offer depends on it (enter a key, try again). */
export type ProviderErrorCode =
  | 'key_missing'
  | 'key_refused'
  | 'unreachable'
  | 'quota'
  | 'rate_limited'
  | 'overloaded'
  | 'context_too_long'
  | 'model_unknown'
  | 'request_refused'
  | 'bad_answer'
  | 'stream_cut'
  | 'empty_answer'
  | 'output_limit'
  | 'declined'
  | 'unknown_stop'
  /** The session's provider is not set up any more. */
  | 'provider_removed'
  | 'other';

export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly code: ProviderErrorCode;

  constructor(message: string, code: ProviderErrorCode = 'other') {
    super(message);
    this.code = code;
  }
}
