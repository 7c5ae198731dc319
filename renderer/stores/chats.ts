import { create } from 'zustand';
import type { AppEvent } from '../../shared/model/event.ts';
import { call } from '../bridge/client.ts';
import {
  type Chat,
  type Chats,
  LOADING_CHAT,
  reduceChats,
  withNewestPage,
  withOlderPage,
} from './chats-reducer.ts';

const PAGE_MESSAGES = 100;

interface ChatsState {
  readonly chats: Chats;
  apply(events: readonly AppEvent[]): void;
  /** Fetches the newest page unless the chat is held already. */
  open(sessionId: string): Promise<void>;
  /** Fetches the page before the oldest message held. */
  loadOlder(sessionId: string): Promise<void>;
  /** After events were missed: what is held may have a hole, so it is fetched anew when it is shown. */
  forgetAll(): void;
}

/** Messages of the sessions that were opened. */
export const useChats = create<ChatsState>()((set, get) => {
  const change = (sessionId: string, next: (chat: Chat) => Chat) =>
    set(({ chats }) => {
      const chat = chats[sessionId];
      return chat === undefined ? {} : { chats: { ...chats, [sessionId]: next(chat) } };
    });

  return {
    chats: {},
    apply: (events) => set(({ chats }) => ({ chats: events.reduce<Chats>(reduceChats, chats) })),

    open: async (sessionId) => {
      const held = get().chats[sessionId];
      if (held !== undefined && held.phase !== 'failed') return;
      set(({ chats }) => ({ chats: { ...chats, [sessionId]: LOADING_CHAT } }));
      try {
        const page = await call('session.messages', { sessionId, limit: PAGE_MESSAGES });
        change(sessionId, (chat) => (chat.phase === 'loading' ? withNewestPage(chat, page) : chat));
      } catch {
        change(sessionId, (chat) => ({ ...chat, phase: 'failed' }));
      }
    },

    loadOlder: async (sessionId) => {
      const chat = get().chats[sessionId];
      const oldest = chat?.messages[0];
      if (chat === undefined || oldest === undefined || !chat.hasMore || chat.isLoadingOlder) return;
      change(sessionId, (now) => ({ ...now, isLoadingOlder: true }));
      try {
        const page = await call('session.messages', { sessionId, before: oldest.id, limit: PAGE_MESSAGES });
        change(sessionId, (now) => withOlderPage(now, page));
      } catch {
        // Nothing is lost: scrolling up again asks again.
        change(sessionId, (now) => ({ ...now, isLoadingOlder: false }));
      }
    },

    forgetAll: () => set({ chats: {} }),
  };
});
