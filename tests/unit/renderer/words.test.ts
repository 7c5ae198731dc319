import { describe, expect, it } from 'vitest';
import {
  oneLine,
  plural,
  programOf,
  shortCommand,
} from '../../../renderer/features/commands/command-text.ts';
import {
  canDetach,
  dotTone,
  stateTone,
  stateWords,
  stopLabel,
} from '../../../renderer/features/commands/state-words.ts';
import { sessionWords } from '../../../renderer/features/sessions/session-words.ts';
import { formatBytes } from '../../../renderer/ui/byte-size.ts';
import { formatDuration } from '../../../renderer/ui/duration.ts';
import type { CommandState } from '../../../shared/model/command.ts';
import { COMMAND_STATES } from '../../../shared/model/command-state.ts';
import { command, commandId, session } from './samples.ts';

describe('formatDuration', () => {
  it.each([
    [-5, '0 s'],
    [0, '0 s'],
    [999, '0 s'],
    [41_000, '41 s'],
    [59_999, '59 s'],
    [60_000, '1:00'],
    [372_000, '6:12'],
    [3_599_999, '59:59'],
    [3_600_000, '1:00:00'],
    [3_723_000, '1:02:03'],
    [360_000_000, '100:00:00'],
  ])('%i ms is %s', (ms, text) => expect(formatDuration(ms)).toBe(text));
});

describe('formatBytes', () => {
  it.each([
    [0, '0 B'],
    [1_023, '1023 B'],
    [1_024, '1 KB'],
    [31_744, '31 KB'],
    [4_299_162, '4.1 MB'],
    [256 * 1_048_576, '256 MB'],
    [1_073_741_824, '1.0 GB'],
  ])('%i is %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));
});

describe('stateWords', () => {
  const WORDS: Record<CommandState, string> = {
    running: 'Running',
    stopping: 'Stopping',
    unknown: 'Unknown',
    completed: 'Exited 0',
    failed: 'Exited 3',
    timeout: 'Stopped by timeout',
    stopped: 'Stopped',
    lost: 'Lost',
  };

  it.each(COMMAND_STATES)('names %s', (state) => {
    const exitCode = { completed: 0, failed: 3 }[state as string] ?? null;
    expect(stateWords(command(1, { state, exitCode }))).toBe(WORDS[state]);
  });

  it.each(['SIGKILL', 'SIGSEGV', 'SIGTERM', 'SIGHUP', 'SIGINT'])('names %s', (signal) =>
    expect(stateWords(command(1, { state: 'failed', signal }))).toBe(`Killed by ${signal}`),
  );

  it('tells the background, and invents no exit code', () => {
    expect(stateWords(command(1, { placement: 'background' }))).toBe('In background');
    expect(stateWords(command(1, { state: 'stopping', placement: 'background' }))).toBe('Stopping');
    expect(stateWords(command(1, { state: 'failed' }))).toBe('Failed');
  });

  it('has a tone for each state, and shows what was left alive', () => {
    expect(COMMAND_STATES.map((state) => stateTone({ state, placement: 'foreground' }))).toEqual([
      'run',
      'idle',
      'idle',
      'idle',
      'fail',
      'fail',
      'idle',
      'idle',
    ]);
    expect(stateTone({ state: 'running', placement: 'background' })).toBe('wait');
    const left = command(1, { state: 'completed', descendants: [{ pid: 1, name: 'node', ports: [] }] });
    expect(dotTone(left)).toBe('run');
  });

  it('offers what makes sense', () => {
    expect(canDetach(command())).toBe(true);
    expect(canDetach(command(1, { placement: 'background' }))).toBe(false);
    expect(canDetach(command(1, { state: 'stopping' }))).toBe(false);
    expect(stopLabel(command())).toBe('Stop');
    expect(stopLabel(command(1, { state: 'stopping' }))).toBe('Kill now');
  });
});

describe('command texts', () => {
  it('fit on one line', () => {
    expect(oneLine('  make\nmake install ')).toBe('make …');
    expect(oneLine('make')).toBe('make');
  });

  it('are short on tabs', () => {
    expect(shortCommand('pnpm dev')).toBe('pnpm dev');
    expect(shortCommand('CI=1 FORCE=yes sudo make -j8 all')).toBe('make -j8 all');
    expect(shortCommand('pnpm vitest run checkout --retry 0')).toBe('pnpm vitest run…');
    expect(shortCommand(`/${'x'.repeat(60)}`)).toHaveLength(23);
  });

  it('name the program', () => {
    expect(programOf('./scripts/migrate.sh --dry-run')).toBe('migrate.sh');
    expect(programOf('CI=1 make -j8 && echo ok')).toBe('make');
    expect(programOf('(cd /tmp; ls)')).toBe('cd');
    expect(programOf('A=1')).toBe('A=1');
  });

  it('count', () => {
    expect([0, 1, 2].map((count) => plural(count, 'poll'))).toEqual(['0 polls', '1 poll', '2 polls']);
    expect(plural(2, 'process', 'processes')).toBe('2 processes');
  });
});

describe('sessionWords', () => {
  const wait = {
    generation: 1,
    until: { kind: 'exit' as const },
    deadlineAt: null,
    registeredAt: 0,
    leaseUntil: 1,
  };
  const background = { placement: 'background' } as const;

  it.each([
    [
      'Suspended, waiting for 1 command',
      'wait',
      session(1, { status: 'suspended', wait: { ...wait, commandIds: [commandId()] } }),
      [command(1, background)],
    ],
    [
      'Suspended, waiting for 2 commands',
      'wait',
      session(1, { status: 'suspended', wait: { ...wait, commandIds: [commandId(1), commandId(2)] } }),
      [],
    ],
    ['Running make', 'run', session(1, { status: 'running' }), [command()]],
    ['Working', 'run', session(1, { status: 'running' }), [command(1, background)]],
    ['2 commands in background', 'wait', session(), [command(1, background), command(2, background)]],
    ['No commands', 'idle', session(), []],
    [
      'Finished',
      'idle',
      session(),
      [command(1, { state: 'failed' }), command(2, { state: 'completed', exitCode: 0 })],
    ],
    ['Finished, exited 7', 'fail', session(), [command(1, { state: 'failed', exitCode: 7 })]],
    ['Finished, killed by SIGKILL', 'fail', session(), [command(1, { state: 'failed', signal: 'SIGKILL' })]],
  ] as const)('%s', (words, tone, of, commands) =>
    expect(sessionWords(of, commands)).toEqual({ words, tone }),
  );
});
