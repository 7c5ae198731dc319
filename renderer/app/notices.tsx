import { X } from 'lucide-react';
import { UpdateNotice } from '../features/updates/update-notice.tsx';
import { useFacts } from '../stores/facts.ts';
import { useNotices } from '../stores/notices.ts';
import { IconButton } from '../ui/button.tsx';
import { StateDot } from '../ui/state-dot.tsx';

interface BarProps {
  readonly text: string;
  readonly isGood?: boolean;
  onDismiss(): void;
}

function Bar({ text, isGood = false, onDismiss }: BarProps) {
  return (
    <div className={`notice-bar ${isGood ? 'good' : ''}`} role="alert">
      <StateDot tone={isGood ? 'run' : 'fail'} />
      <span className="grow selectable">{text}</span>
      <IconButton name="Dismiss" onClick={onDismiss}>
        <X size={13} aria-hidden="true" />
      </IconButton>
    </div>
  );
}

/**
 * Bars below the top bar, each until it is dismissed: the pty host went away or came back, an action failed. They
 * take their own place: whatever floats here would hide the very buttons that people press.
 */
export function Notices() {
  const host = useFacts((facts) => facts.host);
  const notices = useNotices((state) => state.notices);
  return (
    <>
      {host !== null && (
        <Bar
          text={host.message}
          isGood={host.isConnected}
          onDismiss={() => useFacts.getState().dismissHost()}
        />
      )}
      <UpdateNotice />
      {notices.map(({ id, text }) => (
        <Bar key={id} text={text} onDismiss={() => useNotices.getState().dismiss(id)} />
      ))}
    </>
  );
}
