import { ATTENTION_POLLING_MS } from '../../shared/limits.ts';
import type { Attention } from '../../shared/model/attention.ts';
import type { TerminalModes } from './command-process.ts';
import type { TerminalReaders } from './terminal-readers.ts';

/** What was seen of a living command at one moment. */
export interface Sight {
  readonly readers: TerminalReaders;
  /** Null when nobody reads, or when they cannot be told. */
  readonly modes: TerminalModes | null;
  /** Ports by the processes that listen on them. */
  readonly ports: ReadonlyMap<number, readonly number[]>;
}

/**
 * What a command wants of a person. Silence alone is never a wish for input. Who sleeps in a read of the terminal wants
 * it, unless that process serves; who only polls the terminal may be a server with keys, so it does not when anything of
 * the command serves, nor before the command was silent for long enough to have opened its port.
 *
 * @param silentMs since its last output, or its start
 */
export function attentionOf(sight: Sight, silentMs: number, quietAfterMs: number): Attention | null {
  const { reading, polling } = sight.readers;
  const ports = portsOf(sight.ports);
  if (asksForSecret(sight)) return { kind: 'needs-secret', ports };
  const isServing = ports.length > 0;
  const polls = polling.length > 0 && !isServing && silentMs >= ATTENTION_POLLING_MS;
  const wantsInput = reading.some((pid) => !sight.ports.has(pid)) || polls;
  if (wantsInput) return { kind: 'needs-input', ports };
  if (isServing) return { kind: 'serving', ports };
  return silentMs >= quietAfterMs ? { kind: 'quiet', ports } : null;
}

/** Each port once, ascending. */
export function portsOf(ports: Sight['ports']): number[] {
  return [...new Set([...ports.values()].flat())].sort((a, b) => a - b);
}

/** Somebody reads with the echo off and line mode on: a password. Programs that edit a line themselves have both off. */
export function asksForSecret({ readers, modes }: Pick<Sight, 'readers' | 'modes'>): boolean {
  const hasReader = readers.reading.length + readers.polling.length + readers.hidden.length > 0;
  return hasReader && modes !== null && !modes.echo && modes.lineMode;
}
