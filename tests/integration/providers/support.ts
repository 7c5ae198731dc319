import { z } from 'zod';
import type { Provider, ProviderEvent, ProviderRequest } from '../../../electron/agent/provider.ts';
import { ProviderError } from '../../../electron/agent/provider.ts';
import {
  createModelProvider,
  type ModelProviderOptions,
} from '../../../electron/agent/providers/model-provider.ts';
import { TOOLS } from '../../../electron/agent/tools/index.ts';
import type { Message } from '../../../shared/model/message.ts';
import type { ModelEndpoint } from '../../../shared/model/provider-settings.ts';
import type { Wire } from '../../support/scripted-models/answers.ts';

export const KEY = 'sk-test-0123456789abcdefSECRET';

/** Waits so short that a test of retries takes no time. */
export const QUICK_RETRY = { maxRetries: 4, firstWaitMs: 4, longestWaitMs: 10, patienceMs: 60_000 };

/** An endpoint on loopback. */
export function endpointAt(
  wire: Pick<Wire, 'kind'>,
  origin: string,
  more: Partial<ModelEndpoint> = {},
): ModelEndpoint {
  const model = { anthropic: 'claude-sonnet-4-5', openai: 'gpt-5', compatible: 'llama-test' }[wire.kind];
  return { id: 'test', kind: wire.kind, name: 'The service', baseUrl: `${origin}/v1`, model, ...more };
}

/** The real provider, with the real SDK behind it. */
export function providerAt(
  wire: Pick<Wire, 'kind'>,
  origin: string,
  more: Partial<ModelEndpoint> = {},
  options: Partial<ModelProviderOptions> = {},
): Provider {
  return createModelProvider(endpointAt(wire, origin, more), {
    keyOf: () => KEY,
    platform: 'linux',
    retry: QUICK_RETRY,
    ...options,
  });
}

export const TOOL_DESCRIPTIONS = [...TOOLS.values()].map(({ name, description, input }) => ({
  name,
  description,
  inputSchema: z.toJSONSchema(input, { io: 'input' }),
}));

let count = 0;
const base = () => ({ id: `m_${String(++count).padStart(16, '0')}`, at: count });

export const user = (text: string): Message => ({ ...base(), role: 'user', text });
export const assistant = (
  text: string,
  toolCalls: readonly { id: string; name: string; input: unknown }[] = [],
): Message => ({ ...base(), role: 'assistant', text, toolCalls: [...toolCalls] });
export const tool = (toolCallId: string, name: string, result: unknown, isError = false): Message => ({
  ...base(),
  role: 'tool',
  toolCallId,
  name,
  result,
  isError,
});
export const runtime = (text: string): Message => ({
  ...base(),
  role: 'runtime',
  kind: 'completion',
  text,
  commandIds: [],
  ends: [],
});

export const requestOf = (
  messages: readonly Message[],
  more: Partial<ProviderRequest> = {},
): ProviderRequest => ({
  messages,
  tools: TOOL_DESCRIPTIONS,
  workspace: '/work/project',
  ...more,
});

/** All that came of a request. */
export interface Outcome {
  readonly events: ProviderEvent[];
  readonly text: string;
  readonly reasoning: string;
  readonly calls: { id: string; name: string; input?: unknown }[];
  readonly error: ProviderError | null;
  readonly isDone: boolean;
}

/** Reads a stream to its end. An error that is none for people fails the test. */
export async function collect(
  provider: Provider,
  request: ProviderRequest,
  signal: AbortSignal = new AbortController().signal,
  onEvent: (event: ProviderEvent) => void = () => {},
): Promise<Outcome> {
  const events: ProviderEvent[] = [];
  let error: ProviderError | null = null;
  try {
    for await (const event of provider.stream(request, signal)) {
      events.push(event);
      onEvent(event);
    }
  } catch (caught) {
    if (!(caught instanceof ProviderError)) throw caught;
    error = caught;
  }
  const deltas = (type: 'text' | 'reasoning') =>
    events.flatMap((event) => (event.type === type ? event.delta : [])).join('');
  return {
    events,
    text: deltas('text'),
    reasoning: deltas('reasoning'),
    calls: events.flatMap((event) => (event.type === 'tool_call' ? event.call : [])),
    error,
    isDone: events.at(-1)?.type === 'done',
  };
}
