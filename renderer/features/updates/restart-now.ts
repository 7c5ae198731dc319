import { call } from '../../bridge/client.ts';
import { attempt } from '../../stores/notices.ts';

/** Quits, with the question if commands run, and comes back as the version that is ready. */
export function restartNow(): void {
  void attempt(() => call('updates.restart', {}));
}
