import { describe, expect, test } from 'vitest';
import {
  type GuardLook,
  type GuardState,
  look,
  NO_READOUTS,
} from '../../../electron/supervisor/quiet-guard.ts';
import { DEFAULT_LIMITS, GUARD_TRACKED_HANDLES } from '../../../shared/limits.ts';

const quiet: GuardLook = {
  commandId: 'c_aaaaaaaaaaaaaaaa',
  isRunning: true,
  newBytes: 0,
  hadInput: false,
  idleMs: 90_000,
};

function feed(looks: GuardLook[], state: GuardState = NO_READOUTS) {
  const verdicts = looks.map((seen) => {
    const verdict = look(state, seen, DEFAULT_LIMITS);
    state = verdict.state;
    return verdict;
  });
  return { verdicts, state };
}

describe('the quiet guard', () => {
  test('five polls never fire it, the sixth does, and the third advises', () => {
    const { verdicts } = feed(Array(6).fill(quiet));
    expect(verdicts.map((verdict) => verdict.hasFired)).toEqual([false, false, false, false, false, true]);
    expect(verdicts.map((verdict) => verdict.isAdvised)).toEqual([false, false, true, false, false, false]);
  });

  test('below 90 s of silence it never counts', () => {
    const { verdicts } = feed(Array(50).fill({ ...quiet, idleMs: 89_999 }));
    expect(verdicts.every((verdict) => verdict.count === 0 && !verdict.hasFired)).toBe(true);
  });

  test.each([
    ['output', { newBytes: 1 }],
    ['input', { hadInput: true }],
    ['the end', { isRunning: false }],
  ])('%s begins anew', (_name, change) => {
    const { verdicts } = feed([...Array(5).fill(quiet), { ...quiet, ...change }, ...Array(6).fill(quiet)]);
    expect(verdicts.map((verdict) => verdict.hasFired).indexOf(true)).toBe(11);
  });

  test('handles are counted apart', () => {
    const other = { ...quiet, commandId: 'c_bbbbbbbbbbbbbbbb' };
    const { verdicts } = feed([...Array(5).fill(quiet), ...Array(5).fill(other), quiet]);
    expect(verdicts.map((verdict) => verdict.hasFired).indexOf(true)).toBe(10);
  });

  test('of more handles than it follows, the one looked at longest ago is forgotten', () => {
    const others = Array.from({ length: GUARD_TRACKED_HANDLES }, (_, i) => ({
      ...quiet,
      commandId: `c_${String(i).padStart(16, '0')}`,
    }));
    const { state } = feed([quiet, ...others]);
    expect(state.size).toBe(GUARD_TRACKED_HANDLES);
    expect(state.has(quiet.commandId)).toBe(false);
  });
});
