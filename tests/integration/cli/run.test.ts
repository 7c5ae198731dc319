// switchyard run: the bytes, the end and the keys of a command, as if no supervisor stood in between.
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CLI, CliTest } from '../../support/cli.ts';
import { type Gate, makeGate } from '../../support/gate.ts';
import { endHost, inParallel, startTime, temporaryFolder, until } from '../../support/host.ts';

let cli: CliTest;
let gate: Gate;
beforeAll(async () => {
  cli = await CliTest.start();
});
afterAll(() => cli.close());
beforeEach(() => {
  gate = makeGate();
});
afterEach(() => gate.release());

describe('into a pipe', () => {
  test('every byte comes as the command wrote it, and its own status', async () => {
    const file = path.join(cli.data, 'random');
    const bytes = randomBytes(1_000_000);
    fs.writeFileSync(file, bytes);
    const { status, stdout, stderr } = await cli.run(['run', '--', `cat ${file}; exit 7`]);
    expect({ status, stderr }).toEqual({ status: 7, stderr: '' });
    expect(stdout.equals(bytes)).toBe(true);
  });

  test('quick commands lose neither their output nor their status', async () => {
    await inParallel(24, 2, async (index) => {
      const { status, stdout } = await cli.run(['run', '--', `echo number ${index}; exit ${index}`]);
      expect({ status, output: stdout.toString() }).toEqual({
        status: index,
        output: `number ${index}\n`,
      });
    });
  });

  test.each([
    ['kill -9 $$', 137],
    ['kill -TERM $$', 143],
    ['no-such-program-at-all', 127],
  ])('%s ends with %i', async (line, status) => {
    expect(await cli.run(['run', '--', line])).toMatchObject({ status });
  });

  test('--timeout ends the command with all that it started, and the status says so', async () => {
    const ended = await cli.run(['run', '--timeout', '0.3', '--', `: late; ${gate.loop}`]);
    expect(ended).toMatchObject({ status: 124, stderr: expect.stringContaining('--timeout') });
    expect(await cli.exitOf(': late')).toMatchObject({ reason: 'timeout' });
  });

  test('several words reach the program exactly, one is a line for the shell', async () => {
    const words = ['a b', "it's", '$HOME', '*', '', 'line\nbreak'];
    const several = await cli.run(['run', '--', 'printf', '%s|', ...words]);
    expect(several.stdout.toString()).toBe(words.map((word) => `${word}|`).join(''));
    const one = await cli.run(['run', '--', 'echo $((6*7)) && pwd'], { cwd: '/usr' });
    expect(one.stdout.toString()).toBe('42\n/usr\n');
  });

  test('the environment is the caller’s own; without a terminal nothing is to be read', async () => {
    const env = { NODE_ENV: 'mine', TERM: 'dumb', PAGER: 'more', ELECTRON_RUN_AS_NODE: '1' };
    const line = 'echo "$NODE_ENV $TERM $PAGER"; env | grep -cE "^(ELECTRON|SWITCHYARD_DATA)"; cat';
    const { stdout } = await cli.run(['run', '--', line], { env });
    expect(stdout.toString()).toBe('mine dumb more\n0\n');
  });

  test('a folder that is gone is told, with the status of our own failures', async () => {
    const folder = temporaryFolder('gone');
    const inner = `'${process.execPath}' '${CLI}' run --data-dir '${cli.data}' -- true`;
    const ended = await cli.run(['run', '--', `rmdir '${folder}'; ${inner}`], { cwd: folder });
    expect(ended.status).toBe(125);
    expect(ended.stdout.toString()).toContain('does not exist any more');
  });

  test('a reader that goes away ends the command', async () => {
    const terminal = await cli.inTerminal(
      "switchyard run -- ': flood; yes' | head -1; echo status $PIPESTATUS",
    );
    expect(await terminal.end()).toBe('y\r\nstatus 141\r\n');
    expect(await cli.exitOf(': flood')).toMatchObject({ reason: 'stopped' });
  });

  test('what it left running is told, and stop ends that', async () => {
    const { status, stdout, stderr } = await cli.run(['run', '--', `{ ${gate.loop}; } & echo $!`]);
    expect(status).toBe(0);
    const pid = Number(stdout);
    const start = startTime(pid);
    expect(start).not.toBeNull();
    const [, short = ''] = /It left running: bash.*"switchyard stop (\w+)"/.exec(stderr) ?? [];
    expect(await cli.run(['stop', short])).toMatchObject({ status: 0 });
    expect(startTime(pid)).not.toBe(start);
  });

  test('Ctrl+C reaches the command also where the keys do not come to us', async () => {
    const running = cli.begin(['run', '--', `trap 'echo caught; exit 5' INT; echo ready; ${gate.loop}`]);
    await until('the command', () => (running.output().includes('ready') ? true : undefined));
    running.process.kill('SIGINT');
    expect(await running.ended).toMatchObject({ status: 5, stdout: Buffer.from('ready\n^Ccaught\n') });
  });

  test.each(['SIGTERM', 'SIGHUP', 'SIGKILL'] as const)(
    'after %s the command runs on as a job',
    async (signal) => {
      const running = cli.begin(['run', '--', `: ${signal}; echo ready; ${gate.loop}; exit 3`]);
      await until('the command', () => (running.output().includes('ready') ? true : undefined));
      running.process.kill(signal);
      const ended = await running.ended;
      if (signal === 'SIGKILL') expect(ended.signal).toBe(signal);
      else expect(ended).toMatchObject({ status: signal === 'SIGHUP' ? 129 : 143 });
      const jobs = await cli.run(['jobs']);
      expect(jobs.stdout.toString()).toContain(`: ${signal}; echo ready`);
      gate.open();
      expect(await cli.exitOf(`: ${signal}`)).toMatchObject({ reason: 'exited', exitCode: 3 });
    },
  );

  test('when the host dies, it is said that the end is not known', async () => {
    const other = await CliTest.start();
    try {
      const running = other.begin(['run', '--', `echo ready; ${gate.loop}`]);
      await until('the command', () => (running.output().includes('ready') ? true : undefined));
      endHost(path.join(other.data, 'host'));
      expect(await running.ended).toMatchObject({
        status: 125,
        stderr: expect.stringContaining('went away'),
      });
    } finally {
      await other.close();
    }
  });
});

describe('in a terminal', () => {
  test('what is typed goes to the command, Ctrl+C too, and the terminal is given back as it was', async () => {
    const asks = 'read -p "name? " name; echo "hello $name"; trap "echo caught; exit 9" INT; echo armed; cat';
    const terminal = await cli.inTerminal(
      `before=$(stty -g); switchyard run -- '${asks}'; echo status $?; test "$before" = "$(stty -g)" && echo restored`,
    );
    await terminal.sees('name? ');
    await terminal.type('yard\r');
    await terminal.sees('armed');
    await terminal.type('\x03');
    const shown = await terminal.end();
    expect(shown).toContain('hello yard\r\n');
    expect(shown).toContain('caught\r\nstatus 9\r\nrestored\r\n');
    expect(await cli.found('name? ')).toMatchObject({ ownerName: 'terminal', tty: true });
  });

  test('its size is the command’s, at the start and when it changes', async () => {
    const line = `stty size; trap "stty size; exit" WINCH; echo armed; ${gate.loop}`;
    const terminal = await cli.inTerminal(`switchyard run -- "${line.replaceAll('"', '\\"')}"`, {
      cols: 77,
      rows: 13,
    });
    expect(await terminal.sees('armed')).toContain('13 77\r\n');
    await terminal.resize(55, 11);
    expect(await terminal.end()).toContain('11 55\r\n');
  });

  test('a program that moves the cursor itself has its line feeds unchanged', async () => {
    const terminal = await cli.inTerminal('switchyard run -- \'stty -onlcr; printf "a\\nb"\'');
    expect(await terminal.end()).toBe('a\nb');
  });

  test('Ctrl+] twice leaves the command to itself', async () => {
    const terminal = await cli.inTerminal(
      `switchyard run -- "echo ready; : detached; ${gate.loop}; exit 4"; echo status $?; stty -a | grep -c " icanon"`,
    );
    await terminal.sees('ready');
    await terminal.type('\x1d');
    await terminal.type('\x1d');
    const shown = await terminal.end();
    expect(shown).toMatch(/The command runs on\. .*"switchyard stop \w+"/);
    expect(shown).toContain('status 125\r\n1\r\n');
    expect((await cli.found(': detached')).exit).toBeNull();
    gate.open();
    expect(await cli.exitOf(': detached')).toMatchObject({ exitCode: 4 });
  });

  test('in the background of a shell it reads no keys, and is not stopped', async () => {
    const terminal = await cli.inTerminal(
      "set -m; switchyard run -- 'test -t 0 || echo no keys' & wait $!; echo status $?",
    );
    expect(await terminal.end()).toMatch(/no keys\r+\n[\s\S]*status 0/);
  });
});
