/** How often and how long a failed request is made again. */
export interface RetryPolicy {
  readonly maxRetries: number;
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
  /** A service that asks for a longer wait than this is not waited for: the person is told instead. */
  readonly patienceMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = {
  maxRetries: 4,
  firstWaitMs: 1_000,
  longestWaitMs: 30_000,
  patienceMs: 60_000,
};

type Headers = Readonly<Record<string, string | undefined>>;

/** How long to wait before the given retry (the first is 0): what the service asked for, else twice as long each time. */
export function retryWaitMs(
  retry: number,
  hintMs: number | null,
  policy: RetryPolicy,
  random: () => number = Math.random,
): number {
  // A little more than was asked for: many clients that were told the same time would all come back at once.
  if (hintMs !== null) return Math.ceil(hintMs + random() * Math.min(250, hintMs * 0.1));
  const full = Math.min(policy.longestWaitMs, policy.firstWaitMs * 2 ** retry);
  return Math.ceil(full * (0.5 + random() / 2));
}

/** The wait that a service asks for in the headers of an answer, in milliseconds; null when it asks for none. */
export function hintedWaitMs(headers: Headers, now: number): number | null {
  const exact = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const asked = headers['retry-after'];
  if (asked !== undefined) {
    const seconds = Number(asked);
    if (Number.isFinite(seconds) && seconds >= 0) return seconds * 1000;
    const at = Date.parse(asked);
    if (Number.isFinite(at)) return Math.max(0, at - now);
  }
  const resets = ['', '-requests', '-tokens'].flatMap((of) =>
    resetOf(headers, `x-ratelimit-remaining${of}`, `x-ratelimit-reset${of}`, now),
  );
  const anthropic = ['requests', 'tokens', 'input-tokens', 'output-tokens'].flatMap((of) =>
    resetOf(headers, `anthropic-ratelimit-${of}-remaining`, `anthropic-ratelimit-${of}-reset`, now),
  );
  const waits = [...resets, ...anthropic];
  return waits.length > 0 ? Math.max(...waits) : null;
}

/** Only a limit that is used up has to be waited for. */
function resetOf(headers: Headers, remaining: string, reset: string, now: number): number[] {
  const text = headers[reset];
  if (text === undefined || headers[remaining] !== '0') return [];
  const wait = durationMs(text) ?? momentMs(text, now);
  return wait === null ? [] : [wait];
}

/** `6m0s`, `1.5s`, `20ms`. */
function durationMs(text: string): number | null {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)];
  if (parts.length === 0 || parts.map(([whole]) => whole).join('') !== text) return null;
  const units: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };
  return parts.reduce((total, [, count, unit]) => total + Number(count) * (units[unit ?? ''] ?? 0), 0);
}

/** A moment, as a date or as seconds or milliseconds since the epoch; a small number is seconds from now. */
function momentMs(text: string, now: number): number | null {
  const number = Number(text);
  if (Number.isFinite(number)) {
    if (number < 1e9) return number * 1000;
    return Math.max(0, (number < 1e11 ? number * 1000 : number) - now);
  }
  const at = Date.parse(text);
  return Number.isFinite(at) ? Math.max(0, at - now) : null;
}

/** Resolves after a time, or at once when the signal comes; says whether the time has passed. */
export function waitFor(ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const timer = setTimeout(() => finish(true), ms);
    const onAbort = () => finish(false);
    function finish(hasPassed: boolean): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      resolve(hasPassed);
    }
    signal.addEventListener('abort', onAbort);
  });
}
