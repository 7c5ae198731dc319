import { useNow } from './clock.ts';
import { formatDuration } from './duration.ts';

function Live({ since }: { since: number }) {
  return <>{formatDuration(useNow() - since)}</>;
}

/** How long something has lasted: live until `until` is known. */
export function Elapsed({ since, until }: { since: number; until: number | null }) {
  return (
    <span className="num elapsed" role="timer" aria-live="off">
      {until === null ? <Live since={since} /> : formatDuration(until - since)}
    </span>
  );
}
