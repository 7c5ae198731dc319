import { FolderPlus, PanelLeftClose, Plus, Search } from 'lucide-react';
import { type KeyboardEvent, useMemo, useState } from 'react';
import type { CommandView } from '../../../shared/model/command.ts';
import { keysOf } from '../../app/shortcuts.ts';
import { useFacts } from '../../stores/facts.ts';
import { useView } from '../../stores/view.ts';
import { IconButton } from '../../ui/button.tsx';
import { useMinute } from '../../ui/clock.ts';
import { commandsBySession, groupSessions } from './grouping.ts';
import { newSession, newSessionInFolder } from './session-actions.ts';
import { SessionItem } from './session-item.tsx';
import './sessions.css';

const NONE: readonly CommandView[] = [];

/** Moves the focus among the items of the list. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('.session-open')];
  const at = items.indexOf(document.activeElement as HTMLElement);
  if (at < 0) return;
  const target = {
    ArrowDown: items[at + 1],
    ArrowUp: items[at - 1],
    Home: items[0],
    End: items.at(-1),
  }[event.key];
  if (target === undefined) return;
  event.preventDefault();
  target.focus();
}

/** The region on the left: all sessions, by day. */
export function Sessions() {
  const sessions = useFacts((facts) => facts.sessions);
  const commands = useFacts((facts) => facts.commands);
  const openSessionId = useView((view) => view.openSessionId);
  const unread = useView((view) => view.unread);
  const [filter, setFilter] = useState('');
  // Groups change with the day; a minute is close enough and keeps the list still.
  const minute = useMinute();

  const groups = useMemo(
    () => groupSessions(Object.values(sessions), filter, minute),
    [sessions, filter, minute],
  );
  const bySession = useMemo(() => commandsBySession(Object.values(commands)), [commands]);
  const shown = groups.flatMap((group) => group.sessions);
  const tabStop = shown.find(({ id }) => id === openSessionId)?.id ?? shown[0]?.id;

  return (
    <section className="sessions" aria-label="Sessions" data-region="Sessions" tabIndex={-1}>
      <div className="sessions-head">
        <label className="filter">
          <Search size={13} aria-hidden="true" />
          <input
            type="search"
            aria-label="Search sessions"
            placeholder="Search"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
            onKeyDown={(event) => event.key === 'Escape' && setFilter('')}
          />
        </label>
        <IconButton name="New session" hint={keysOf('session.new')} onClick={newSession}>
          <Plus size={15} aria-hidden="true" />
        </IconButton>
        <IconButton name="New session in a folder" onClick={newSessionInFolder}>
          <FolderPlus size={14} aria-hidden="true" />
        </IconButton>
        <IconButton
          name="Collapse sessions"
          hint={keysOf('sessions.toggle')}
          onClick={() => useView.getState().setSessionsOpen(false)}
        >
          <PanelLeftClose size={14} aria-hidden="true" />
        </IconButton>
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move among the buttons inside */}
      <div className="sessions-list" onKeyDown={moveFocus}>
        {groups.map((group) => (
          <div key={group.name}>
            <h2 className="label">{group.name}</h2>
            <ul>
              {group.sessions.map((session) => (
                <SessionItem
                  key={session.id}
                  session={session}
                  commands={bySession.get(session.id) ?? NONE}
                  isOpen={session.id === openSessionId}
                  isUnread={unread[session.id] === true}
                  isTabStop={session.id === tabStop}
                />
              ))}
            </ul>
          </div>
        ))}
        {groups.length === 0 && (
          <p className="quiet-note">{filter === '' ? 'No sessions yet.' : 'No session matches.'}</p>
        )}
      </div>
    </section>
  );
}
