import { Check, ChevronDown } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import type { SessionView } from '../../../shared/model/session.ts';
import { call } from '../../bridge/client.ts';
import { useFacts } from '../../stores/facts.ts';
import { attempt } from '../../stores/notices.ts';
import { useView } from '../../stores/view.ts';
import { agentChoices, agentName, isGuest } from './agent-names.ts';
import './agents.css';

/** Gives a session another agent, from its next turn on. */
export const chooseAgent = (sessionId: string, providerId: string): void =>
  void attempt(() => call('session.setProvider', { sessionId, providerId }));

/** The agent of a session, and the menu of those that it can have. */
export function AgentMenu({ session }: { session: SessionView | null }) {
  const settings = useFacts((facts) => facts.settings);
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const provider = session?.provider ?? settings.providers.defaultProvider;
  const name = agentName(provider, settings) ?? 'removed';

  useEffect(() => {
    if (!isOpen) return;
    root.current?.querySelector<HTMLElement>('[aria-checked="true"], [role^="menuitem"]')?.focus();
    const onPointerDown = (event: PointerEvent) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', onPointerDown);
    return () => document.removeEventListener('pointerdown', onPointerDown);
  }, [isOpen]);

  if (session === null || isGuest(provider)) return <span className="agent">{name}</span>;

  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (!isOpen) return;
    const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role^="menuitem"]')];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const target = {
      ArrowDown: items[(at + 1) % items.length],
      ArrowUp: items[(at - 1 + items.length) % items.length],
      Home: items[0],
      End: items.at(-1),
    }[event.key];
    if (event.key === 'Escape') close();
    else if (event.key === 'Tab') setOpen(false);
    else if (target) target.focus();
    else return;
    if (event.key !== 'Tab') event.preventDefault();
    event.stopPropagation();
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move among the items inside
    <div className="agent-menu" ref={root} onKeyDown={onKeyDown}>
      <button
        type="button"
        className="agent-button"
        ref={button}
        aria-label={`Agent: ${name}`}
        title="The agent of this session, from its next turn on"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        <span className="cut">{name === 'removed' ? 'Agent removed' : name}</span>
        <ChevronDown size={12} aria-hidden="true" />
      </button>
      {isOpen && (
        <div className="menu" role="menu" id={id} aria-label="Agent of this session">
          {agentChoices(settings).map((choice) => (
            <button
              type="button"
              role="menuitemradio"
              key={choice.id}
              tabIndex={-1}
              aria-checked={choice.id === provider}
              onClick={() => {
                close();
                if (choice.id !== provider) chooseAgent(session.id, choice.id);
              }}
            >
              <Check size={13} className="menu-check" aria-hidden="true" />
              <span className="menu-name cut">{choice.name}</span>
              <span className="menu-detail cut">{choice.detail}</span>
            </button>
          ))}
          <hr className="menu-line" />
          <button
            type="button"
            role="menuitem"
            tabIndex={-1}
            onClick={() => {
              close();
              useView.getState().openSettings({ endpointId: null });
            }}
          >
            <span className="menu-name">Set up models</span>
          </button>
        </div>
      )}
    </div>
  );
}

/** Says that a session's agent is not set up any more, and offers what there is. */
export function AgentRemoved({ session }: { session: SessionView | null }) {
  const settings = useFacts((facts) => facts.settings);
  if (session === null || agentName(session.provider, settings) !== null) return null;
  const fallback = agentChoices(settings).find(({ id }) => id === settings.providers.defaultProvider);
  return (
    <div className="agent-removed" role="status">
      <span className="grow">
        <b>The agent of this session was removed.</b> <span className="muted">The conversation is kept.</span>
      </span>
      {fallback && (
        <button
          type="button"
          className="btn btn-outline"
          onClick={() => chooseAgent(session.id, fallback.id)}
        >
          Use {fallback.name}
        </button>
      )}
    </div>
  );
}
