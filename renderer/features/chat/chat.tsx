import type { ReactNode } from 'react';
import { GUEST_PROVIDER } from '../../../shared/model/guest-provider.ts';
import { useFacts } from '../../stores/facts.ts';
import { useView } from '../../stores/view.ts';
import { ApprovalAnnouncer } from '../approvals/approval-card.tsx';
import { ApprovalChip } from '../approvals/approval-chip.tsx';
import { folderName } from '../sessions/folder-name.ts';
import { Composer } from './composer.tsx';
import { FirstSteps } from './first-steps.tsx';
import { GuestNote } from './guest-note.tsx';
import { MessageList } from './message-list.tsx';
import { SuspendedBanner } from './suspended-banner.tsx';
import './chat.css';

/** The region in the centre: one session's messages, and where the next one is written. */
export function Chat({ controls }: { controls?: ReactNode }) {
  const openSessionId = useView((view) => view.openSessionId);
  const known = useFacts(({ sessions }) => (openSessionId === null ? undefined : sessions[openSessionId]));
  const session = known ?? null;
  const isGuest = session?.provider === GUEST_PROVIDER;

  return (
    <section className="chat" aria-label="Chat" data-region="Chat" tabIndex={-1}>
      <div className="head">
        <h1 className="cut" title={session?.title}>
          {session?.title ?? 'New session'}
        </h1>
        {session !== null && (
          <span className="chip cut" title={session.workspace}>
            {folderName(session.workspace)}
          </span>
        )}
        <span className="grow" />
        {session !== null && !isGuest && <ApprovalChip session={session} />}
        {controls}
      </div>
      {session === null ? (
        <div className="log-frame">
          <div className="log-scroller">
            <div className="log">
              <FirstSteps sessionId={null} />
            </div>
          </div>
        </div>
      ) : isGuest ? (
        <GuestNote title={session.title} />
      ) : (
        <MessageList key={session.id} sessionId={session.id} />
      )}
      {session !== null && <ApprovalAnnouncer sessionId={session.id} />}
      {session !== null && !isGuest && <SuspendedBanner session={session} />}
      {!isGuest && <Composer session={session} />}
    </section>
  );
}
