import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import type { AppEvent } from '../../shared/model/event.ts';
import { NO_TABS, reduceView, type View, withoutTab, withSessionOpen, withTab } from './view-reducer.ts';

/** `endpointId`: the model whose key is to be entered. */
export interface SettingsPlace {
  readonly endpointId: string | null;
}

interface ViewState extends View {
  /** Messages not sent yet, by session; the empty key belongs to the window without a session. */
  readonly drafts: Readonly<Record<string, string>>;
  readonly isSessionsOpen: boolean;
  readonly isJobsOpen: boolean;
  /** In a narrow window chat and terminals share one place. */
  readonly narrowPane: 'chat' | 'terminals';
  /** Where the settings are open; null while they are closed. */
  readonly settings: SettingsPlace | null;
  apply(events: readonly AppEvent[]): void;
  openSession(sessionId: string | null): void;
  setDraft(key: string, text: string): void;
  /** Opens a session and brings the terminal of one of its commands to the front. */
  showTerminal(sessionId: string, commandId: string, wish: 'show' | 'pin'): void;
  closeTerminal(sessionId: string, commandId: string, next: string | null): void;
  setSessionsOpen(isOpen: boolean): void;
  setJobsOpen(isOpen: boolean): void;
  setNarrowPane(pane: 'chat' | 'terminals'): void;
  openSettings(place: SettingsPlace): void;
  closeSettings(): void;
}

/** What only this window knows: what is open, read, pinned, and not yet sent. */
export const useView = create<ViewState>()(
  persist(
    (set, get) => ({
      openSessionId: null,
      unread: {},
      tabs: {},
      drafts: {},
      isSessionsOpen: true,
      isJobsOpen: true,
      narrowPane: 'chat',
      settings: null,
      apply: (events) => {
        const view = get();
        const next = events.reduce<View>(reduceView, view);
        // Each `set` is also a write to local storage, and most events change nothing here.
        if (next !== view) set(next);
      },
      openSession: (sessionId) => set((view) => withSessionOpen(view, sessionId)),
      setDraft: (key, text) =>
        set(({ drafts: { [key]: _before, ...others } }) => ({
          drafts: text === '' ? others : { ...others, [key]: text },
        })),
      showTerminal: (sessionId, commandId, wish) =>
        set((view) => ({
          ...withSessionOpen(view, sessionId),
          tabs: { ...view.tabs, [sessionId]: withTab(view.tabs[sessionId] ?? NO_TABS, commandId, wish) },
          narrowPane: 'terminals',
        })),
      closeTerminal: (sessionId, commandId, next) =>
        set(({ tabs }) => ({
          tabs: { ...tabs, [sessionId]: withoutTab(tabs[sessionId] ?? NO_TABS, commandId, next) },
        })),
      setSessionsOpen: (isSessionsOpen) => set({ isSessionsOpen }),
      setJobsOpen: (isJobsOpen) => set({ isJobsOpen }),
      setNarrowPane: (narrowPane) => set({ narrowPane }),
      openSettings: (settings) => set({ settings }),
      closeSettings: () => set({ settings: null }),
    }),
    {
      name: 'switchyard.view',
      version: 1,
      // Tabs are left out: after a reload the live commands have theirs anyway.
      partialize: ({ openSessionId, unread, drafts, isSessionsOpen, isJobsOpen }) => ({
        openSessionId,
        unread,
        drafts,
        isSessionsOpen,
        isJobsOpen,
      }),
    },
  ),
);
