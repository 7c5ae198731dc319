import type {
  JSONValue,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import type { AssistantMessage, ToolMessage } from '../../../shared/model/message.ts';
import type { Compacted } from './compact-messages.ts';
import type { StepMemory } from './step-memory.ts';

export interface PromptOptions {
  readonly system: string;
  readonly conversation: Compacted;
  /** The service tells results that are errors from others by a mark of its own. */
  readonly marksErrors: boolean;
  /** What the service wants back of earlier steps; null when the conversation before them was changed. */
  readonly memory: StepMemory | null;
  /** Put on the parts up to which a request is the same as the next one. */
  readonly cacheMark: SharedV4ProviderOptions | null;
}

type AssistantContent = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'];

/** A conversation as the SDK takes it: what comes from the app is marked, and stands where a person's words stand. */
export function toPrompt(options: PromptOptions): LanguageModelV4Prompt {
  const { system, conversation, memory, cacheMark } = options;
  const mark = cacheMark ? { providerOptions: cacheMark } : {};
  const prompt: LanguageModelV4Message[] = [];
  const say = (text: string) => {
    const last = prompt.at(-1);
    const part = last?.role === 'user' ? last.content[0] : undefined;
    // One message, one text: some servers refuse two messages of a user in a row, or a list of texts.
    if (part?.type === 'text') part.text += `\n\n${text}`;
    else prompt.push({ role: 'user', content: [{ type: 'text', text }] });
  };
  if (conversation.summary) say(fromApp('summary', conversation.summary));
  for (const message of conversation.messages) {
    switch (message.role) {
      case 'user':
        say(message.text);
        break;
      case 'runtime':
        say(fromApp(message.kind, message.text));
        break;
      case 'assistant': {
        const content = assistantContent(message, memory);
        if (content.length > 0) prompt.push({ role: 'assistant', content });
        break;
      }
      case 'tool': {
        const last = prompt.at(-1);
        if (last?.role === 'tool') last.content.push(toolResult(message, options));
        else prompt.push({ role: 'tool', content: [toolResult(message, options)] });
      }
    }
  }
  // Models that take no half answer want a word to go on from.
  if (prompt.at(-1)?.role !== 'user' && prompt.at(-1)?.role !== 'tool')
    say(fromApp('continue', 'Go on from here.'));
  if (cacheMark) {
    const stable = prompt.at(-1);
    const before = prompt.findLast((message) => message.role === 'user' && message !== stable);
    for (const message of [before, stable]) if (message) message.providerOptions = cacheMark;
  }
  if (conversation.live) {
    const text = fromApp('live', conversation.live);
    // Behind the mark, because it is another one each time.
    if (cacheMark) prompt.push({ role: 'user', content: [{ type: 'text', text }] });
    else say(text);
  }
  return [{ role: 'system', content: system, ...mark }, ...prompt];
}

/** Marks a text as the app's. Output of a command inside it cannot end the mark. */
function fromApp(about: string, text: string): string {
  return `<switchyard about="${about}">\n${text.replaceAll(/<(\/?)switchyard/gi, '<$1 switchyard')}\n</switchyard>`;
}

function assistantContent(message: AssistantMessage, memory: StepMemory | null): AssistantContent {
  const step = memory?.recall(message.toolCalls);
  return [
    ...(step?.reasoning ?? []),
    ...(message.text.trim() === '' ? [] : [{ type: 'text' as const, text: message.text }]),
    ...message.toolCalls.map((call) => {
      const options = step?.callOptions.get(call.id);
      return {
        type: 'tool-call' as const,
        toolCallId: call.id,
        toolName: call.name,
        input: asObject(call.input),
        ...(options ? { providerOptions: options } : {}),
      };
    }),
  ];
}

/** Services take only objects: arguments that were none are told inside one. */
function asObject(input: unknown): unknown {
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input;
  return { malformed_arguments: input ?? null };
}

function toolResult(message: ToolMessage, { marksErrors }: PromptOptions): LanguageModelV4ToolResultPart {
  const value = (message.result ?? null) as JSONValue;
  return {
    type: 'tool-result',
    toolCallId: message.toolCallId,
    toolName: message.name,
    output: message.isError && marksErrors ? { type: 'error-json', value } : { type: 'json', value },
  };
}
