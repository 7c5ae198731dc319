import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { completionText, makeCompletion } from '../../../electron/supervisor/completion.ts';
import type { CommandRecord } from '../../../electron/supervisor/records.ts';
import type { CommandState } from '../../../shared/model/command.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const SERVER = { pid: 4711, name: 'node', ports: [3000, 3001] };
const SLEEP = { pid: 4712, name: 'sleep', ports: [] };

function ended(state: CommandState, descendants: CommandRecord['descendants']): CommandRecord {
  return {
    id: '0123456789abcdef0123456789abcdef',
    sessionId: 'fedcba9876543210fedcba9876543210',
    generation: 1,
    cmd: 'npm start &',
    state,
    exitCode: state === 'completed' ? 0 : null,
    signal: null,
    startedAt: 1_000,
    endedAt: 13_000,
    descendants,
  } as unknown as CommandRecord;
}
const textOf = (record: CommandRecord) =>
  completionText(makeCompletion(record, 'ready\n', 20_000, sha256).end);

it('names what an ended command left running, with its ports', () => {
  const text = textOf(ended('completed', [SERVER, SLEEP]));
  expect(text).toContain('exited 0 after 12 s. State: completed. It left running: ');
  expect(text).toContain('node (pid 4711, port 3000, 3001); sleep (pid 4712). stop_command');
});

it('says of a stop that some of it could not be ended', () => {
  const text = textOf(ended('stopped', [SLEEP]));
  expect(text).toContain('Not all of it could be ended, not even by SIGKILL. Still alive: sleep (pid 4712).');
  expect(textOf(ended('stopped', []))).not.toContain('SIGKILL');
});

it('is known by the end alone: a redelivery with fewer processes alive is the same', () => {
  const first = makeCompletion(ended('completed', [SERVER, SLEEP]), 'ready\n', 20_000, sha256);
  const again = makeCompletion(ended('completed', []), 'ready\n', 90_000, sha256);
  expect(again.id).toBe(first.id);
  expect(makeCompletion(ended('failed', []), 'ready\n', 20_000, sha256).id).not.toBe(first.id);
});
