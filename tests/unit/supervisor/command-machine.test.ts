import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CommandEvent, stateOf, transition } from '../../../electron/supervisor/command-machine.ts';
import type { CommandRecord } from '../../../electron/supervisor/records.ts';
import { isTerminal } from '../../../shared/model/command.ts';
import type { ExitRecord } from '../../../shared/protocol/host.ts';

const record: CommandRecord = {
  id: 'c_aaaaaaaaaaaaaaaa',
  sessionId: 's_aaaaaaaaaaaaaaaa',
  toolCallId: 't',
  cmd: 'true',
  cwd: '/',
  shell: '/bin/sh',
  tty: false,
  state: 'running',
  placement: 'foreground',
  exitCode: null,
  signal: null,
  by: null,
  startedAt: 0,
  endedAt: null,
  lastOutputAt: null,
  outputBytes: 0,
  tail: [],
  pid: 1,
  generation: 1,
  descendants: [],
  gap: null,
  isCleared: false,
  cursor: 0,
  hasYielded: false,
  isEndRead: false,
  isEndSaved: false,
  artifact: null,
  isUnawaited: false,
};
const exit: ExitRecord = {
  id: record.id,
  reason: 'exited',
  exitCode: 0,
  signal: null,
  by: null,
  wasForced: false,
  startedAt: 0,
  endedAt: 5,
  bytes: 10,
  bytesLost: 0,
  gap: null,
  inputDropped: 0,
  descendants: [],
  survivors: [],
};

describe('the life of a command', () => {
  test.each([
    ['completed', { reason: 'exited', exitCode: 0 }],
    ['failed', { reason: 'exited', exitCode: 7 }],
    ['failed', { reason: 'exited', exitCode: null, signal: 'SIGSEGV' }],
    ['stopped', { reason: 'stopped', exitCode: 0 }],
    ['timeout', { reason: 'timeout', exitCode: null }],
    ['lost', { reason: 'lost', exitCode: null }],
  ] as const)('%s', (state, change) => {
    expect(stateOf({ ...exit, ...change })).toBe(state);
  });

  test('the first stop reason wins', () => {
    const once = transition(record, { type: 'stop_begun', by: 'user' });
    expect(transition(once, { type: 'stop_begun', by: 'agent' }).by).toBe('user');
  });

  test('terminal is final, whatever comes later', () => {
    const events = fc.oneof<fc.Arbitrary<CommandEvent>[]>(
      fc.record({ type: fc.constant('progressed' as const), bytes: fc.nat(), at: fc.nat() }),
      fc.constantFrom<CommandEvent>(
        { type: 'backgrounded' },
        { type: 'yielded' },
        { type: 'end_read' },
        { type: 'unawaited' },
        { type: 'cleared' },
      ),
      fc.constantFrom<CommandEvent>(
        { type: 'stop_begun', by: 'user' },
        { type: 'stop_begun', by: 'timeout' },
      ),
      fc.record({
        type: fc.constant('ended' as const),
        exit: fc.constantFrom(
          exit,
          { ...exit, exitCode: 3 },
          { ...exit, reason: 'lost' as const, exitCode: null },
        ),
        tail: fc.constant([]),
      }),
      fc.record({ type: fc.constant('read' as const), cursor: fc.nat() }),
    );
    fc.assert(
      fc.property(fc.array(events), (sequence) => {
        let now = record;
        for (const event of sequence) {
          const next = transition(now, event);
          if (isTerminal(now.state)) {
            expect([next.state, next.exitCode, next.signal, next.by, next.endedAt]).toEqual([
              now.state,
              now.exitCode,
              now.signal,
              now.by,
              now.endedAt,
            ]);
          }
          expect(next.cursor).toBeGreaterThanOrEqual(now.cursor);
          expect(next.outputBytes).toBeGreaterThanOrEqual(now.outputBytes);
          if (next.exitCode !== null) expect(isTerminal(next.state)).toBe(true);
          now = next;
        }
      }),
    );
  });
});
