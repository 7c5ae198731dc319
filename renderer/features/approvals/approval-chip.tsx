import { ChevronDown, X } from 'lucide-react';
import { type RefObject, useEffect, useId, useRef, useState } from 'react';
import type { ApprovalRule } from '../../../shared/model/approval.ts';
import { approvalModeOf } from '../../../shared/model/approval-mode.ts';
import type { SessionView } from '../../../shared/model/session.ts';
import { call } from '../../bridge/client.ts';
import { useFacts } from '../../stores/facts.ts';
import { attempt } from '../../stores/notices.ts';
import { IconButton } from '../../ui/button.tsx';
import { setApprovals } from './approval-actions.ts';
import { MODE_WORDS, ruleWords, SETTINGS } from './approval-words.ts';
import './approvals.css';

/** How commands of this session are allowed, always in sight; opens the choice and the rules of its folder. */
export function ApprovalChip({ session }: { session: SessionView }) {
  const setting = useFacts((facts) => facts.settings.approvals);
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const mode = approvalModeOf(setting, session.provider);

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Esc in whatever is inside closes it
    <div
      className="approvals"
      ref={root}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return;
        event.stopPropagation();
        setOpen(false);
        button.current?.focus();
      }}
      onBlur={(event) => {
        if (event.relatedTarget !== null && !root.current?.contains(event.relatedTarget)) setOpen(false);
      }}
    >
      <button
        type="button"
        className={`chip approvals-chip ${mode}`}
        ref={button}
        aria-label={`Approvals: ${MODE_WORDS[mode]}`}
        title="How commands of agents are allowed"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {MODE_WORDS[mode]}
        <ChevronDown size={11} aria-hidden="true" />
      </button>
      {isOpen && <Panel id={id} workspace={session.workspace} root={root} onClose={() => setOpen(false)} />}
    </div>
  );
}

interface PanelProps {
  readonly id: string;
  readonly workspace: string;
  readonly root: RefObject<HTMLDivElement | null>;
  onClose(): void;
}

function Panel({ id, workspace, root, onClose }: PanelProps) {
  const setting = useFacts((facts) => facts.settings.approvals);
  const panel = useRef<HTMLDivElement>(null);

  useEffect(() => {
    panel.current?.querySelector<HTMLElement>('input:checked')?.focus();
  }, []);
  useEffect(() => {
    const onPointerDown = (event: PointerEvent) => {
      if (!root.current?.contains(event.target as Node)) onClose();
    };
    document.addEventListener('pointerdown', onPointerDown);
    return () => document.removeEventListener('pointerdown', onPointerDown);
  }, [root, onClose]);

  return (
    <div className="approvals-panel" id={id} role="dialog" aria-label="Approvals" ref={panel} tabIndex={-1}>
      <div role="radiogroup" aria-label="How commands of agents are allowed">
        {SETTINGS.map(([value, name, detail]) => (
          <label key={value} className="approvals-choice">
            <input
              type="radio"
              name={id}
              checked={setting === value}
              aria-describedby={`${id}-${value}`}
              onChange={() => setApprovals(value)}
            />
            <span>{name}</span>
            <small id={`${id}-${value}`}>{detail}</small>
          </label>
        ))}
      </div>
      <Rules workspace={workspace} />
    </div>
  );
}

/** The rules of a folder. Those of the moment in which it is shown: they are made by answers in the chat. */
function Rules({ workspace }: { workspace: string }) {
  const [rules, setRules] = useState<readonly ApprovalRule[] | null>(null);
  useEffect(() => {
    let isShown = true;
    void attempt(() => call('approvals.rules', { workspace })).then((found) => {
      if (isShown) setRules(found ?? null);
    });
    return () => {
      isShown = false;
    };
  }, [workspace]);

  const remove = (rule: ApprovalRule) =>
    void attempt(async () => {
      await call('approvals.deleteRule', { ruleId: rule.id });
      setRules((known) => known?.filter(({ id }) => id !== rule.id) ?? null);
    });

  return (
    <div className="approvals-rules">
      <h3>Allowed in this folder</h3>
      {rules?.length === 0 && <p className="faint">Nothing yet. "Always allow" in a question adds a rule.</p>}
      <ul>
        {rules?.map((rule) => (
          <li key={rule.id}>
            <code className="cmd-text cut" title={ruleWords(rule)}>
              {ruleWords(rule)}
            </code>
            <IconButton name={`Delete the rule ${ruleWords(rule)}`} onClick={() => remove(rule)}>
              <X size={12} aria-hidden="true" />
            </IconButton>
          </li>
        ))}
      </ul>
    </div>
  );
}
