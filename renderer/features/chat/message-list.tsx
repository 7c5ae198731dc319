import { ArrowDown } from 'lucide-react';
import { memo, useCallback, useEffect, useMemo } from 'react';
import { useShallow } from 'zustand/shallow';
import { useChats } from '../../stores/chats.ts';
import { useFacts } from '../../stores/facts.ts';
import { Button } from '../../ui/button.tsx';
import { plural } from '../commands/command-text.ts';
import { CommandCard } from './command-card.tsx';
import { FailureNotice } from './failure-notice.tsx';
import { FirstSteps } from './first-steps.tsx';
import { Markdown } from './markdown.tsx';
import { useStickToBottom } from './stick-to-bottom.ts';
import { Thinking } from './thinking.tsx';
import { buildTimeline, type TimelineItem } from './timeline.ts';

/** The messages of a session, newest at the bottom. */
export function MessageList({ sessionId }: { sessionId: string }) {
  const chat = useChats(({ chats }) => chats[sessionId]);
  const isKnown = chat !== undefined;
  useEffect(() => {
    if (!isKnown) void useChats.getState().open(sessionId);
  }, [sessionId, isKnown]);

  const cmds = useFacts(
    useShallow(({ commands }) =>
      Object.fromEntries(
        Object.values(commands)
          .filter((command) => command.sessionId === sessionId)
          .map(({ id, cmd }) => [id, cmd]),
      ),
    ),
  );
  const items = useMemo(
    () => (chat === undefined ? [] : buildTimeline(chat.messages, chat.streaming, cmds)),
    [chat, cmds],
  );
  const loadOlder = useCallback(() => void useChats.getState().loadOlder(sessionId), [sessionId]);
  const { scroller, content, isAtBottom, jumpToLatest, onScroll } = useStickToBottom(
    sessionId,
    chat?.messages[0]?.id,
    loadOlder,
  );
  // A page of polls and results may be too short to scroll, and scrolling is what asks for the next.
  useEffect(() => {
    const element = scroller.current;
    if (chat?.hasMore === true && element !== null && element.scrollHeight <= element.clientHeight)
      loadOlder();
  }, [chat, scroller, loadOlder]);
  const isEmpty = chat?.phase === 'ready' && items.length === 0;

  return (
    <div className="log-frame">
      <div className="log-scroller" ref={scroller} onScroll={onScroll}>
        <div
          className="log"
          ref={content}
          role="log"
          aria-label="Messages"
          aria-busy={chat?.streaming != null}
        >
          {chat?.isLoadingOlder === true && <p className="quiet-line">Loading earlier messages</p>}
          {chat?.phase === 'failed' && (
            <p className="quiet-line">
              The messages could not be read.
              <Button onClick={() => void useChats.getState().open(sessionId)}>Retry</Button>
            </p>
          )}
          {isEmpty && <FirstSteps sessionId={sessionId} />}
          {items.map((item) => (
            <Item key={item.key} item={item} sessionId={sessionId} />
          ))}
        </div>
      </div>
      {!isAtBottom && (
        <Button className="jump" onClick={jumpToLatest}>
          <ArrowDown size={13} aria-hidden="true" />
          Jump to latest
        </Button>
      )}
    </div>
  );
}

const Item = memo(
  function Item({ item, sessionId }: { item: TimelineItem; sessionId: string }) {
    switch (item.kind) {
      case 'user':
        return (
          <div className="me selectable" title={new Date(item.at).toLocaleString()}>
            {item.text}
          </div>
        );
      case 'assistant':
        return (
          <div className={`say selectable ${item.isStreaming ? 'streaming' : ''}`}>
            <Markdown text={item.text} />
          </div>
        );
      case 'command':
        return (
          <CommandCard
            sessionId={sessionId}
            toolCallId={item.toolCallId}
            cmd={item.cmd}
            result={item.result}
          />
        );
      case 'thinking':
        return <Thinking text={item.text} isStreaming={item.isStreaming} />;
      case 'failure':
        return (
          <FailureNotice
            sessionId={sessionId}
            text={item.text}
            code={item.code}
            provider={item.provider}
            isNewest={item.isNewest}
          />
        );
      case 'polls':
        return <p className="quiet-line num">{plural(item.count, 'poll')}</p>;
      case 'quiet':
        return <p className={`quiet-line ${item.isError ? 'error' : ''}`}>{item.text}</p>;
      case 'resumed':
        return (
          <p className="resume num">
            <span className="selectable">{item.text}</span>
          </p>
        );
      case 'notice':
        return (
          <p className="notice selectable" role="note">
            {item.text}
          </p>
        );
    }
  },
  // The timeline is made anew with each message; what is equal in all fields is not drawn again.
  (before, after) => isEqual(before.item, after.item),
);

function isEqual(a: TimelineItem, b: TimelineItem): boolean {
  const fields = Object.entries(a) as [keyof TimelineItem, unknown][];
  return fields.every(([name, value]) => b[name] === value);
}
