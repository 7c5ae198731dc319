import { useCallback, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { CommandView } from '../../../shared/model/command.ts';
import { Button } from '../../ui/button.tsx';
import { formatBytes } from '../../ui/byte-size.ts';
import { Elapsed } from '../../ui/elapsed.tsx';
import { openLog, stopCommand } from '../commands/command-actions.ts';
import { oneLine } from '../commands/command-text.ts';
import { StateLabel } from '../commands/state-label.tsx';
import { isLive, stopLabel } from '../commands/state-words.ts';
import { FindBox } from './find-box.tsx';
import { onFindAsked } from './find-requests.ts';
import { findTerminal, showTerminalIn, terminalStatus } from './registry.ts';

/** One terminal with its header. The xterm itself lives in the registry and is only placed here. */
export function TerminalPane({ command }: { command: CommandView }) {
  const { id } = command;
  const place = useRef<HTMLDivElement>(null);
  const tell = useRef<() => void>(() => undefined);
  const [isFinding, setFinding] = useState(false);
  const live = isLive(command);

  const subscribe = useCallback((listener: () => void) => {
    tell.current = listener;
    return () => {
      tell.current = () => undefined;
    };
  }, []);
  const status = useSyncExternalStore(subscribe, () => terminalStatus(id));

  const latest = useRef(command);
  latest.current = command;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another command is another terminal
  useLayoutEffect(() => {
    if (place.current === null) return;
    return showTerminalIn(latest.current, place.current, () => tell.current());
  }, [id]);
  useEffect(() => onFindAsked(id, () => setFinding(true)), [id]);

  return (
    <section className="pane" id={`pane-${id}`} aria-label={`Terminal: ${command.cmd}`}>
      <div className="pane-head">
        <span className="mono cut" title={command.cmd}>
          {oneLine(command.cmd)}
        </span>
        <StateLabel command={command} />
        {!live && <Elapsed since={command.startedAt} until={command.endedAt} />}
        <span className="grow" />
        {status.gapBytes > 0 && <span className="gap">{formatBytes(status.gapBytes)} missing here</span>}
        {live && !status.isConnected && <span>Connecting</span>}
        {live && status.isConnected && <span className="pane-hint cut">Typing goes to the command</span>}
        {status.cols > 0 && (
          <span className="num pane-size">
            {status.cols} × {status.rows}
          </span>
        )}
        {live ? (
          <Button look="quiet-danger" onClick={() => stopCommand(id)}>
            {stopLabel(command)}
          </Button>
        ) : (
          <Button look="plain" onClick={() => openLog(id)}>
            Open log
          </Button>
        )}
      </div>
      <div className="pane-body">
        {isFinding && (
          <FindBox
            commandId={id}
            onClose={() => {
              setFinding(false);
              findTerminal(id)?.focus();
            }}
          />
        )}
        <div className="pane-place" ref={place} />
      </div>
    </section>
  );
}
