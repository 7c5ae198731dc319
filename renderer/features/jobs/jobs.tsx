import { ChevronDown, ChevronUp } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { keysOf } from '../../app/shortcuts.ts';
import { call } from '../../bridge/client.ts';
import { useFacts } from '../../stores/facts.ts';
import { attempt } from '../../stores/notices.ts';
import { useView } from '../../stores/view.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { askedOf } from '../approvals/approval-words.ts';
import { AskedRow } from '../approvals/asked-row.tsx';
import { plural } from '../commands/command-text.ts';
import { needsPerson } from '../commands/state-words.ts';
import { tabStrip } from '../terminals/tabs.ts';
import { JobRow } from './job-row.tsx';
import { jobRows, MOST_ROWS } from './job-rows.ts';
import './jobs.css';

/** The region at the bottom: every live and recent command of all sessions. */
export function Jobs() {
  const commands = useFacts((facts) => facts.commands);
  const sessions = useFacts((facts) => facts.sessions);
  const isOpen = useView((view) => view.isJobsOpen);
  const openSessionId = useView((view) => view.openSessionId);
  const tabs = useView((view) => (openSessionId === null ? undefined : view.tabs[openSessionId]));
  const shownId = useMemo(() => {
    const ofSession = Object.values(commands).filter(({ sessionId }) => sessionId === openSessionId);
    return tabStrip(ofSession, tabs).active?.id;
  }, [commands, openSessionId, tabs]);
  const { rows, hidden, running, leftBehind, finished } = useMemo(
    () => jobRows(Object.values(commands)),
    [commands],
  );

  const wanting = rows.filter(needsPerson).length;
  const asked = useMemo(
    () =>
      Object.values(sessions).flatMap((session) =>
        askedOf(session).map((approval) => ({ approval, session })),
      ),
    [sessions],
  );

  return (
    <section className="jobs" aria-label="Jobs" data-region="Jobs" tabIndex={-1}>
      <div className="jobs-head">
        <IconButton
          name={isOpen ? 'Collapse jobs' : 'Expand jobs'}
          hint={keysOf('jobs.toggle')}
          aria-expanded={isOpen}
          onClick={() => useView.getState().setJobsOpen(!isOpen)}
        >
          {isOpen ? <ChevronDown size={14} aria-hidden="true" /> : <ChevronUp size={14} aria-hidden="true" />}
        </IconButton>
        <h2>Jobs</h2>
        <span className="muted num">{running} running</span>
        {asked.length > 0 && <span className="muted num">{asked.length} asked for</span>}
        {wanting > 0 && <span className="jobs-wanting num">{plural(wanting, 'needs you', 'need you')}</span>}
        {leftBehind > 0 && <span className="muted num">{leftBehind} left something running</span>}
        <span className="grow" />
        {finished > 0 && (
          <Button look="plain" onClick={() => void attempt(() => call('commands.clearFinished', {}))}>
            Clear finished
          </Button>
        )}
        {running + leftBehind > 0 && <StopAll alive={running + leftBehind} />}
      </div>
      {isOpen && (
        <div className="jobs-body">
          {rows.length === 0 && asked.length === 0 ? (
            <p className="quiet-note">Nothing runs. Every command of every session is listed here.</p>
          ) : (
            <table>
              <colgroup>
                <col className="col-state" />
                <col className="col-command" />
                <col className="col-session" />
                <col className="last" />
                <col className="col-port" />
                <col className="col-figure" />
                <col className="col-figure" />
                <col className="col-output" />
                <col className="col-time" />
                <col className="col-actions" />
              </colgroup>
              <thead>
                <tr>
                  <th scope="col">State</th>
                  <th scope="col">Command</th>
                  <th scope="col" className="owner">
                    Session
                  </th>
                  <th scope="col" className="last">
                    Last line
                  </th>
                  <th scope="col">Port</th>
                  <th scope="col" className="right figure">
                    CPU
                  </th>
                  <th scope="col" className="right figure">
                    Memory
                  </th>
                  <th scope="col" className="right size">
                    Output
                  </th>
                  <th scope="col" className="right">
                    Time
                  </th>
                  <th scope="col">
                    <span className="visually-hidden">Actions</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {asked.map(({ approval, session }) => (
                  <AskedRow
                    key={`${session.id} ${approval.toolCallId}`}
                    approval={approval}
                    session={session}
                  />
                ))}
                {rows.map((command) => (
                  <JobRow
                    key={command.id}
                    command={command}
                    sessionTitle={sessions[command.sessionId]?.title ?? ''}
                    isShown={command.id === shownId}
                  />
                ))}
              </tbody>
            </table>
          )}
          {hidden > 0 && (
            <p className="quiet-note">
              The newest {MOST_ROWS} are shown; {plural(hidden, 'older one')} {hidden === 1 ? 'is' : 'are'}{' '}
              not.
            </p>
          )}
        </div>
      )}
    </section>
  );
}

/** Asks once, in place, before everything is stopped: what runs, and what ended commands left. */
function StopAll({ alive }: { alive: number }) {
  const [isAsking, setAsking] = useState(false);
  const no = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isAsking) no.current?.focus();
  }, [isAsking]);
  if (!isAsking) {
    return (
      <Button look="danger" onClick={() => setAsking(true)}>
        Stop all
      </Button>
    );
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields
    <span className="stop-all" role="group" aria-label="Stop all">
      <span className="num">Stop {plural(alive, 'command')}?</span>
      <Button
        look="danger"
        onClick={() => {
          setAsking(false);
          void attempt(() => call('commands.stopAll', {}));
        }}
      >
        Yes
      </Button>
      <Button
        ref={no}
        onClick={() => setAsking(false)}
        onKeyDown={(event) => event.key === 'Escape' && setAsking(false)}
      >
        No
      </Button>
    </span>
  );
}
