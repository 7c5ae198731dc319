import type { Limits } from '../../../shared/limits.ts';
import type { CommandId } from '../../../shared/model/ids.ts';
import type { SessionView } from '../../../shared/model/session.ts';
import type { Commands } from '../../supervisor/commands.ts';
import type { Clock, CommandHost, FindLine } from '../../supervisor/ports.ts';
import { watchCondition } from '../../supervisor/wait-conditions.ts';
import { arm, type WaitEnd, type WaitRequest, waitEnd } from '../../supervisor/wait-machine.ts';

export interface BlockingWaitOptions {
  readonly commands: Commands;
  readonly host: CommandHost;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly findLine: FindLine;
  /** Calls back when the end of a command was saved. Returns the way out. */
  readonly onTerminal: (listener: (id: CommandId) => void) => () => void;
}

/** Waits for what a session of the app would sleep for, but inside a call. Null when it was aborted. */
export function blockingWait(
  view: SessionView,
  request: WaitRequest,
  signal: AbortSignal,
  { commands, host, clock, limits, findLine, onTerminal }: BlockingWaitOptions,
): Promise<WaitEnd | null> {
  const { wait } = arm(view, request, clock.now(), limits.waitLeaseMs);
  if (wait === null || signal.aborted) return Promise.resolve(null);
  return new Promise((resolve) => {
    let isOver = false;
    let met: WaitEnd | null = null;
    const cancels: (() => void)[] = [];
    const finish = (end: WaitEnd | null) => {
      isOver = true;
      for (const cancel of cancels.splice(0)) cancel();
      resolve(end);
    };
    // Only what was saved of an end can be told.
    const hasEnded = (id: CommandId) => commands.record(id)?.isEndSaved ?? true;
    const look = () => {
      const end = isOver ? null : waitEnd(wait, hasEnded, met, clock.now());
      if (end === null) return;
      // The line may stand in the output that came with the end, which is being read just now.
      if (end.kind === 'ended' && wait.until.kind === 'match')
        cancels.push(clock.after(limits.wakeMergeMs, () => finish(met ?? end)));
      else finish(end);
    };
    const limitAt = Math.min(wait.leaseUntil, wait.deadlineAt ?? wait.leaseUntil);
    const lookAtLimit = () => {
      look();
      // A timer may fire a little before its time.
      if (!isOver) cancels.push(clock.after(Math.max(1, limitAt - clock.now()), lookAtLimit));
    };
    const onAbort = () => finish(null);
    signal.addEventListener('abort', onAbort, { once: true });
    cancels.push(() => signal.removeEventListener('abort', onAbort));
    cancels.push(
      onTerminal((id) => {
        if (wait.commandIds.includes(id)) look();
      }),
    );
    cancels.push(
      watchCondition(wait, {
        host,
        clock,
        findLine,
        outputBytes: (id) => commands.record(id)?.outputBytes ?? 0,
        onMet: (end) => {
          met = end;
          look();
        },
      }),
    );
    lookAtLimit();
  });
}
