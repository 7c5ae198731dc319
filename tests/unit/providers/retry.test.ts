import { expect, it } from 'vitest';
import {
  DEFAULT_RETRY,
  hintedWaitMs,
  retryWaitMs,
  waitFor,
} from '../../../electron/agent/providers/retry.ts';

const NOW = Date.parse('2026-11-30T12:00:00Z');

it.each([
  [{ 'retry-after': '7' }, 7_000],
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': 'Mon, 30 Nov 2026 12:00:30 GMT' }, 30_000],
  [{ 'retry-after': 'Mon, 30 Nov 2026 11:00:00 GMT' }, 0],
  [{ 'retry-after-ms': '250', 'retry-after': '7' }, 250],
  [{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '1m30s' }, 90_000],
  [{ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '20ms' }, 20],
  [{ 'x-ratelimit-remaining-tokens': '12', 'x-ratelimit-reset-tokens': '6m0s' }, null],
  [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW + 5_000) }, 5_000],
  [
    {
      'anthropic-ratelimit-tokens-remaining': '0',
      'anthropic-ratelimit-tokens-reset': '2026-11-30T12:00:09Z',
    },
    9_000,
  ],
  [{ 'retry-after': 'soon' }, null],
  [{}, null],
])('reads the wait that is asked for from %o', (headers, expected) => {
  expect(hintedWaitMs(headers as Record<string, string>, NOW)).toBe(expected);
});

it('waits at least as long as asked, and else twice as long each time up to a limit', () => {
  expect(retryWaitMs(0, 5_000, DEFAULT_RETRY, () => 0)).toBe(5_000);
  expect(retryWaitMs(3, 5_000, DEFAULT_RETRY, () => 1)).toBe(5_250);
  expect([0, 1, 2, 9].map((retry) => retryWaitMs(retry, null, DEFAULT_RETRY, () => 1))).toEqual([
    1_000, 2_000, 4_000, 30_000,
  ]);
  expect(retryWaitMs(0, null, DEFAULT_RETRY, () => 0)).toBe(500);
});

it('a wait ends with the signal', async () => {
  const stop = new AbortController();
  const wait = waitFor(60_000, stop.signal);
  stop.abort();
  expect(await wait).toBe(false);
  expect(await waitFor(60_000, stop.signal)).toBe(false);
  expect(await waitFor(1, new AbortController().signal)).toBe(true);
});
