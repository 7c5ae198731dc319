import { useEffect, useRef, useState } from 'react';
import type { SessionView } from '../../../shared/model/session.ts';
import { call, sentenceOf } from '../../bridge/client.ts';
import { attempt } from '../../stores/notices.ts';
import { useView } from '../../stores/view.ts';
import { Button } from '../../ui/button.tsx';
import { AgentMenu, AgentRemoved } from '../agents/agent-menu.tsx';
import { sendMessage } from './send.ts';
import { SessionSpent } from './session-spent.tsx';

/** Drafts of a window without a session are kept under this key. */
const NO_SESSION = '';

/** Where the user writes. A message that could not be sent stays, with the reason. */
export function Composer({ session }: { session: SessionView | null }) {
  const key = session?.id ?? NO_SESSION;
  const draft = useView(({ drafts }) => drafts[key] ?? '');
  const setDraft = (text: string) => useView.getState().setDraft(key, text);
  const [sending, setSending] = useState<string | null>(null);
  const [failure, setFailure] = useState<{ key: string; sentence: string } | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each session that is opened is written to next
  useEffect(() => {
    // Not from under somebody who walks through the list by keyboard.
    if (document.activeElement === document.body) field.current?.focus();
  }, [key]);

  const send = async () => {
    const text = draft;
    if (text.trim() === '' || sending !== null) return;
    setSending(key);
    setFailure(null);
    try {
      await sendMessage(session?.id ?? null, text);
      if ((useView.getState().drafts[key] ?? '') === text) setDraft('');
    } catch (error) {
      setFailure({ key, sentence: sentenceOf(error) });
    } finally {
      setSending(null);
    }
  };

  return (
    <div className="composer-area">
      {failure?.key === key && (
        <div className="send-failure" role="alert">
          <span className="grow">{failure.sentence} Your message is kept.</span>
          <Button onClick={() => void send()}>Retry</Button>
        </div>
      )}
      <AgentRemoved session={session} />
      <form
        className="composer"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <textarea
          ref={field}
          aria-label="Message"
          data-region-focus=""
          rows={1}
          spellCheck={false}
          placeholder={
            session?.status === 'suspended' ? 'Message, while it runs' : 'Message, or a command to run'
          }
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            void send();
          }}
        />
        <div className="composer-foot">
          <AgentMenu session={session} />
          <span className="grow" />
          {session?.status === 'running' ? (
            <Button onClick={() => void attempt(() => call('session.stopTurn', { sessionId: session.id }))}>
              Stop turn
            </Button>
          ) : (
            <kbd>Enter</kbd>
          )}
          <Button look="primary" type="submit" disabled={draft.trim() === '' || sending === key}>
            Send
          </Button>
        </div>
      </form>
      {session !== null && <SessionSpent session={session} />}
    </div>
  );
}
