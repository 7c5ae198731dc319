import type { Descendant } from '../../shared/model/command.ts';
import type { CommandId } from '../../shared/model/ids.ts';
import type { HostCommand } from '../../shared/protocol/host.ts';
import { elapsedInWords, processInWords } from '../supervisor/completion.ts';
import { shortIds } from './short-id.ts';

/** One line of the list of all that lives. */
export interface Job {
  readonly id: CommandId;
  /** Names it among those of the list. */
  readonly short: string;
  readonly state: 'running' | 'stopping' | 'ended';
  readonly attention: 'needs-secret' | 'needs-input' | 'serving' | 'quiet' | 'disk-full' | null;
  readonly ports: readonly number[];
  /** ISO 8601. */
  readonly startedAt: string;
  readonly ageSeconds: number;
  /** Title of the session that it belongs to, or the program that runs it. */
  readonly owner: string;
  readonly command: string;
  readonly folder: string;
  readonly pid: number;
  /** What an ended command left running. */
  readonly left: readonly Descendant[];
}

/** A command that lives itself, or left something running. */
export const isAlive = ({ exit, descendants }: HostCommand): boolean =>
  exit === null || descendants.length > 0;

/** What of the host's commands is alive, the oldest first. */
export function jobsOf(commands: readonly HostCommand[], now: number): Job[] {
  const alive = commands.filter(isAlive).sort((a, b) => a.startedAt - b.startedAt);
  const short = shortIds(alive.map(({ id }) => id));
  return alive.map((command) => ({
    id: command.id,
    short: short.get(command.id) ?? command.id,
    state: command.exit !== null ? 'ended' : command.stopping !== null ? 'stopping' : 'running',
    attention: command.isBlocked ? 'disk-full' : (command.attention?.kind ?? null),
    ports: command.attention?.ports ?? [],
    startedAt: new Date(command.startedAt).toISOString(),
    ageSeconds: Math.max(0, Math.floor((now - command.startedAt) / 1000)),
    owner: command.ownerName,
    command: command.cmd,
    folder: command.cwd,
    pid: command.pid,
    left: command.exit === null ? [] : command.descendants,
  }));
}

const HEAD = ['ID', 'STATE', 'AGE', 'FROM', 'COMMAND'];
const OWNER_WIDTH = 28;

/**
 * The jobs as a table for a terminal.
 *
 * @param width columns that a line may take; Infinity: nothing is cut but what would not be one line
 */
export function formatJobs(jobs: readonly Job[], width: number): string {
  const rows = jobs.map((job) => [
    job.short,
    stateInWords(job),
    elapsedInWords(job.ageSeconds * 1000),
    cut(oneLine(job.owner), OWNER_WIDTH),
    oneLine(job.command),
  ]);
  const widths = HEAD.map((name, at) => Math.max(...[HEAD, ...rows].map((row) => lengthOf(row[at] ?? name))));
  const line = (row: readonly string[]) => {
    const cells = row.map((cell, at) =>
      at === row.length - 1 ? cell : cell + ' '.repeat((widths[at] ?? 0) - lengthOf(cell)),
    );
    return cut(cells.join('  '), width);
  };
  return [HEAD, ...rows].map(line).join('\n');
}

function stateInWords({ state, attention, ports, left }: Job): string {
  if (state === 'ended') return `ended, left ${describeLeft(left)}`;
  if (state === 'stopping') return 'stopping';
  switch (attention) {
    case 'needs-input':
      return 'needs input';
    case 'needs-secret':
      return 'needs a secret';
    case 'disk-full':
      return 'waits for disk space';
    case 'serving':
      return `serving ${ports.map((port) => `:${port}`).join(' ')}`;
    case 'quiet':
      return 'running, quiet';
    case null:
      return 'running';
  }
}

/** What is left, one after the other. */
export const describeLeft = (left: readonly Descendant[]): string => left.map(processInWords).join(', ');

/** On one line, and without control characters: those of a command or a title must not reach a terminal. */
export function oneLine(text: string): string {
  return text
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\p{Cc}/gu, '\u{fffd}');
}

const lengthOf = (text: string): number => Array.from(text).length;

function cut(text: string, width: number): string {
  const characters = Array.from(text);
  return characters.length <= width ? text : `${characters.slice(0, Math.max(0, width - 1)).join('')}…`;
}
