import type { CommandId } from '../../shared/model/ids.ts';
import type { SessionView, Wait, WaitUntil } from '../../shared/model/session.ts';
import { nextApprovals } from './approval-machine.ts';

/**
 * The wait of a session as pure functions over its view. Status and wait are apart: a user turn clears the status,
 * and the wait stays armed.
 */

/** What a session is to wait for. */
export interface WaitRequest {
  readonly commandIds: readonly CommandId[];
  readonly until: WaitUntil;
  /** The agent's own limit in milliseconds. */
  readonly deadlineMs: number | null;
}

/** Waits for the ends of commands, without a limit of the agent's. */
export const untilEnded = (commandIds: readonly CommandId[]): WaitRequest => ({
  commandIds,
  until: { kind: 'exit' },
  deadlineMs: null,
});

/** Registers a new wait and suspends. The generation is one more than that of any wait before. */
export function arm(view: SessionView, request: WaitRequest, now: number, leaseMs: number): SessionView {
  const wait: Wait = {
    generation: view.waitCount + 1,
    commandIds: [...request.commandIds],
    until: request.until,
    deadlineAt: request.deadlineMs === null ? null : now + request.deadlineMs,
    registeredAt: now,
    leaseUntil: now + leaseMs,
  };
  return { ...suspended(view), wait, waitCount: wait.generation };
}

/** Suspends again under the wait that is armed. Its turn is over: nothing that it asked is asked any more. */
export function suspended(view: SessionView): SessionView {
  return { ...withoutApprovals(view), status: 'suspended', reason: 'waiting_for_command' };
}

/** A turn begins: the wait, if any, stays armed. */
export function running(view: SessionView): SessionView {
  return { ...view, status: 'running', reason: null };
}

/** No turn and nothing that suspends it. */
export function idle(view: SessionView): SessionView {
  return { ...withoutApprovals(view), status: 'idle', reason: null };
}

const withoutApprovals = (view: SessionView): SessionView => ({
  ...view,
  approvals: [...nextApprovals(view.approvals, { type: 'turn_ended' })],
});

/** Why a wait is over, or null while it is not. */
export type WaitEnd =
  | { readonly kind: 'ended' }
  | { readonly kind: 'matched'; readonly commandId: CommandId; readonly line: string }
  | { readonly kind: 'port_open'; readonly commandId: CommandId; readonly port: number }
  | { readonly kind: 'pattern_too_slow' }
  | { readonly kind: 'deadline' }
  | { readonly kind: 'lease' };

/**
 * Whether a wait is over. A wait for the exit needs the end of every command; any other is met by one of them, and can
 * no longer be met when all have ended.
 *
 * @param met what was observed of the condition itself, if anything
 */
export function waitEnd(
  wait: Wait,
  hasEnded: (id: CommandId) => boolean,
  met: WaitEnd | null,
  now: number,
): WaitEnd | null {
  if (met) return met;
  if (wait.commandIds.every(hasEnded)) return { kind: 'ended' };
  if (wait.deadlineAt !== null && now >= wait.deadlineAt) return { kind: 'deadline' };
  return now >= wait.leaseUntil ? { kind: 'lease' } : null;
}
