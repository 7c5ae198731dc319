import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { isFollowing } from './sticking.ts';

/** Closer than this to the beginning asks for older messages. */
const TOP_PX = 240;

interface Sticky {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  readonly isAtBottom: boolean;
  jumpToLatest(): void;
  onScroll(): void;
}

/**
 * Keeps a list at its end while the reader is there, and where the reader is otherwise, also when older content is
 * put in front of it. `firstKey` names the oldest item shown; `listKey` the list itself.
 */
export function useStickToBottom(listKey: string, firstKey: string | undefined, onTop: () => void): Sticky {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const sticks = useRef(true);
  const top = useRef(0);
  const before = useRef({ firstKey, height: 0 });
  const [isAtBottom, setAtBottom] = useState(true);

  const jumpToLatest = useCallback(() => {
    const element = scroller.current;
    sticks.current = true;
    setAtBottom(true);
    if (element !== null) element.scrollTop = element.scrollHeight;
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another list begins at its end
  useLayoutEffect(jumpToLatest, [listKey, jumpToLatest]);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const grown = element.scrollHeight - before.current.height;
    if (before.current.firstKey !== firstKey && !sticks.current && grown > 0) element.scrollTop += grown;
    before.current = { firstKey, height: element.scrollHeight };
  });

  useEffect(() => {
    const element = scroller.current;
    const inner = content.current;
    if (element === null || inner === null) return;
    const observer = new ResizeObserver(() => {
      if (sticks.current) element.scrollTop = element.scrollHeight;
    });
    observer.observe(inner);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const onScroll = useCallback(() => {
    const element = scroller.current;
    if (element === null) return;
    sticks.current = isFollowing(sticks.current, top.current, element);
    top.current = element.scrollTop;
    setAtBottom(sticks.current);
    if (element.scrollTop < TOP_PX) onTop();
  }, [onTop]);

  return { scroller, content, isAtBottom, jumpToLatest, onScroll };
}
