import type { Message, ToolCall, ToolMessage } from '../../../shared/model/message.ts';
import type { Written } from '../../../shared/text/streaming.ts';
import { shortCommand } from '../commands/command-text.ts';

/** What the chat shows, in order. Keys are stable, so that an item keeps its place in the page. */
export type TimelineItem =
  | { readonly kind: 'user'; readonly key: string; readonly text: string; readonly at: number }
  | { readonly kind: 'assistant'; readonly key: string; readonly text: string; readonly isStreaming: boolean }
  | {
      readonly kind: 'command';
      readonly key: string;
      readonly toolCallId: string;
      readonly cmd: string;
      readonly result: ToolMessage | null;
    }
  | {
      readonly kind: 'thinking';
      readonly key: string;
      readonly text: string;
      readonly isStreaming: boolean;
    }
  | { readonly kind: 'polls'; readonly key: string; readonly count: number }
  | { readonly kind: 'quiet'; readonly key: string; readonly text: string; readonly isError: boolean }
  | { readonly kind: 'resumed'; readonly key: string; readonly text: string }
  | { readonly kind: 'notice'; readonly key: string; readonly text: string }
  /** A turn that its provider ended. Only the newest thing in a chat can be taken up again. */
  | {
      readonly kind: 'failure';
      readonly key: string;
      readonly text: string;
      readonly code: string;
      readonly provider: string;
      readonly isNewest: boolean;
    };

/** Length of a command's name in a quiet line. */
const NAME_CHARACTERS = 40;

type Fields = Readonly<Record<string, unknown>>;
const asRecord = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

/** The text of a field, or null when it is none. */
export function textField(value: unknown, name: string): string | null {
  const field = asRecord(value)[name];
  return typeof field === 'string' ? field : null;
}

/** The sentence of a tool's error, in whichever of its usual places it is. */
export function errorSentence(result: unknown): string {
  if (typeof result === 'string') return result;
  const inner = asRecord(result).error;
  const sentence = textField(result, 'message') ?? textField(inner, 'message') ?? textField(result, 'error');
  return sentence ?? 'The tool answered with an error.';
}

/** The code of a tool's error, when it has one. */
export const errorCode = (result: unknown): string | null => textField(asRecord(result).error, 'code');

const isPoll = ({ name, input }: ToolCall): boolean =>
  name === 'write_stdin' && (textField(input, 'chars') ?? '') === '' && asRecord(input).eof !== true;

const shown = (chars: string): string => JSON.stringify(chars).slice(1, -1);

function quietText(call: ToolCall, nameOf: (handle: string) => string): string | null {
  const target = () => nameOf(textField(call.input, 'session_id') ?? '');
  switch (call.name) {
    case 'write_stdin': {
      const chars = textField(call.input, 'chars') ?? '';
      if (chars === '\x03') return `Interrupted ${target()}`;
      return chars === '' ? `Closed the input of ${target()}` : `Typed ${shown(chars)} into ${target()}`;
    }
    case 'stop_command':
      return `Stopped ${target()}`;
    case 'read_output':
      return `Read the output of ${target()}`;
    case 'wait':
    case 'list_commands':
      // The banner and the line of the wake tell of a wait; a list changes nothing.
      return null;
    default:
      return `Used ${call.name}`;
  }
}

/**
 * Makes the chat out of the messages: tool calls that start a command become its card, polls in a row become one
 * count, and of what the runtime put in for the model only wakes, early ends and guard notices are shown.
 */
export function buildTimeline(
  messages: readonly Message[],
  streaming: (Written & { readonly messageId: string }) | null,
  /** Command texts by handle. */
  cmds: Readonly<Record<string, string>>,
): TimelineItem[] {
  const items: TimelineItem[] = [];
  const results = new Map<string, ToolMessage>();
  for (const message of messages) if (message.role === 'tool') results.set(message.toolCallId, message);
  const nameOf = (handle: string): string => {
    const cmd = cmds[handle];
    return cmd === undefined ? 'the command' : shortCommand(cmd, NAME_CHARACTERS);
  };

  const addCall = (call: ToolCall): void => {
    const result = results.get(call.id) ?? null;
    if (call.name === 'exec_command') {
      const cmd = textField(call.input, 'cmd') ?? '';
      items.push({ kind: 'command', key: call.id, toolCallId: call.id, cmd, result });
    } else if (result?.isError === true) {
      items.push({ kind: 'quiet', key: call.id, text: errorSentence(result.result), isError: true });
    } else if (isPoll(call)) {
      const last = items.at(-1);
      if (last?.kind === 'polls') items[items.length - 1] = { ...last, count: last.count + 1 };
      else items.push({ kind: 'polls', key: call.id, count: 1 });
    } else {
      const text = quietText(call, nameOf);
      if (text !== null) items.push({ kind: 'quiet', key: call.id, text, isError: false });
    }
  };

  const addAbout = (key: string, notes: readonly string[], reasoning: string, isStreaming: boolean): void => {
    notes.forEach((text, index) => {
      items.push({ kind: 'quiet', key: `${key}-note-${index}`, text, isError: false });
    });
    if (reasoning.trim() !== '')
      items.push({ kind: 'thinking', key: `${key}-thinking`, text: reasoning, isStreaming });
  };

  for (const message of messages) {
    const key = message.id;
    switch (message.role) {
      case 'user':
        items.push({ kind: 'user', key, text: message.text, at: message.at });
        break;
      case 'assistant':
        addAbout(key, message.notes ?? [], message.reasoning ?? '', false);
        if (message.text.trim() !== '')
          items.push({ kind: 'assistant', key, text: message.text, isStreaming: false });
        for (const call of message.toolCalls) addCall(call);
        break;
      case 'runtime':
        if (message.kind === 'resumed') items.push({ kind: 'resumed', key, text: message.text });
        else if (message.failure)
          items.push({
            kind: 'failure',
            key,
            text: message.text,
            code: message.failure.code,
            provider: message.failure.provider,
            isNewest: message === messages.at(-1) && streaming === null,
          });
        else if (message.kind === 'turn_ended' || message.kind === 'guard')
          items.push({ kind: 'notice', key, text: message.text });
        break;
      case 'tool':
        break;
    }
  }
  if (streaming !== null) {
    const isThinking = streaming.text.trim() === '';
    addAbout(streaming.messageId, streaming.notes, streaming.reasoning, isThinking);
    if (!isThinking)
      items.push({ kind: 'assistant', key: streaming.messageId, text: streaming.text, isStreaming: true });
  }
  return items;
}
