/** A page that fails this often within the time is broken by what it shows, and loading it again does not help. */
const FAILURES_MAX = 3;
const WITHIN_MS = 60_000;

/** What is to be done after the last of these deaths of the page: times in ms, ascending. */
export function reviveStep(deaths: readonly number[]): 'load' | 'ask' {
  const last = deaths.at(-1) ?? 0;
  return deaths.filter((at) => last - at < WITHIN_MS).length > FAILURES_MAX ? 'ask' : 'load';
}
