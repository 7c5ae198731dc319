import type { Message, ToolCall, ToolMessage } from '../../shared/model/message.ts';
import { type ToolError, toolError } from '../supervisor/tool-error.ts';

/**
 * The conversation as a provider may see it: behind each assistant message stand the results of its tool calls, in
 * call order. What came in between (a person's message, a completion) follows them. A call whose result was never
 * saved, because the app ended, gets one that says so.
 */
export function pairedMessages(messages: readonly Message[]): Message[] {
  const paired: Message[] = [];
  let open: { calls: readonly ToolCall[]; results: Map<string, ToolMessage>; at: number } | null = null;
  let held: Message[] = [];
  const close = () => {
    if (!open) return;
    for (const call of open.calls) paired.push(open.results.get(call.id) ?? missingResult(call, open.at));
    paired.push(...held);
    held = [];
    open = null;
  };
  for (const message of messages) {
    if (message.role === 'tool') {
      open?.results.set(message.toolCallId, message);
      if (open?.calls.every((call) => open?.results.has(call.id))) close();
    } else if (message.role === 'assistant') {
      close();
      paired.push(message);
      if (message.toolCalls.length > 0)
        open = { calls: message.toolCalls, results: new Map(), at: message.at };
    } else if (open) held.push(message);
    else paired.push(message);
  }
  close();
  return paired;
}

/** Calls that have no result: where a turn broke off, they are answered before the next request. */
function missingResult(call: ToolCall, at: number): ToolMessage {
  return {
    id: `m_${'0'.repeat(16)}`,
    at,
    role: 'tool',
    toolCallId: call.id,
    name: call.name,
    isError: true,
    result: { error: interrupted() },
  };
}

/** Of a call that may have been made, and whose result is lost. */
export const interrupted = (): ToolError =>
  toolError(
    'host_unavailable',
    'The app ended before this call had a result. list_commands shows what runs.',
  );

/** Calls of the newest assistant message that have no result yet, in call order. */
export function openCalls(messages: readonly Message[]): ToolCall[] {
  const at = messages.findLastIndex((message) => message.role === 'assistant');
  const last = messages[at];
  if (last?.role !== 'assistant') return [];
  const done = new Set(
    messages.slice(at).flatMap((message) => (message.role === 'tool' ? message.toolCallId : [])),
  );
  return last.toolCalls.filter((call) => !done.has(call.id));
}
