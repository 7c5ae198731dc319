import type { LanguageModelV4ToolCall } from '@ai-sdk/provider';
import type { Message, ToolCall } from '../../../shared/model/message.ts';

/** Every service takes ids like these back. */
const SAFE_ID = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * A call as our tools take it. Arguments that are no JSON stay the text that they are: the tool refuses them, and the
 * model is told. Local servers number their calls anew in each answer: an id that was used before becomes a new one.
 */
export function toToolCall(call: LanguageModelV4ToolCall, isUsed: (id: string) => boolean): ToolCall {
  const isGood = SAFE_ID.test(call.toolCallId) && !isUsed(call.toolCallId);
  return {
    id: isGood ? call.toolCallId : `call_${crypto.randomUUID()}`,
    name: call.toolName,
    input: parsedInput(call.input),
  };
}

/** Ids of the calls in a conversation. */
export function usedCallIds(messages: readonly Message[]): Set<string> {
  return new Set(
    messages.flatMap((message) =>
      message.role === 'assistant' ? message.toolCalls.map(({ id }) => id) : [],
    ),
  );
}

function parsedInput(text: string): unknown {
  // A call without arguments comes as nothing at all from some servers.
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
