/** The landmarks of the window, in the order in which F6 goes through them. */
export const REGIONS = ['Sessions', 'Chat', 'Terminals', 'Jobs'] as const;
export type RegionName = (typeof REGIONS)[number];

const elementOf = (name: string): HTMLElement | null =>
  document.querySelector<HTMLElement>(`[data-region="${name}"]`);

/** Moves the focus into a region: to the place in it that wants it, else to the region itself. */
export function focusRegion(name: RegionName): boolean {
  const region = elementOf(name);
  if (region === null) return false;
  const places = [...region.querySelectorAll<HTMLElement>('[data-region-focus], .xterm-helper-textarea')];
  const target = places.find((place) => place.offsetParent !== null) ?? region;
  target.focus();
  return true;
}

/** Moves the focus to the next region that is in the window, or to the one before. */
export function cycleRegion(step: 1 | -1): void {
  const at = REGIONS.findIndex((name) => elementOf(name)?.contains(document.activeElement) === true);
  for (let i = 1; i <= REGIONS.length; i++) {
    const from = at < 0 && step < 0 ? 0 : at;
    const next = REGIONS[(from + step * i + REGIONS.length * 2) % REGIONS.length];
    if (next !== undefined && focusRegion(next)) return;
  }
}
