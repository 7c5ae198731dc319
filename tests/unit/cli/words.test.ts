import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DetachKey } from '../../../electron/cli/detach-key.ts';
import { exitStatus } from '../../../electron/cli/exit-status.ts';
import { formatJobs, jobsOf } from '../../../electron/cli/job-list.ts';
import { NewLines } from '../../../electron/cli/new-lines.ts';
import { shellLine } from '../../../electron/cli/shell-line.ts';
import { idsThatBegin, shortIds } from '../../../electron/cli/short-id.ts';
import { findAll } from '../../../electron/cli/stop.ts';
import { callersOwn } from '../../../electron/supervisor/command-environment.ts';
import type { ExitRecord, HostCommand } from '../../../shared/protocol/host.ts';
import { hostCommand } from '../../support/host-command.ts';

const id = (beginning: string) => `c_${beginning.padEnd(16, '0')}`;

describe('a command line for the shell', () => {
  it('leaves one word to the shell, and a plain command readable', () => {
    expect(shellLine(['make && ./a $HOME'])).toBe('make && ./a $HOME');
    expect(shellLine(['npm', 'run', 'test:unit', '--', '--project=x'])).toBe(
      'npm run test:unit -- --project=x',
    );
  });

  it.each([[['if', 'a']], [['A=1', 'b']], [['!', 'x']], [['', 'x']], [['~/x', 'y']]])(
    'does not let the shell read a meaning into the name of %j',
    (words) => {
      expect(shellLine(words)[0]).toBe("'");
    },
  );

  it('gives several words to the program exactly as they are', () => {
    const words = fc.array(
      fc.string({ unit: 'grapheme' }).filter((word) => !word.includes('\0')),
      { minLength: 1, maxLength: 5 },
    );
    fc.assert(
      fc.property(words, (list) => {
        const line = shellLine(['printf', '%s\\0', ...list]);
        const output = execFileSync('/bin/sh', ['-c', line], { encoding: 'utf8' });
        expect(output).toBe(list.map((word) => `${word}\0`).join(''));
      }),
      { numRuns: 60 },
    );
  });
});

describe('line ends', () => {
  it('are what the command wrote, however the output is cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(10, 13, 65), { maxLength: 40 }),
        fc.integer({ min: 1, max: 5 }),
        (written, size) => {
          const shown = written.flatMap((byte) => (byte === 10 ? [13, 10] : [byte]));
          const newLines = new NewLines();
          const back: number[] = [];
          for (let at = 0; at < shown.length; at += size)
            back.push(...newLines.take(Uint8Array.from(shown.slice(at, at + size))));
          back.push(...newLines.end());
          expect(back).toEqual(written);
        },
      ),
    );
  });
});

describe('the detach key', () => {
  const type = (key: DetachKey, text: string, now: number) => key.isTyped(Buffer.from(text), now);

  it('is Ctrl+] twice within a second, and nothing in between', () => {
    const key = new DetachKey();
    expect(type(key, '\x1d', 0)).toBe(false);
    expect(type(key, '\x1d', 1_500)).toBe(false);
    expect(type(key, 'a', 1_600)).toBe(false);
    expect(type(key, '\x1d', 1_700)).toBe(false);
    expect(type(key, '\x1d', 2_000)).toBe(true);
    expect(type(new DetachKey(), '\x1d\x1d', 0)).toBe(true);
    expect(type(new DetachKey(), 'x\x1d\x1d', 0)).toBe(false); // pasted
  });
});

describe('short IDs', () => {
  it('are unique beginnings of at least four characters', () => {
    const ids = [id('abcdefg'), id('abcdxyz'), id('k')];
    expect([...shortIds(ids).values()]).toEqual(['abcde', 'abcdx', 'k000']);
    expect(idsThatBegin('abcd', ids)).toHaveLength(2);
    expect(idsThatBegin('c_abcde', ids)).toEqual([ids[0]]);
    expect(idsThatBegin('k', ids)).toEqual([ids[2]]);
    expect(idsThatBegin('c_', ids)).toEqual([]);
    expect(idsThatBegin('', ids)).toEqual([]);
  });

  it('mean one command, or nothing is stopped', () => {
    const alive = [command({ id: id('abcdefg') }), command({ id: id('abcdxyz') })];
    expect(findAll(['abcde', 'abcdef'], alive)).toMatchObject({ ok: true, value: [alive[0]] });
    const ambiguous = findAll(['abcde', 'ab'], alive);
    expect(ambiguous).toMatchObject({ ok: false, error: expect.stringContaining('abcde or abcdx') });
    const unknown = findAll(['abcde', 'zz'], alive);
    expect(unknown).toMatchObject({ ok: false, error: expect.stringContaining('zz') });
  });
});

describe('the exit status', () => {
  it.each([
    [{ exitCode: 3 }, 3],
    [{ signal: 'SIGKILL' }, 137],
    [{ signal: 'SIG34' }, 162],
    [{ reason: 'timeout', signal: 'SIGTERM' }, 124],
    [{ reason: 'stopped', signal: 'SIGTERM' }, 143],
    [{ reason: 'stopped', exitCode: 0 }, 0],
    [{ reason: 'stopped' }, 125],
    [{ reason: 'lost' }, 125],
  ] as const)('of %j is %i', (changes, status) => {
    expect(exitStatus({ ...EXIT, ...changes })).toMatchObject({ status });
  });
});

describe('the list of jobs', () => {
  it('holds what lives and what ended commands left, the oldest first, each on one line', () => {
    const left = [{ pid: 7, name: 'vite', ports: [5173] }];
    const commands = [
      command({ id: id('bbbb'), startedAt: 60_000, cmd: 'make\n\tall \x1b[31m', ownerName: 'Build it' }),
      command({ id: id('cccc'), startedAt: 1_000, exit: { ...EXIT, exitCode: 0 }, descendants: left }),
      command({ id: id('dddd'), startedAt: 2_000, exit: { ...EXIT, exitCode: 0 } }),
      command({ id: id('eeee'), startedAt: 63_000, attention: { kind: 'serving', ports: [80, 81] } }),
    ];
    const jobs = jobsOf(commands, 125_000);
    expect(formatJobs(jobs, 200).split('\n')).toEqual([
      'ID    STATE                                AGE   FROM      COMMAND',
      'cccc  ended, left vite (pid 7, port 5173)  2:04  terminal  sleep 9',
      'bbbb  running                              1:05  Build it  make all \u{fffd}[31m',
      'eeee  serving :80 :81                      1:02  terminal  sleep 9',
    ]);
    for (const line of formatJobs(jobs, 30).split('\n'))
      expect(Array.from(line).length).toBeLessThanOrEqual(30);
    expect(jobs[1]).toMatchObject({ id: id('bbbb'), short: 'bbbb', state: 'running', ageSeconds: 65 });
  });
});

describe('the environment of a command that a person runs', () => {
  it('is their own, without what started this program', () => {
    const env = callersOwn({
      PATH: '/tmp/.mount_x/usr/bin:/usr/bin',
      APPDIR: '/tmp/.mount_x',
      APPIMAGE: '/home/x.AppImage',
      NODE_ENV: 'production',
      NODE_OPTIONS: '--no-warnings',
      PAGER: 'less',
      TERM: 'xterm-kitty',
      ELECTRON_RUN_AS_NODE: '1',
      SWITCHYARD_COMMAND: 'x',
      SWITCHYARD_DATA_DIR: '/d',
    });
    expect(env).toEqual({
      PATH: '/usr/bin',
      NODE_ENV: 'production',
      NODE_OPTIONS: '--no-warnings',
      PAGER: 'less',
      TERM: 'xterm-kitty',
    });
  });
});

const EXIT: ExitRecord = {
  id: id(''),
  reason: 'exited',
  exitCode: null,
  signal: null,
  by: null,
  wasForced: false,
  startedAt: 0,
  endedAt: 0,
  bytes: 0,
  bytesLost: 0,
  gap: null,
  inputDropped: 0,
  descendants: [],
  survivors: [],
};

const command = (changes: Partial<HostCommand>) => hostCommand({ id: id(''), ...changes });
