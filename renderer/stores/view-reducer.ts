import { isTerminal } from '../../shared/model/command-state.ts';
import type { AppEvent } from '../../shared/model/event.ts';
import { unreachable } from '../../shared/model/result.ts';

/** Which terminals of one session are open. Live commands have a tab anyway. */
export interface Tabs {
  /** Opened by hand or by themselves, oldest first. Keeps the tabs of ended commands. */
  readonly opened: readonly string[];
  readonly active: string | null;
  /** Chosen by a click: while it lives, a new command does not take its place. */
  readonly pinned: string | null;
}

/** What only this window knows. */
export interface View {
  readonly openSessionId: string | null;
  readonly unread: Readonly<Record<string, true>>;
  readonly tabs: Readonly<Record<string, Tabs>>;
}

export const NO_TABS: Tabs = { opened: [], active: null, pinned: null };

/** Short commands open by themselves one after the other; beyond this many the oldest tab goes. */
const MOST_OPENED = 12;

/** `offer`: in front unless another one is pinned. `show`: in front. `pin`: in front, and it stays there. */
export type TabWish = 'offer' | 'show' | 'pin';

/** The tabs with one more. */
export function withTab(tabs: Tabs, id: string, wish: TabWish): Tabs {
  const opened = tabs.opened.includes(id) ? tabs.opened : [...tabs.opened, id].slice(-MOST_OPENED);
  if (wish === 'offer' && tabs.pinned !== null) return { ...tabs, opened };
  return { opened, active: id, pinned: wish === 'pin' ? id : null };
}

/** The tabs without one; `next` takes its place when it was in front. */
export function withoutTab(tabs: Tabs, id: string, next: string | null): Tabs {
  return {
    opened: tabs.opened.filter((other) => other !== id),
    active: tabs.active === id ? next : tabs.active,
    pinned: tabs.pinned === id ? null : tabs.pinned,
  };
}

const inTabs = (view: View, sessionId: string, next: (tabs: Tabs) => Tabs): View => ({
  ...view,
  tabs: { ...view.tabs, [sessionId]: next(view.tabs[sessionId] ?? NO_TABS) },
});

/** The view after opening a session: it is read. */
export function withSessionOpen(view: View, sessionId: string | null): View {
  if (sessionId === null) return { ...view, openSessionId: null };
  const { [sessionId]: _read, ...unread } = view.unread;
  return { ...view, openSessionId: sessionId, unread };
}

/** The view after one event. */
export function reduceView(view: View, event: AppEvent): View {
  switch (event.type) {
    case 'message.appended': {
      const isOwn = event.message.role === 'user' || event.message.role === 'tool';
      if (isOwn || event.sessionId === view.openSessionId || view.unread[event.sessionId]) return view;
      return { ...view, unread: { ...view.unread, [event.sessionId]: true } };
    }
    case 'command.started':
      return inTabs(view, event.command.sessionId, (tabs) => withTab(tabs, event.command.id, 'offer'));
    case 'command.terminal': {
      const { id, sessionId, state } = event.command;
      if (view.tabs[sessionId]?.pinned !== id || !isTerminal(state)) return view;
      return inTabs(view, sessionId, (tabs) => ({ ...tabs, pinned: null }));
    }
    case 'approval.requested': {
      const { id } = event.session;
      if (id === view.openSessionId || view.unread[id]) return view;
      return { ...view, unread: { ...view.unread, [id]: true } };
    }
    case 'session.chosen':
      return withSessionOpen(view, event.sessionId);
    case 'approval.settled':
    case 'session.changed':
    case 'session.suspended':
    case 'session.resumed':
    case 'message.streaming':
    case 'command.yielded':
    case 'command.detached':
    case 'command.handed_off':
    case 'command.changed':
    case 'command.progress':
    case 'commands.cleared':
    case 'settings.changed':
    case 'host.changed':
    case 'notice.raised':
    case 'update.changed':
      return view;
    default:
      return unreachable(event);
  }
}
