import os from 'node:os';
import { getSystemErrorName } from 'node:util';

// Of two names for one number the first is the usual one: SIGABRT before SIGIOT, SIGIO before SIGPOLL.
const signalNames = new Map<number, string>();
for (const [name, number] of Object.entries(os.constants.signals)) {
  if (!signalNames.has(number)) signalNames.set(number, name);
}

/** Name of a signal; real-time signals, which Node does not name, are told by number: `SIG34`. */
export function signalName(number: number): string {
  return signalNames.get(number) ?? `SIG${number}`;
}

/** The system's own name of an error number, for instance ENOENT. */
export function errnoName(errno: number): string {
  try {
    return getSystemErrorName(-errno);
  } catch {
    return `E${errno}`;
  }
}

/** The system's own name of a failed call's error, if it has one. */
export function errnoOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
