import { unreachable } from '../../shared/model/result.ts';
import type { UpdateState } from '../../shared/model/update.ts';

export type UpdateEvent =
  | { readonly type: 'check_begun'; readonly isAsked: boolean }
  | { readonly type: 'nothing_newer'; readonly at: number }
  | { readonly type: 'download_begun'; readonly version: string }
  | { readonly type: 'downloaded'; readonly version: string; readonly isOnQuit: boolean }
  | { readonly type: 'failed'; readonly message: string }
  /** What was found on the other channel is not wanted any more. */
  | { readonly type: 'channel_changed' };

const IDLE: UpdateState = { kind: 'idle', checkedAt: null };

/** The state after an event. Gives the same object when nothing changed. */
export function nextUpdateState(state: UpdateState, event: UpdateEvent): UpdateState {
  if (state.kind === 'unavailable') return state;
  switch (event.type) {
    case 'check_begun':
      return mayCheck(state) ? { kind: 'checking', isAsked: event.isAsked } : withAsked(state, event.isAsked);
    case 'nothing_newer':
      return state.kind === 'checking' ? { kind: 'idle', checkedAt: event.at } : state;
    case 'download_begun':
      return state.kind === 'checking'
        ? { kind: 'downloading', version: event.version, isAsked: state.isAsked }
        : state;
    case 'downloaded':
      return state.kind === 'downloading' && state.version === event.version
        ? { kind: 'ready', version: event.version, isOnQuit: event.isOnQuit }
        : state;
    case 'failed':
      if (state.kind !== 'checking' && state.kind !== 'downloading') return state;
      return state.isAsked ? { kind: 'failed', message: event.message } : IDLE;
    case 'channel_changed':
      return state.kind === 'ready' || state.kind === 'failed' ? IDLE : state;
    default:
      return unreachable(event);
  }
}

/** One check at a time, and none once a version is ready: its file must stay as it was verified. */
export function mayCheck({ kind }: UpdateState): boolean {
  return kind === 'idle' || kind === 'failed';
}

/** Somebody began to wait for what is under way already. */
function withAsked(state: UpdateState, isAsked: boolean): UpdateState {
  const isUnderWay = state.kind === 'checking' || state.kind === 'downloading';
  return isUnderWay && isAsked && !state.isAsked ? { ...state, isAsked } : state;
}

/** How the app ends. */
export interface Leaving {
  /** A signal, a logout or a shutdown: nothing may take long, and nobody can be asked for a password. */
  readonly isForced: boolean;
  /** The person asked for the new version now. */
  readonly restarts: boolean;
}

/** What is done when everything else of the app has ended. */
export function exitStep(
  state: UpdateState,
  { isForced, restarts }: Leaving,
): 'quit' | 'install' | 'install_and_run' {
  if (state.kind !== 'ready' || isForced) return 'quit';
  if (restarts) return 'install_and_run';
  return state.isOnQuit ? 'install' : 'quit';
}

/** Why a check or a download came to nothing, for a person. */
export function failureSentence(error: { readonly code?: unknown; readonly message: string }): string {
  const { code, message } = error;
  if (code === 'ERR_CHECKSUM_MISMATCH')
    return 'The update that was downloaded is not the one that was published, so it was thrown away.';
  if (code === 'ERR_UPDATER_CHANNEL_FILE_NOT_FOUND') return 'There are no versions on this channel yet.';
  if (/net::ERR_|ECONN|ENOTFOUND|ETIMEDOUT|EAI_AGAIN/.test(`${String(code)} ${message}`))
    return 'The update server cannot be reached.';
  return `The update failed: ${message.split('\n', 1)[0]}`;
}
