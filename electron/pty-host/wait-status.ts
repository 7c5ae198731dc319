import { signalName } from './system-names.ts';

/** How a process ended, as waitpid told it. Exactly one of the two is not null. */
export interface WaitStatus {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** Reads a raw wait status (POSIX: low seven bits signal, next byte exit code). */
export function decodeWaitStatus(raw: number): WaitStatus {
  const signal = raw & 0x7f;
  return signal === 0
    ? { exitCode: (raw >> 8) & 0xff, signal: null }
    : { exitCode: null, signal: signalName(signal) };
}
