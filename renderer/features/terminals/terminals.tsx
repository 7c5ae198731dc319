import { X } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useMemo } from 'react';
import { useShallow } from 'zustand/shallow';
import { useFacts } from '../../stores/facts.ts';
import { useView } from '../../stores/view.ts';
import { StateDot } from '../../ui/state-dot.tsx';
import { showCommand } from '../commands/command-actions.ts';
import { shortCommand } from '../commands/command-text.ts';
import { dotTone, isLive } from '../commands/state-words.ts';
import { neighbourOf, tabStrip } from './tabs.ts';
import { TerminalPane } from './terminal-pane.tsx';
import './terminals.css';

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step === undefined) return;
  const tabs = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')];
  const at = tabs.indexOf(document.activeElement as HTMLElement);
  if (at < 0) return;
  event.preventDefault();
  tabs[(at + step + tabs.length) % tabs.length]?.focus();
}

/** The region on the right: the terminals of the open session, one tab a command. */
export function Terminals({ controls }: { controls?: ReactNode }) {
  const sessionId = useView((view) => view.openSessionId);
  const tabs = useView((view) => (sessionId === null ? undefined : view.tabs[sessionId]));
  const commands = useFacts(
    useShallow((facts) => Object.values(facts.commands).filter((command) => command.sessionId === sessionId)),
  );
  const strip = useMemo(() => tabStrip(commands, tabs), [commands, tabs]);
  const { active } = strip;

  return (
    <section className="terminals" aria-label="Terminals" data-region="Terminals" tabIndex={-1}>
      <div className="tabs">
        <div className="tab-list" role="tablist" aria-label="Open terminals" onKeyDown={moveFocus}>
          {strip.commands.map((command) => {
            const isActive = command.id === active?.id;
            return (
              <span className={`tab ${isActive ? 'on' : ''}`} key={command.id} role="presentation">
                <button
                  type="button"
                  role="tab"
                  id={`tab-${command.id}`}
                  aria-selected={isActive}
                  aria-controls={isActive ? `pane-${command.id}` : undefined}
                  tabIndex={isActive ? 0 : -1}
                  title={command.cmd}
                  onClick={() => showCommand(command)}
                >
                  <StateDot tone={dotTone(command)} />
                  {shortCommand(command.cmd)}
                </button>
                {!isLive(command) && (
                  <button
                    type="button"
                    className="tab-close"
                    aria-label={`Close terminal: ${command.cmd}`}
                    title="Close"
                    tabIndex={isActive ? 0 : -1}
                    onClick={() =>
                      useView
                        .getState()
                        .closeTerminal(command.sessionId, command.id, neighbourOf(strip.commands, command.id))
                    }
                  >
                    <X size={12} aria-hidden="true" />
                  </button>
                )}
              </span>
            );
          })}
        </div>
        <span className="grow" />
        {controls}
      </div>
      {active === null ? (
        <div className="terminals-empty">
          <p className="quiet-note">No terminal is open. A command that runs is shown here.</p>
        </div>
      ) : (
        <TerminalPane key={active.id} command={active} />
      )}
    </section>
  );
}
