import { unreachable } from '../../../shared/model/result.ts';
import type { OnQuit } from '../../../shared/model/settings.ts';
import type { UpdateState } from '../../../shared/model/update.ts';

/** How it stands with a new version, as a sentence. */
export function updateInWords(update: UpdateState): string {
  switch (update.kind) {
    case 'unavailable':
      return update.reason;
    case 'idle':
      return update.checkedAt === null
        ? 'It was not looked for a newer one yet.'
        : `There is no newer one, as of ${new Date(update.checkedAt).toLocaleTimeString()}.`;
    case 'checking':
      return 'Looking for a newer one.';
    case 'downloading':
      return `Version ${update.version} is being downloaded.`;
    case 'ready':
      return update.isOnQuit
        ? `Version ${update.version} is installed when you quit.`
        : `Version ${update.version} is ready. Installing it asks for your password.`;
    case 'failed':
      return update.message;
    default:
      return unreachable(update);
  }
}

/** What the window says, once, of a version that is ready. */
export function readyNotice(update: Extract<UpdateState, { kind: 'ready' }>, onQuit: OnQuit): string {
  return `${updateInWords(update)}${onQuit === 'stop' ? '' : ' Commands run on.'}`;
}
