import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react';
import type { Approval, ApprovalMark } from '../../../shared/model/approval.ts';
import { useFacts } from '../../stores/facts.ts';
import { Button } from '../../ui/button.tsx';
import { StateDot } from '../../ui/state-dot.tsx';
import { type Answer, answerApproval, composer, mayTakeFocus, moveToQuestion } from './approval-actions.ts';
import { alwaysWords, askedBecause, askedOf, visibleCommand } from './approval-words.ts';
import './approvals.css';

/** A question that has just come under somebody's fingers takes no yes before it can have been read. */
const ARM_MS = 500;

const GRAVE = new Set<ApprovalMark['kind']>(['deletes_outside', 'changes_user', 'kills_by_name']);

interface ApprovalCardProps {
  readonly sessionId: string;
  readonly approval: Approval;
}

/** A command that waits for an answer, in the place where its card will be. */
export function ApprovalCard({ sessionId, approval }: ApprovalCardProps) {
  const { toolCallId, cmd, marks } = approval;
  const workspace = useFacts(({ sessions }) => sessions[sessionId]?.workspace ?? '');
  const isFirst = useFacts(({ sessions }) => askedOf(sessions[sessionId])[0]?.toolCallId === toolCallId);
  const [isRefusing, setRefusing] = useState(false);
  const [isSending, setSending] = useState(false);
  const card = useRef<HTMLDivElement>(null);
  const once = useRef<HTMLButtonElement>(null);
  const refuse = useRef<HTMLButtonElement>(null);
  const { isArmed, arm } = useArming();
  const shown = visibleCommand(cmd);
  const always = alwaysWords(approval);

  useEffect(() => {
    if (!isFirst || !mayTakeFocus()) return;
    arm();
    once.current?.focus();
  }, [isFirst, arm]);

  const answer = async (how: Answer) => {
    if (isSending || (how.kind !== 'refuse' && !isArmed)) return;
    setSending(true);
    if (!(await answerApproval(sessionId, toolCallId, how))) setSending(false);
  };
  const closeReason = () => {
    setRefusing(false);
    requestAnimationFrame(() => refuse.current?.focus());
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.target instanceof HTMLInputElement) return;
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (event.key === 'Escape') refuse.current?.focus();
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (card.current) moveToQuestion(card.current, event.key === 'ArrowDown' ? 1 : -1);
    } else if (event.key === 'Enter' && event.repeat) {
      // A key that is held down answers one question, and not the next one too.
    } else {
      // Whoever begins to write means a message: the key goes on to where that is written.
      if (isPlain && event.key.length === 1 && event.key !== ' ') composer()?.focus();
      return;
    }
    event.preventDefault();
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields
    <div className="card ask" role="group" aria-label={`Approval: ${shown}`} ref={card} onKeyDown={onKeyDown}>
      <div className="card-row whole">
        <StateDot tone="idle" />
        <code className="cmd-text ask-cmd selectable">{shown}</code>
        <span className="state">Asks</span>
      </div>
      <div className="card-body selectable">
        {marks.map(({ kind, text }) => (
          <span key={kind} className={GRAVE.has(kind) ? 'ask-grave' : undefined}>
            {text}{' '}
          </span>
        ))}
        {askedBecause(approval, workspace)}
      </div>
      {isRefusing ? (
        <RefuseForm
          isSending={isSending}
          onRefuse={(reason) => void answer({ kind: 'refuse', reason })}
          onCancel={closeReason}
        />
      ) : (
        <div className="card-foot">
          <Button
            look="primary"
            ref={once}
            data-armed={isArmed}
            disabled={isSending}
            onClick={() => void answer({ kind: 'once' })}
          >
            Run once
          </Button>
          {always !== null && (
            <Button
              className="cut ask-always"
              title={always.title}
              data-armed={isArmed}
              disabled={isSending}
              onClick={() => void answer({ kind: 'always' })}
            >
              {always.label}
            </Button>
          )}
          <span className="grow" />
          <Button look="plain" ref={refuse} disabled={isSending} onClick={() => setRefusing(true)}>
            Refuse
          </Button>
        </div>
      )}
    </div>
  );
}

/** Unarmed for a moment from the start, and again each time that `arm` is called. */
function useArming(): { isArmed: boolean; arm: () => void } {
  const [isArmed, setArmed] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const arm = useCallback(() => {
    clearTimeout(timer.current);
    setArmed(false);
    timer.current = setTimeout(() => setArmed(true), ARM_MS);
  }, []);
  useEffect(() => {
    arm();
    return () => clearTimeout(timer.current);
  }, [arm]);
  return { isArmed, arm };
}

interface RefuseFormProps {
  readonly isSending: boolean;
  onRefuse(reason: string): void;
  onCancel(): void;
}

function RefuseForm({ isSending, onRefuse, onCancel }: RefuseFormProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <form
      className="card-foot"
      onSubmit={(event) => {
        event.preventDefault();
        onRefuse(field.current?.value ?? '');
      }}
    >
      <input
        className="ask-reason grow"
        ref={field}
        aria-label="Reason for the agent"
        placeholder="Reason for the agent (optional)"
        maxLength={1_000}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.preventDefault();
          onCancel();
        }}
      />
      <Button onClick={onCancel}>Cancel</Button>
      <Button look="danger" type="submit" disabled={isSending}>
        Refuse
      </Button>
    </form>
  );
}

/** Tells screen readers, when they are done with what they say, that something is asked. */
export function ApprovalAnnouncer({ sessionId }: { sessionId: string }) {
  const count = useFacts(({ sessions }) => askedOf(sessions[sessionId]).length);
  const cmd = useFacts(({ sessions }) => askedOf(sessions[sessionId])[0]?.cmd);
  return (
    <div className="visually-hidden" role="status">
      {cmd !== undefined &&
        `The agent asks to run ${visibleCommand(cmd).slice(0, 200)}${count > 1 ? `, and ${count - 1} more` : ''}`}
    </div>
  );
}
