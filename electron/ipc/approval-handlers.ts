import type { CallError } from '../../shared/contract/calls.ts';
import type { ApprovalSetting } from '../../shared/model/approval-mode.ts';
import { err, ok, type Result } from '../../shared/model/result.ts';
import type { Settings } from '../../shared/model/settings.ts';
import type { Approvals } from '../agent/approvals/approvals.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import type { Handlers } from './bind-calls.ts';

/** What the handlers about approvals need. */
export interface ApprovalDesk {
  readonly approvals: Approvals;
  /** Saves the mode, puts it in force and tells the window. */
  readonly setMode: (mode: ApprovalSetting) => Promise<Settings>;
}

type ApprovalCall = 'approval.answer' | 'approvals.rules' | 'approvals.deleteRule' | 'settings.setApprovals';

/** What the calls about approvals do. */
export function createApprovalHandlers<S>(
  supervisor: Supervisor,
  { approvals, setMode }: ApprovalDesk,
): Pick<Handlers<S>, ApprovalCall> {
  return {
    'approval.answer': async ({ sessionId, toolCallId, answer, reason = '' }) => {
      const session = supervisor.session(sessionId);
      if (!session) return fail('unknown_session', 'There is no such session any more.');
      const decision = answer === 'refuse' ? { kind: answer, reason } : { kind: answer };
      return (await approvals.answer(session, toolCallId, decision))
        ? ok(null)
        : fail('unknown_approval', 'This is not asked any more: it was answered, or its turn has ended.');
    },
    'approvals.rules': async ({ workspace }) => ok(await approvals.rules(workspace)),
    'approvals.deleteRule': async ({ ruleId }) => {
      await approvals.deleteRule(ruleId);
      return ok(null);
    },
    'settings.setApprovals': async ({ mode }) => ok(await setMode(mode)),
  };
}

const fail = (code: CallError['code'], message: string): Result<never, CallError> => err({ code, message });
