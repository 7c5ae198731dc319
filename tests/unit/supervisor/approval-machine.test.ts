import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { type ApprovalEvent, isAsked, nextApprovals } from '../../../electron/supervisor/approval-machine.ts';
import { idle, running, suspended } from '../../../electron/supervisor/wait-machine.ts';
import type { Approval, ApprovalAnswer } from '../../../shared/model/approval.ts';
import { session } from '../renderer/samples.ts';

const approval = (toolCallId: string): Approval => ({
  toolCallId,
  cmd: `make ${toolCallId}`,
  cwd: '/work',
  marks: [],
  mode: 'rules',
  suggestion: [],
  askedAt: 1,
  answer: null,
});
const ALLOW: ApprovalAnswer = { kind: 'allow' };
const asked = (...ids: string[]): ApprovalEvent => ({ type: 'asked', approvals: ids.map(approval) });
const answered = (id: string, answer: ApprovalAnswer = ALLOW): ApprovalEvent => ({
  type: 'answered',
  toolCallIds: [id],
  answer,
});
const fold = (...events: ApprovalEvent[]) => events.reduce(nextApprovals, [] as readonly Approval[]);
const ids = (approvals: readonly Approval[]) => approvals.map(({ toolCallId }) => toolCallId);

describe('approvals of a session', () => {
  it('keep the order in which they were asked for, each once', () => {
    expect(ids(fold(asked('a', 'b', 'a'), asked('c', 'a')))).toEqual(['a', 'b', 'c']);
  });
  it('take the first answer and no other', () => {
    const refused: ApprovalAnswer = { kind: 'refuse', reason: 'no' };
    const [first] = fold(asked('a'), answered('a', refused), answered('a'));
    expect(first?.answer).toEqual(refused);
  });
  it('are not there any more with the result, or when the turn is over', () => {
    expect(ids(fold(asked('a', 'b'), { type: 'settled', toolCallIds: ['a'] }))).toEqual(['b']);
    expect(fold(asked('a', 'b'), answered('a'), { type: 'turn_ended' })).toEqual([]);
  });
  it('are the same object when nothing changes', () => {
    const approvals = fold(asked('a'), answered('a'));
    for (const event of [
      asked('a'),
      answered('a'),
      answered('x'),
      { type: 'settled' as const, toolCallIds: ['x'] },
    ])
      expect(nextApprovals(approvals, event)).toBe(approvals);
  });
  it('end with the turn, and stay while it runs', () => {
    const view = session(1, { status: 'running', approvals: [approval('a')] });
    expect(running(view).approvals).toEqual(view.approvals);
    expect(idle(view).approvals).toEqual([]);
    expect(suspended(view).approvals).toEqual([]);
  });
});

const anyId = fc.constantFrom('a', 'b', 'c', 'd');
const anyEvent: fc.Arbitrary<ApprovalEvent> = fc.oneof(
  fc.array(anyId, { maxLength: 3 }).map((some) => asked(...some)),
  fc
    .tuple(anyId, fc.constantFrom<ApprovalAnswer>(ALLOW, { kind: 'refuse', reason: '' }))
    .map(([id, answer]) => answered(id, answer)),
  fc.array(anyId, { maxLength: 2 }).map((toolCallIds) => ({ type: 'settled' as const, toolCallIds })),
  fc.constant<ApprovalEvent>({ type: 'turn_ended' }),
);

test('only an answer allows, answers are final, ids are unique and the order holds', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 30 }), (events) => {
      let approvals: readonly Approval[] = [];
      for (const event of events) {
        const next = nextApprovals(approvals, event);
        expect(new Set(ids(next)).size).toBe(next.length);
        const kept = ids(approvals).filter((id) => ids(next).includes(id));
        expect(ids(next).slice(0, kept.length)).toEqual(kept);
        for (const one of next) {
          const before = approvals.find(({ toolCallId }) => toolCallId === one.toolCallId);
          if (before && !isAsked(before)) expect(one).toBe(before);
          if (one.answer?.kind === 'allow' && (!before || isAsked(before)))
            expect(event).toMatchObject({ type: 'answered', answer: ALLOW });
        }
        approvals = next;
      }
    }),
  );
});
