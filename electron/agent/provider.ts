import type { Message, ToolCall } from '../../shared/model/message.ts';

/** A tool as a model sees it. */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  /** JSON schema of the input. */
  readonly inputSchema: unknown;
}

/** One request to a provider. The messages are paired: behind each tool call stands its result. */
export interface ProviderRequest {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDescription[];
  readonly workspace: string;
}

/** What a provider streams. Tool calls come whole; `done` comes last, once. */
export type ProviderEvent =
  | { readonly type: 'text'; readonly delta: string }
  | { readonly type: 'tool_call'; readonly call: ToolCall }
  | { readonly type: 'done' };

/**
 * A mind, or something that stands for one. A failure is thrown as a ProviderError whose message is for people; what
 * was streamed before is kept.
 */
export interface Provider {
  readonly id: string;
  readonly name: string;
  stream(request: ProviderRequest, signal: AbortSignal): AsyncIterable<ProviderEvent>;
}

export class ProviderError extends Error {
  override readonly name = 'ProviderError';
}
