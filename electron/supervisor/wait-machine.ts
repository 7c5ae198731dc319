import type { CommandId } from '../../shared/model/ids.ts';
import type { SessionView, Wait } from '../../shared/model/session.ts';

/**
 * The wait of a session as pure functions over its view. Status and wait are apart: a user turn clears the status,
 * and the wait stays armed.
 */

/** Registers a new wait and suspends. The generation is one more than that of any wait before. */
export function arm(
  view: SessionView,
  commandIds: readonly CommandId[],
  now: number,
  leaseMs: number,
): SessionView {
  const wait: Wait = {
    generation: view.waitCount + 1,
    commandIds: [...commandIds],
    registeredAt: now,
    leaseUntil: now + leaseMs,
    requestsAt: view.requests,
  };
  return { ...suspended(view), wait, waitCount: wait.generation };
}

/** Suspends again under the wait that is armed. */
export function suspended(view: SessionView): SessionView {
  return { ...view, status: 'suspended', reason: 'waiting_for_command' };
}

/** A turn begins: the wait, if any, stays armed. */
export function running(view: SessionView): SessionView {
  return { ...view, status: 'running', reason: null };
}

/** No turn and nothing that suspends it. */
export function idle(view: SessionView): SessionView {
  return { ...view, status: 'idle', reason: null };
}

/** Clears the wait of that generation; any other wait is left alone. */
export function clearWait(view: SessionView, generation: number): SessionView {
  return view.wait?.generation === generation ? { ...view, wait: null } : view;
}

/** Whether everything that the wait is for has ended. */
export function isFulfilled(wait: Wait, hasEnded: (id: CommandId) => boolean): boolean {
  return wait.commandIds.every(hasEnded);
}
