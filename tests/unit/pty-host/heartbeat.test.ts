import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Heartbeat } from '../../../electron/host-client/heartbeat.ts';
import { HEARTBEAT_MS, SILENT_AFTER_BEATS } from '../../../shared/limits.ts';

let told: string[] = [];
let heartbeat: Heartbeat;
beforeEach(() => {
  vi.useFakeTimers();
  told = [];
  heartbeat = new Heartbeat({
    ask: () => told.push('ask'),
    onSilent: () => told.push('silent'),
    onAnswers: () => told.push('answers'),
  });
});
afterEach(() => {
  heartbeat.stop();
  vi.useRealTimers();
});

const beats = (count: number) => vi.advanceTimersByTime(count * HEARTBEAT_MS);

it('is silent after some unanswered beats, told once, and answers again with anything that is heard', () => {
  beats(1);
  expect(told).toEqual(['ask']);
  beats(SILENT_AFTER_BEATS - 1);
  expect(heartbeat.isSilent).toBe(false);
  beats(1);
  expect([heartbeat.isSilent, told]).toEqual([true, ['ask', 'silent']]);
  beats(10);
  heartbeat.heard();
  heartbeat.heard();
  expect([heartbeat.isSilent, told]).toEqual([false, ['ask', 'silent', 'answers']]);
});

it('asks once a beat for as long as it is answered', () => {
  for (let i = 0; i < 20; i++) {
    beats(1);
    heartbeat.heard();
  }
  expect(told).toEqual(Array.from({ length: 20 }, () => 'ask'));
});

it('a beat that comes late does not count: the machine slept, or this process did', () => {
  beats(SILENT_AFTER_BEATS);
  vi.setSystemTime(Date.now() + 3_600_000);
  beats(1);
  expect(told).toEqual(['ask']);
  vi.setSystemTime(Date.now() - 7_200_000);
  beats(1);
  expect(told).toEqual(['ask']);
  beats(1);
  expect(told).toEqual(['ask', 'silent']);
});

it('no beat follows the end', () => {
  heartbeat.stop();
  expect(vi.getTimerCount()).toBe(0);
});
