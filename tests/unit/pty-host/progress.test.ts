import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Progress } from '../../../electron/pty-host/progress.ts';
import { PROGRESS_EVERY_MS, TAIL_EVERY_MS } from '../../../shared/limits.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function start(): { progress: Progress; told: boolean[] } {
  const told: boolean[] = [];
  const progress = new Progress((withTail) => told.push(withTail));
  progress.begin();
  return { progress, told };
}

it('tells the first change at once, with the last lines', () => {
  const { progress, told } = start();
  progress.changed();
  expect(told).toEqual([true]);
});

it('tells a change in the quiet time at its end, and never one too often', () => {
  const { progress, told } = start();
  for (let ms = 0; ms < 10; ms++) {
    progress.changed();
    vi.advanceTimersByTime(1);
  }
  expect(told).toEqual([true]);
  vi.advanceTimersByTime(PROGRESS_EVERY_MS - 10);
  expect(told).toEqual([true, false]);
  vi.advanceTimersByTime(PROGRESS_EVERY_MS);
  expect(told).toEqual([true, false]);
});

it('tells the last lines seldom, and always once after the last change', () => {
  const { progress, told } = start();
  progress.changed();
  vi.advanceTimersByTime(100);
  progress.changed();
  expect(told).toEqual([true, false]);
  vi.advanceTimersByTime(TAIL_EVERY_MS - 101);
  expect(told).toEqual([true, false]);
  vi.advanceTimersByTime(1);
  expect(told).toEqual([true, false, true]);
  vi.advanceTimersByTime(10 * TAIL_EVERY_MS);
  expect(told).toEqual([true, false, true]);
});

it('notes what changes before it begins, and tells nothing after its end', () => {
  const told: boolean[] = [];
  const progress = new Progress((withTail) => told.push(withTail));
  progress.changed();
  expect(told).toEqual([]);
  progress.begin();
  expect(told).toEqual([true]);
  progress.changed();
  progress.end();
  vi.advanceTimersByTime(10 * TAIL_EVERY_MS);
  expect(told).toEqual([true]);
});
