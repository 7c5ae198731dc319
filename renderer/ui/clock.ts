import { useSyncExternalStore } from 'react';

const TICK_MS = 1000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | null = null;

function listen(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === null) {
    now = Date.now();
    timer = setInterval(() => {
      now = Date.now();
      for (const each of listeners) each();
    }, TICK_MS);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0 && timer !== null) {
      clearInterval(timer);
      timer = null;
    }
  };
}

/** The time, told once a second to all who show it: they all turn at the same moment. */
export const useNow = (): number => useSyncExternalStore(listen, () => now);

const MINUTE_MS = 60_000;

/** The time to the minute, for what need not be drawn again each second. */
export const useMinute = (): number =>
  useSyncExternalStore(listen, () => Math.floor(now / MINUTE_MS) * MINUTE_MS);
