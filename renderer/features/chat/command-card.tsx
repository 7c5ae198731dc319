import { memo, type ReactNode, useState } from 'react';
import type { ApprovalAnswer } from '../../../shared/model/approval.ts';
import type { CommandView } from '../../../shared/model/command.ts';
import type { ToolMessage } from '../../../shared/model/message.ts';
import { useFacts } from '../../stores/facts.ts';
import { Button } from '../../ui/button.tsx';
import { Elapsed } from '../../ui/elapsed.tsx';
import { StateDot, type Tone } from '../../ui/state-dot.tsx';
import { ApprovalCard } from '../approvals/approval-card.tsx';
import { detachCommand, openLink, openLog, showCommand, stopCommand } from '../commands/command-actions.ts';
import { oneLine, plural } from '../commands/command-text.ts';
import { Ports } from '../commands/ports.tsx';
import { StateLabel } from '../commands/state-label.tsx';
import {
  canDetach,
  dotTone,
  isLive,
  needsPerson,
  stopLabel,
  wantedSentence,
} from '../commands/state-words.ts';
import { errorCode, errorSentence, textField } from './timeline.ts';

const LAST_LINES = 5;

interface CommandCardProps {
  readonly sessionId: string;
  readonly toolCallId: string;
  readonly cmd: string;
  readonly result: ToolMessage | null;
}

/** A command in the chat, in place of the tool call that started it. */
export const CommandCard = memo(function CommandCard({
  sessionId,
  toolCallId,
  cmd,
  result,
}: CommandCardProps) {
  const command = useFacts(({ commands }) => findByToolCall(commands, toolCallId));
  const approval = useFacts(({ sessions }) =>
    sessions[sessionId]?.approvals.find((one) => one.toolCallId === toolCallId),
  );
  if (command !== undefined) return <LiveCard command={command} />;
  if (approval?.answer === null && result === null)
    return <ApprovalCard sessionId={sessionId} approval={approval} />;
  return <CardWithoutCommand cmd={cmd} result={result} answer={approval?.answer ?? null} />;
});

function findByToolCall(commands: Readonly<Record<string, CommandView>>, toolCallId: string) {
  for (const id in commands) if (commands[id]?.toolCallId === toolCallId) return commands[id];
  return undefined;
}

/** The last lines, without empty ones before and after. */
function lastLines(tail: readonly string[]): readonly string[] {
  const isText = (line: string) => line.trim() !== '';
  const end = tail.findLastIndex(isText) + 1;
  const shown = tail.slice(Math.max(0, end - LAST_LINES), end);
  return shown.slice(Math.max(0, shown.findIndex(isText)));
}

function Card({
  cmd,
  isWanting = false,
  tone,
  state,
  children,
}: {
  cmd: string;
  /** Marked, because a person is wanted. */
  isWanting?: boolean;
  tone: Tone;
  state: ReactNode;
  children?: ReactNode;
}) {
  const [isWhole, setWhole] = useState(false);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields
    <div className={`card ${isWanting ? 'wanting' : ''}`} role="group" aria-label={`Command: ${cmd}`}>
      <div className={`card-row ${isWhole ? 'whole' : ''}`}>
        <StateDot tone={tone} />
        <button
          type="button"
          className="card-cmd"
          title={cmd}
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          <code className="cmd-text">{isWhole ? cmd : oneLine(cmd)}</code>
        </button>
        <span className="card-state">{state}</span>
      </div>
      {children}
    </div>
  );
}

function LiveCard({ command }: { command: CommandView }) {
  const lines = lastLines(command.tail);
  const live = isLive(command);
  return (
    <Card
      cmd={command.cmd}
      isWanting={needsPerson(command)}
      tone={dotTone(command)}
      state={
        <>
          <Ports ports={live ? (command.attention?.ports ?? []) : []} isLong />
          <StateLabel command={command} />
          <Elapsed since={command.startedAt} until={command.endedAt} />
        </>
      }
    >
      {lines.length > 0 && <pre className="card-tail selectable">{lines.join('\n')}</pre>}
      <Wanted command={command} />
      <Ending command={command} />
      <div className={`card-foot ${live ? '' : 'ended'}`}>
        <Button look={live ? 'outline' : 'plain'} onClick={() => showCommand(command)}>
          Show terminal
        </Button>
        {canDetach(command) && <Button onClick={() => detachCommand(command.id)}>Detach</Button>}
        {!live && (
          <Button look="plain" onClick={() => openLog(command.id)}>
            Open log
          </Button>
        )}
        <span className="grow" />
        {live && (
          <Button look="danger" onClick={() => stopCommand(command.id)}>
            {stopLabel(command)}
          </Button>
        )}
        {!live && command.descendants.length > 0 && (
          <Button look="danger" onClick={() => stopCommand(command.id)}>
            Stop it
          </Button>
        )}
      </div>
    </Card>
  );
}

/** What a running command wants of a person. */
function Wanted({ command }: { command: CommandView }) {
  if (!needsPerson(command)) return null;
  return <p className="card-body">{wantedSentence(command)}</p>;
}

/** What there is to say about an end beside its words: who stopped it, what is unknown, what still lives. */
function Ending({ command }: { command: CommandView }) {
  const sentence = endingSentence(command);
  const { descendants } = command;
  if (isLive(command) || (sentence === null && descendants.length === 0)) return null;
  return (
    <div className="card-body selectable">
      {sentence !== null && <p>{sentence}</p>}
      {descendants.length > 0 && (
        <p>
          {aliveWords(command)}:{' '}
          {descendants.map(({ pid, name, ports }, index) => (
            <span key={pid}>
              {index > 0 && ', '}
              {name} {pid}
              {ports.map((port, at) => (
                <span key={port}>
                  {at === 0 ? ' on ' : ', '}
                  <button
                    type="button"
                    className="link"
                    title={`Open http://localhost:${port}`}
                    onClick={() => openLink(`http://localhost:${port}`)}
                  >
                    localhost:{port}
                  </button>
                </span>
              ))}
            </span>
          ))}
        </p>
      )}
    </div>
  );
}

/** After a stop those are left that no signal ends: another user's, or what hangs in the kernel. */
function aliveWords({ state, descendants }: CommandView): string {
  const count = plural(descendants.length, 'process', 'processes');
  if (state === 'stopped' || state === 'timeout') return `${count} could not be ended, not even by SIGKILL`;
  return `${count} it started still ${descendants.length === 1 ? 'runs' : 'run'}`;
}

function endingSentence({ state, by }: CommandView): string | null {
  if (state === 'lost') return 'Its exit is unknown; the output up to then is kept.';
  if (state === 'stopped' && by === 'agent') return 'Stopped by the agent.';
  if (state === 'stopped' && by === 'quit') return 'Stopped when the app quit.';
  return null;
}

/** Before the command has started, after a refusal, or when nothing is known of it any more. */
function CardWithoutCommand({
  cmd,
  result,
  answer,
}: {
  cmd: string;
  result: ToolMessage | null;
  answer: ApprovalAnswer | null;
}) {
  if (result === null) {
    const words = answer === null ? 'Starting' : answer.kind === 'allow' ? 'Allowed' : 'Refused';
    return <Card cmd={cmd} tone="idle" state={<span className="state idle">{words}</span>} />;
  }
  if (!result.isError) {
    const status = textField(result.result, 'status') ?? 'ended';
    return <Card cmd={cmd} tone="idle" state={<span className="state idle">{status}</span>} />;
  }
  const isRefused = errorCode(result.result) === 'awaiting_approval_denied';
  const tone = isRefused ? 'idle' : 'fail';
  return (
    <Card
      cmd={cmd}
      tone={tone}
      state={<span className={`state ${tone}`}>{isRefused ? 'Refused' : 'Not started'}</span>}
    >
      <div className="card-body selectable">{errorSentence(result.result)}</div>
    </Card>
  );
}
