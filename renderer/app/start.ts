import type { AppEvent, Snapshot } from '../../shared/model/event.ts';
import { call, sentenceOf } from '../bridge/client.ts';
import { followEvents } from '../bridge/events.ts';
import { reconnectTerminals } from '../features/terminals/registry.ts';
import { useChats } from '../stores/chats.ts';
import { useFacts } from '../stores/facts.ts';
import { useNotices } from '../stores/notices.ts';
import { useView } from '../stores/view.ts';

/** After a snapshot the session that was asked for is open, or that of the last time, or the one used last. */
function openSomeSession(snapshot: Snapshot): void {
  const view = useView.getState();
  if (snapshot.chosen !== null) {
    view.openSession(snapshot.chosen);
    return;
  }
  const isKnown = snapshot.sessions.some(({ id }) => id === view.openSessionId);
  if (isKnown) return;
  const newest = snapshot.sessions.toSorted((a, b) => b.updatedAt - a.updatedAt)[0];
  view.openSession(newest?.id ?? null);
}

function apply(events: readonly AppEvent[]): void {
  useFacts.getState().apply(events);
  useChats.getState().apply(events);
  useView.getState().apply(events);
  for (const event of events) if (event.type === 'notice.raised') useNotices.getState().add(event.text);
  if (events.some((event) => event.type === 'host.changed' && event.isConnected)) reconnectTerminals();
}

/** Fills the stores from main and keeps them up to date. Returns how to ask again after a failure. */
export function startEvents(): () => void {
  let isFirst = true;
  const { restart } = followEvents(
    {
      subscribe: (listener) => window.switchyard.subscribe(listener),
      snapshot: () => call('events.subscribe', {}),
    },
    {
      begin: (snapshot) => {
        useFacts.getState().begin(snapshot);
        if (isFirst) for (const notice of snapshot.notices) useNotices.getState().add(notice);
        isFirst = false;
        useChats.getState().forgetAll();
        openSomeSession(snapshot);
        reconnectTerminals();
      },
      apply,
      fail: (error) => useFacts.getState().fail(sentenceOf(error)),
    },
  );
  return restart;
}
