import type { CallOutput } from '../../shared/contract/calls.ts';
import type { AppEvent } from '../../shared/model/event.ts';
import type { Message } from '../../shared/model/message.ts';
import { unreachable } from '../../shared/model/result.ts';
import { UNWRITTEN, type Written, withDelta } from '../../shared/text/streaming.ts';

/** The part of a session's messages that the window holds: the newest, without a hole. */
export interface Chat {
  /** `loading`: the first page is on its way, and what arrives meanwhile is kept behind it. */
  readonly phase: 'loading' | 'ready' | 'failed';
  readonly messages: readonly Message[];
  readonly hasMore: boolean;
  readonly isLoadingOlder: boolean;
  /** The message that is being written just now. */
  readonly streaming: (Written & { readonly messageId: string }) | null;
}

export type Chats = Readonly<Record<string, Chat>>;
type Page = CallOutput<'session.messages'>;

export const LOADING_CHAT: Chat = {
  phase: 'loading',
  messages: [],
  hasMore: false,
  isLoadingOlder: false,
  streaming: null,
};

/** The chat with its newest page. Messages that arrived while it was fetched follow it. */
export function withNewestPage(chat: Chat, page: Page): Chat {
  const known = new Set(page.messages.map((message) => message.id));
  const later = chat.messages.filter((message) => !known.has(message.id));
  const messages = [...page.messages, ...later];
  const isWritten = messages.some((message) => message.id === page.streaming?.messageId);
  return {
    phase: 'ready',
    messages,
    hasMore: page.hasMore,
    isLoadingOlder: false,
    streaming: isWritten ? null : page.streaming,
  };
}

/** The chat with a page of older messages in front. */
export function withOlderPage(chat: Chat, page: Page): Chat {
  const known = new Set(chat.messages.map((message) => message.id));
  const older = page.messages.filter((message) => !known.has(message.id));
  return { ...chat, messages: [...older, ...chat.messages], hasMore: page.hasMore, isLoadingOlder: false };
}

function append(chat: Chat, message: Message): Chat {
  const streaming = chat.streaming?.messageId === message.id ? null : chat.streaming;
  const at = chat.messages.findIndex((known) => known.id === message.id);
  const messages = at < 0 ? [...chat.messages, message] : chat.messages.with(at, message);
  return { ...chat, messages, streaming };
}

function stream(
  chat: Chat,
  { messageId, delta, of }: Extract<AppEvent, { type: 'message.streaming' }>,
): Chat {
  // While the first page is fetched its own `streaming` says all that was written before it.
  if (chat.phase === 'loading' || chat.messages.some((message) => message.id === messageId)) return chat;
  const known = chat.streaming?.messageId === messageId ? chat.streaming : { messageId, ...UNWRITTEN };
  return { ...chat, streaming: withDelta(known, delta, of) };
}

/** The chats after one event. Only chats that were opened are held; the others are fetched when they are. */
export function reduceChats(chats: Chats, event: AppEvent): Chats {
  switch (event.type) {
    case 'message.appended': {
      const chat = chats[event.sessionId];
      return chat === undefined ? chats : { ...chats, [event.sessionId]: append(chat, event.message) };
    }
    case 'message.streaming': {
      const chat = chats[event.sessionId];
      if (chat === undefined) return chats;
      return { ...chats, [event.sessionId]: stream(chat, event) };
    }
    case 'session.changed':
    case 'session.suspended':
    case 'session.resumed':
    case 'approval.requested':
    case 'approval.settled': {
      // A turn that was stopped in the middle of a message never sends the whole of it.
      const chat = chats[event.session.id];
      if (chat === undefined || chat.streaming === null || event.session.status === 'running') return chats;
      return { ...chats, [event.session.id]: { ...chat, streaming: null } };
    }
    case 'command.started':
    case 'command.yielded':
    case 'command.detached':
    case 'command.handed_off':
    case 'command.changed':
    case 'command.progress':
    case 'command.terminal':
    case 'commands.cleared':
    case 'settings.changed':
    case 'host.changed':
    case 'session.chosen':
    case 'notice.raised':
    case 'update.changed':
      return chats;
    default:
      return unreachable(event);
  }
}
