import { GUARD_TRACKED_HANDLES, type Limits } from '../../shared/limits.ts';
import type { CommandId } from '../../shared/model/ids.ts';

/** Consecutive empty readouts in silence, per handle; the handle looked at last stands last. */
export type GuardState = ReadonlyMap<CommandId, number>;
export const NO_READOUTS: GuardState = new Map();

/** One raw successful tool result of a handle, in call order. */
export interface GuardLook {
  readonly commandId: CommandId;
  /** False once the result told the end. */
  readonly isRunning: boolean;
  readonly newBytes: number;
  /** `chars` was not empty or `eof` was set. What a person types shows as output: its echo. */
  readonly hadInput: boolean;
  /** Milliseconds since the last output (or since the start). */
  readonly idleMs: number;
}

export interface GuardVerdict {
  readonly state: GuardState;
  /** Which consecutive empty readout this was; 0 when it did not count. */
  readonly count: number;
  /** The model is to be advised with this result. */
  readonly isAdvised: boolean;
  readonly hasFired: boolean;
}

/**
 * The quiet guard: with the default limits it advises at the third and fires at the sixth consecutive empty readout
 * of a handle that has been silent for 90 s. Output, input or an end begin anew. Of more handles than it tracks, the
 * one looked at longest ago is forgotten.
 */
export function look(
  state: GuardState,
  seen: GuardLook,
  limits: Pick<Limits, 'quietAfterMs' | 'guardAdvisoryReadout' | 'guardFireReadout'>,
): GuardVerdict {
  const next = new Map(state);
  const before = next.get(seen.commandId) ?? 0;
  next.delete(seen.commandId);
  const counts =
    seen.isRunning && seen.newBytes === 0 && !seen.hadInput && seen.idleMs >= limits.quietAfterMs;
  if (!counts) return { state: next, count: 0, isAdvised: false, hasFired: false };
  const count = before + 1;
  next.set(seen.commandId, count);
  for (const oldest of next.keys()) {
    if (next.size <= GUARD_TRACKED_HANDLES) break;
    next.delete(oldest);
  }
  return {
    state: next,
    count,
    isAdvised: count === limits.guardAdvisoryReadout,
    hasFired: count >= limits.guardFireReadout,
  };
}
