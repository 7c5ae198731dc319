import os from 'node:os';
import type { ExitRecord } from '../../shared/protocol/host.ts';

/** `switchyard run` ended the command because of --timeout. */
export const TIMEOUT_STATUS = 124;
/** `switchyard run` itself failed, or did not see how the command ended. */
export const FAILURE_STATUS = 125;

export interface ExitStatus {
  readonly status: number;
  /** What a person should know of an end that is not the command's own; null when there is nothing. */
  readonly message: string | null;
}

/** The status with which `switchyard run` ends for a command that ended like this. */
export function exitStatus(exit: ExitRecord): ExitStatus {
  switch (exit.reason) {
    case 'timeout':
      return {
        status: TIMEOUT_STATUS,
        message: 'The command took longer than its --timeout and was stopped.',
      };
    case 'lost':
      return { status: FAILURE_STATUS, message: 'The command was lost: how it ended is not known.' };
    case 'stopped':
      return { status: ownStatus(exit), message: 'The command was stopped from outside.' };
    case 'exited':
      return { status: ownStatus(exit), message: null };
  }
}

function ownStatus({ exitCode, signal }: ExitRecord): number {
  if (exitCode !== null) return exitCode;
  const named = os.constants.signals[signal as NodeJS.Signals] as number | undefined;
  const number = named ?? Number(/^SIG(\d+)$/.exec(signal ?? '')?.[1] ?? Number.NaN);
  return Number.isNaN(number) ? FAILURE_STATUS : 128 + number;
}
