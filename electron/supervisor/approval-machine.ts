import type { Approval, ApprovalAnswer } from '../../shared/model/approval.ts';
import { unreachable } from '../../shared/model/result.ts';

/**
 * The approvals of a session as a pure function, in the order in which they were asked for. An answer is final, only
 * `answered` gives one, and what is not answered is never allowed: no time, wake or restart is an event here.
 */
export type ApprovalEvent =
  | { readonly type: 'asked'; readonly approvals: readonly Approval[] }
  | { readonly type: 'answered'; readonly toolCallIds: readonly string[]; readonly answer: ApprovalAnswer }
  /** These calls have their results. */
  | { readonly type: 'settled'; readonly toolCallIds: readonly string[] }
  /** The turn that asked is over. */
  | { readonly type: 'turn_ended' };

/** The approvals after an event; the same array when it changes nothing. */
export function nextApprovals(approvals: readonly Approval[], event: ApprovalEvent): readonly Approval[] {
  switch (event.type) {
    case 'asked': {
      const known = new Set(approvals.map(({ toolCallId }) => toolCallId));
      const fresh = event.approvals.filter(
        ({ toolCallId }) => !known.has(toolCallId) && known.add(toolCallId),
      );
      return fresh.length === 0 ? approvals : [...approvals, ...fresh];
    }
    case 'answered': {
      const isMeant = (one: Approval) => isAsked(one) && event.toolCallIds.includes(one.toolCallId);
      if (!approvals.some(isMeant)) return approvals;
      return approvals.map((one) => (isMeant(one) ? { ...one, answer: event.answer } : one));
    }
    case 'settled': {
      const left = approvals.filter(({ toolCallId }) => !event.toolCallIds.includes(toolCallId));
      return left.length === approvals.length ? approvals : left;
    }
    case 'turn_ended':
      return approvals.length === 0 ? approvals : [];
    default:
      return unreachable(event);
  }
}

/** Still to be answered. */
export const isAsked = (approval: Approval): boolean => approval.answer === null;
