import { useEffect, useRef, useState } from 'react';
import type { CommandView } from '../../../shared/model/command.ts';
import type { SessionView } from '../../../shared/model/session.ts';
import { useView } from '../../stores/view.ts';
import { StateDot } from '../../ui/state-dot.tsx';
import { plural } from '../commands/command-text.ts';
import { isLive } from '../commands/state-words.ts';
import { renameSession } from './session-actions.ts';
import { sessionWords } from './session-words.ts';

interface SessionItemProps {
  readonly session: SessionView;
  /** Oldest first. */
  readonly commands: readonly CommandView[];
  readonly isOpen: boolean;
  readonly isUnread: boolean;
  readonly isTabStop: boolean;
}

/** One session of the list: opens by a click or Enter, is renamed by a double click or F2. */
export function SessionItem({ session, commands, isOpen, isUnread, isTabStop }: SessionItemProps) {
  const [isRenaming, setRenaming] = useState(false);
  const { words, tone } = sessionWords(session, commands);
  const running = commands.filter(isLive).length;

  if (isRenaming) {
    return (
      <li className={`session ${isOpen ? 'on' : ''}`}>
        <TitleField session={session} onDone={() => setRenaming(false)} />
      </li>
    );
  }
  return (
    <li className={`session ${isOpen ? 'on' : ''}`}>
      <button
        type="button"
        className="session-open"
        aria-current={isOpen}
        tabIndex={isTabStop ? 0 : -1}
        data-region-focus={isTabStop ? '' : undefined}
        title={`${session.title}\n${session.workspace}`}
        onClick={() => useView.getState().openSession(session.id)}
        onDoubleClick={() => setRenaming(true)}
        onKeyDown={(event) => {
          if (event.key === 'F2') setRenaming(true);
        }}
      >
        <StateDot tone={tone} />
        <span className="session-title cut">{session.title}</span>
        <span className="session-marks">
          {running > 0 && (
            <span className="num">
              {running}
              <span className="visually-hidden"> running</span>
            </span>
          )}
          {isUnread && <span className="unread" role="img" aria-label="Unread" />}
        </span>
        <small className="cut" title={commands.length === 0 ? undefined : plural(commands.length, 'command')}>
          {words}
        </small>
      </button>
    </li>
  );
}

function TitleField({ session, onDone }: { session: SessionView; onDone: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), []);
  const save = (text: string) => {
    const title = text.trim();
    if (title !== '' && title !== session.title) renameSession(session.id, title);
    onDone();
  };
  return (
    <input
      className="session-rename"
      aria-label="Session title"
      defaultValue={session.title}
      maxLength={200}
      ref={field}
      onBlur={(event) => save(event.target.value)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Enter') event.currentTarget.blur();
        if (event.key === 'Escape') {
          event.currentTarget.value = session.title;
          event.currentTarget.blur();
        }
      }}
    />
  );
}
