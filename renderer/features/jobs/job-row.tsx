import { type MouseEvent, memo } from 'react';
import type { CommandView } from '../../../shared/model/command.ts';
import { Button } from '../../ui/button.tsx';
import { formatBytes } from '../../ui/byte-size.ts';
import { Elapsed } from '../../ui/elapsed.tsx';
import { detachCommand, openLog, showCommand, stopCommand } from '../commands/command-actions.ts';
import { oneLine } from '../commands/command-text.ts';
import { Ports } from '../commands/ports.tsx';
import { cpuWords, memoryWords, portsOf } from '../commands/resource-words.ts';
import { StateLabel } from '../commands/state-label.tsx';
import { canDetach, isLive, stopLabel } from '../commands/state-words.ts';

interface JobRowProps {
  readonly command: CommandView;
  readonly sessionTitle: string;
  /** Its terminal is in front. */
  readonly isShown: boolean;
}

/** One command of the table. A click anywhere shows it; the button does so for the keyboard. */
export const JobRow = memo(function JobRow({ command, sessionTitle, isShown }: JobRowProps) {
  const live = isLive(command);
  const lastLine = command.tail.findLast((line) => line.trim() !== '') ?? '';
  const show = (event: MouseEvent<HTMLElement>) => {
    if (event.target instanceof Element && event.target.closest('button') === null) showCommand(command);
  };
  return (
    <tr className={isShown ? 'on' : ''} aria-label={command.cmd} onClick={show}>
      <td>
        <StateLabel command={command} hasDot />
      </td>
      <td className="mono" title={`${command.cmd}\n\n${sessionTitle}`}>
        {oneLine(command.cmd)}
      </td>
      <td className="muted owner" title={sessionTitle}>
        {sessionTitle}
      </td>
      <td className="mono muted last" title={lastLine}>
        {lastLine}
      </td>
      <td className="num cut-cell">
        <Ports ports={portsOf(command)} />
      </td>
      <td className="right num figure">{cpuWords(command)}</td>
      <td className="right num figure">{memoryWords(command)}</td>
      <td className="right num size">{formatBytes(command.outputBytes)}</td>
      <td className="right num">
        <Elapsed since={command.startedAt} until={command.endedAt} />
      </td>
      <td>
        <span className="row-actions">
          <Button onClick={() => showCommand(command)}>Show</Button>
          {canDetach(command) && <Button onClick={() => detachCommand(command.id)}>Detach</Button>}
          {live && (
            <Button look="danger" onClick={() => stopCommand(command.id)}>
              {stopLabel(command)}
            </Button>
          )}
          {!live && <Button onClick={() => openLog(command.id)}>Open log</Button>}
          {!live && command.descendants.length > 0 && (
            <Button look="danger" onClick={() => stopCommand(command.id)}>
              Stop it
            </Button>
          )}
        </span>
      </td>
    </tr>
  );
});
