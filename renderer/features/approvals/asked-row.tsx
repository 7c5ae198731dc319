import type { Approval } from '../../../shared/model/approval.ts';
import type { SessionView } from '../../../shared/model/session.ts';
import { Button } from '../../ui/button.tsx';
import { Elapsed } from '../../ui/elapsed.tsx';
import { StateDot } from '../../ui/state-dot.tsx';
import { oneLine } from '../commands/command-text.ts';
import { showQuestion } from './approval-actions.ts';
import { visibleCommand } from './approval-words.ts';

/** A command in the job list that waits for an answer. It is answered in the chat, where all of it is seen. */
export function AskedRow({ approval, session }: { approval: Approval; session: SessionView }) {
  const cmd = visibleCommand(approval.cmd);
  const marks = approval.marks.map(({ text }) => text).join(' ');
  return (
    <tr aria-label={`Asked: ${cmd}`}>
      <td>
        <span className="state">
          <StateDot tone="idle" />
          Asks
        </span>
      </td>
      <td className="mono" title={cmd}>
        {oneLine(cmd)}
      </td>
      <td className="muted owner" title={session.title}>
        {session.title}
      </td>
      <td className="muted last" title={marks}>
        {marks}
      </td>
      <td />
      <td className="figure" />
      <td className="figure" />
      <td className="size" />
      <td className="right num">
        <Elapsed since={approval.askedAt} until={null} />
      </td>
      <td>
        <span className="row-actions">
          <Button onClick={() => showQuestion(session.id)}>Answer</Button>
        </span>
      </td>
    </tr>
  );
}
