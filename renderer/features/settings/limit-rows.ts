import type { Limits } from '../../../shared/limits.ts';

/** A limit that a person understands, with its reason. */
export interface LimitRow {
  readonly name: keyof Limits;
  readonly label: string;
  readonly reason: string;
  readonly unit: '' | 's' | 'h' | 'MB';
  /** In its unit. */
  readonly min: number;
  readonly max: number;
}

export const LIMIT_ROWS: readonly LimitRow[] = [
  {
    name: 'foregroundMs',
    label: 'Detach a command in the foreground after',
    reason: 'It goes on in the background; the chat is free.',
    unit: 's',
    min: 0.1,
    max: 86_400,
  },
  {
    name: 'quietAfterMs',
    label: 'Hand a quiet command off after',
    reason: 'No output and six empty looks by the agent.',
    unit: 's',
    min: 0.1,
    max: 86_400,
  },
  {
    name: 'stopGraceMs',
    label: 'Stop: wait before killing',
    reason: 'Time for a program to clean up after TERM.',
    unit: 's',
    min: 0.1,
    max: 600,
  },
  {
    name: 'maxLiveCommandsPerSession',
    label: 'Commands at once in a session',
    reason: 'One more is refused; none is ended to make room.',
    unit: '',
    min: 1,
    max: 1000,
  },
  {
    name: 'maxLiveCommands',
    label: 'Commands at once in all sessions',
    reason: 'The same, for everything that runs.',
    unit: '',
    min: 1,
    max: 1000,
  },
  {
    name: 'waitLeaseMs',
    label: 'Wake a waiting chat after',
    reason: 'The agent looks again; the command runs on.',
    unit: 'h',
    min: 0.1,
    max: 500,
  },
  {
    name: 'logQuotaBytes',
    label: 'Output kept per command',
    reason: 'Above it the middle is dropped and the gap is shown.',
    unit: 'MB',
    min: 1,
    max: 1_000_000,
  },
];

const SIZES = { '': 1, s: 1000, h: 3_600_000, MB: 1024 * 1024 } as const;

/** A value in the unit that people read. */
export const inUnit = (row: LimitRow, value: number): number =>
  Math.round((value / SIZES[row.unit]) * 1000) / 1000;

/** A text in the unit of the limit as its value; null when it is none, or out of bounds. */
export function fromUnit(row: LimitRow, text: string): number | null {
  const number = Number(text.trim().replace(',', '.'));
  if (text.trim() === '' || !Number.isFinite(number) || number < row.min || number > row.max) return null;
  return Math.round(number * SIZES[row.unit]);
}
