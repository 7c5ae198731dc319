import { call } from '../../bridge/client.ts';
import { useFacts } from '../../stores/facts.ts';
import { attempt } from '../../stores/notices.ts';
import { useView } from '../../stores/view.ts';
import { Button } from '../../ui/button.tsx';
import { StateDot } from '../../ui/state-dot.tsx';

/** Failures that another try alone does not mend. */
const NEEDS_KEY = ['key_missing', 'key_refused'];
const NEEDS_SETTINGS = [
  'unreachable',
  'quota',
  'context_too_long',
  'model_unknown',
  'request_refused',
  'bad_answer',
  'output_limit',
  'provider_removed',
];

interface FailureNoticeProps {
  readonly sessionId: string;
  readonly text: string;
  readonly code: string;
  readonly provider: string;
  readonly isNewest: boolean;
}

/** Why a turn broke off, what was kept, and what can be done about it as long as nothing came after it. */
export function FailureNotice({ sessionId, text, code, provider, isNewest }: FailureNoticeProps) {
  const isIdle = useFacts(({ sessions }) => sessions[sessionId]?.status !== 'running');
  const end = text.indexOf('. ') + 1;
  const [what, rest] = end > 0 ? [text.slice(0, end), text.slice(end + 1)] : [text, ''];
  const openSettings = (endpointId: string | null) => useView.getState().openSettings({ endpointId });
  return (
    <div className="failure" role="note" aria-label="The turn broke off">
      <StateDot tone={isNewest ? 'fail' : 'idle'} />
      <span className="grow selectable">
        <b>{what}</b> <span className="muted">{rest}</span>
      </span>
      {isNewest && isIdle && (
        <>
          {NEEDS_KEY.includes(code) && <Button onClick={() => openSettings(provider)}>Enter key</Button>}
          {NEEDS_SETTINGS.includes(code) && <Button onClick={() => openSettings(provider)}>Settings</Button>}
          <Button onClick={() => void attempt(() => call('session.retry', { sessionId }))}>Retry</Button>
        </>
      )}
    </div>
  );
}
