/** What the choice of a victim needs to know of a terminal. */
export interface Evictable {
  readonly id: string;
  readonly isShown: boolean;
  readonly isEnded: boolean;
  /** Larger is later. */
  readonly lastShown: number;
}

/** The ids of those to give up so that `most` remain: hidden ones only, ended before live, the longest unseen first. */
export function chooseVictims(terminals: readonly Evictable[], most: number): string[] {
  const surplus = terminals.length - most;
  if (surplus <= 0) return [];
  return terminals
    .filter(({ isShown }) => !isShown)
    .sort((a, b) => Number(b.isEnded) - Number(a.isEnded) || a.lastShown - b.lastShown)
    .slice(0, surplus)
    .map(({ id }) => id);
}
