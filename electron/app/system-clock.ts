import { MAX_TIMER_MS } from '../../shared/limits.ts';
import type { Clock } from '../supervisor/ports.ts';

/** The real time. A delay beyond what a timer holds would fire at once, so it is cut to the largest that does not. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, Math.min(Math.max(0, ms), MAX_TIMER_MS));
    return () => clearTimeout(timer);
  },
};
