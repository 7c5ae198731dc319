import { X } from 'lucide-react';
import { useState } from 'react';
import { useFacts } from '../../stores/facts.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { StateDot } from '../../ui/state-dot.tsx';
import { restartNow } from './restart-now.ts';
import { readyNotice } from './update-words.ts';

/** A bar that tells of a version that is ready, until it is dismissed. Quitting installs it all the same. */
export function UpdateNotice() {
  const update = useFacts((facts) => facts.update);
  const onQuit = useFacts((facts) => facts.settings.onQuit);
  const [dismissed, setDismissed] = useState<string | null>(null);
  if (update.kind !== 'ready' || update.version === dismissed) return null;
  return (
    <div className="notice-bar good" role="status">
      <StateDot tone="run" />
      <span className="grow selectable">{readyNotice(update, onQuit)}</span>
      <Button onClick={restartNow}>Restart now</Button>
      <IconButton name="Dismiss" onClick={() => setDismissed(update.version)}>
        <X size={13} aria-hidden="true" />
      </IconButton>
    </div>
  );
}
