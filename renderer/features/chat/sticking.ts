/** Closer than this to the end counts as being there. */
const NEAR_PX = 32;

/** Where a list is scrolled to. */
export interface ScrollPlace {
  readonly scrollTop: number;
  readonly scrollHeight: number;
  readonly clientHeight: number;
}

/**
 * Whether a list still follows its end after a scroll event. Such events come late: by then more may have been
 * written, so being far from the end says nothing by itself. Only the reader moves a list up.
 */
export function isFollowing(wasFollowing: boolean, topBefore: number, now: ScrollPlace): boolean {
  if (now.scrollHeight - now.scrollTop - now.clientHeight <= NEAR_PX) return true;
  return wasFollowing && now.scrollTop >= topBefore;
}
