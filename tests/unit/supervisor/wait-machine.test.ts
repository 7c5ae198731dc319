import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  arm,
  idle,
  running,
  suspended,
  untilEnded,
  type WaitEnd,
  waitEnd,
} from '../../../electron/supervisor/wait-machine.ts';
import type { SessionView, Wait } from '../../../shared/model/session.ts';

const view: SessionView = {
  id: 's_aaaaaaaaaaaaaaaa',
  title: 't',
  workspace: '/',
  provider: 'p',
  createdAt: 0,
  updatedAt: 0,
  status: 'running',
  reason: null,
  wait: null,
  waitCount: 0,
  requests: 5,
  approvals: [],
};
const IDS = ['c_aaaaaaaaaaaaaaaa', 'c_bbbbbbbbbbbbbbbb', 'c_cccccccccccccccc'];

describe('the wait of a session', () => {
  test('each wait has a generation of its own, and suspends', () => {
    const first = arm(view, untilEnded(IDS), 100, 1_000);
    expect(first).toMatchObject({ status: 'suspended', reason: 'waiting_for_command', waitCount: 1 });
    expect(first.wait).toEqual({
      generation: 1,
      commandIds: IDS,
      until: { kind: 'exit' },
      deadlineAt: null,
      registeredAt: 100,
      leaseUntil: 1_100,
    });
    expect(arm({ ...first, wait: null }, untilEnded(IDS), 200, 1_000).wait?.generation).toBe(2);
  });

  test('a user turn clears only status and reason: the wait stays armed', () => {
    const armed = arm(view, untilEnded(IDS), 100, 1_000);
    for (const change of [running, idle, suspended]) expect(change(armed).wait).toEqual(armed.wait);
    expect(running(armed)).toMatchObject({ status: 'running', reason: null });
  });

  test('it is over when all have ended, when its condition is met, at its deadline or at its lease, and never before', () => {
    const wait = fc.record({
      deadlineMs: fc.option(fc.integer({ min: 1, max: 3_000 })),
      lease: fc.integer({ min: 1, max: 5_000 }),
    });
    fc.assert(
      fc.property(
        wait,
        fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
        fc.nat(6_000),
        fc.boolean(),
        ({ deadlineMs, lease }, ends, at, isMet) => {
          const armed = arm(view, { ...untilEnded(IDS), deadlineMs: deadlineMs ?? null }, 0, lease)
            .wait as Wait;
          const met: WaitEnd | null = isMet ? { kind: 'port_open', commandId: 'x', port: 1 } : null;
          const end = waitEnd(armed, (id) => ends[IDS.indexOf(id)] ?? false, met, at);
          const expected = isMet
            ? 'port_open'
            : ends.every(Boolean)
              ? 'ended'
              : deadlineMs !== null && at >= deadlineMs
                ? 'deadline'
                : at >= lease
                  ? 'lease'
                  : undefined;
          expect(end?.kind).toBe(expected);
        },
      ),
    );
  });
});
