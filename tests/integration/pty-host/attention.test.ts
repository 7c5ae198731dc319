import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeFrame, FrameType } from '../../../shared/protocol/frame.ts';
import { built, type TestCommand, TestHost, TestViewer } from '../../support/host.ts';

/** The words are long, so that what only looks like them is none. */
const SECRET = 'correct-horse-battery-staple';
const SERVER = `require('http').createServer().listen(0, () => console.log('up'))`;
const node = (script: string) => `exec '${process.execPath}' -e "${script}"`;

const levels: [string, { runner?: null }][] = [
  ['runner', {}],
  ['scan', { runner: null }],
];

// Each test waits for most of its time.
describe.each(levels)('held by the %s', { concurrent: true }, (_level, options) => {
  let host: TestHost;
  beforeAll(async () => {
    host = await TestHost.start(options);
  });
  afterAll(() => host?.close());

  /** Everything that was told of a command's attention so far. */
  const told = (command: TestCommand) =>
    host.events.flatMap((event) =>
      event.type === 'attention' && event.id === command.id ? [event.attention?.kind ?? null] : [],
    );
  const attention = (command: TestCommand, kind: string | null) =>
    host.event(`${kind} of ${command.spec.cmd}`, (event) =>
      event.type === 'attention' && event.id === command.id && (event.attention?.kind ?? null) === kind
        ? { at: performance.now(), ports: event.attention?.ports ?? [] }
        : undefined,
    );
  const stop = async (...commands: TestCommand[]) => {
    for (const command of commands) await host.client.stop(command.id, 'user');
    await Promise.all(commands.map((command) => command.exited()));
  };

  it('a prompt is noticed within 3 s and a silent reader within 5, and what was answered wants nothing', async () => {
    const began = performance.now();
    const grace = { stopGraceMs: 0 };
    const prompt = await host.run('read -p "Go on? " x; echo got=$x; exec sleep 60', grace);
    const silent = await host.run('exec cat', grace);
    const late = await host.run('sleep 3; exec cat', grace);
    expect((await attention(prompt, 'needs-input')).at - began).toBeLessThan(3_000);
    expect((await attention(silent, 'needs-input')).at - began).toBeLessThan(5_000);
    const listed = await host.client.list();
    expect(listed.ok && listed.value.find(({ id }) => id === prompt.id)?.attention).toEqual({
      kind: 'needs-input',
      ports: [],
    });
    await host.client.write(prompt.id, 'yes\n');
    const answered = performance.now();
    await prompt.sees('got=yes');
    expect((await attention(prompt, null)).at - answered).toBeLessThan(2_000);
    expect((await attention(late, 'needs-input')).at - began).toBeLessThan(8_000);
    expect(told(prompt)).toEqual(['needs-input', null]);
    await stop(prompt, silent, late);
  });

  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's
  const askSecret = 'read -rsp "Password: " x; echo; echo "length=${#x}"; read y; echo "y=$y"';

  it('while a secret is asked for an agent is refused, and what the person types is kept nowhere', async () => {
    const command = await host.run(askSecret);
    const began = performance.now();
    await command.sees('Password');
    await sleep(200); // the prompt is written before it is read
    for (const chars of ['guess\n', '\n', '\x03\x03']) {
      expect(await host.client.write(command.id, chars)).toMatchObject({
        ok: false,
        error: { code: 'secret_input' },
      });
    }
    expect(await host.client.sendEof(command.id)).toMatchObject({ error: { code: 'secret_input' } });
    expect((await attention(command, 'needs-secret')).at - began).toBeLessThan(3_000);
    const viewer = new TestViewer(host.client, command.id, null);
    viewer.stream.post(encodeFrame(FrameType.input, 0, 0, Buffer.from(SECRET.slice(0, 10))));
    expect(await host.client.write(command.id, `${SECRET.slice(10)}\n`, 'user')).toMatchObject({ ok: true });
    await command.sees(`length=${SECRET.length}`);
    await attention(command, 'needs-input');
    expect(await host.client.write(command.id, 'open\n')).toMatchObject({ ok: true });
    expect((await command.exited()).exitCode).toBe(0);
    expect(command.log().toString()).toBe(`Password: \r\nlength=${SECRET.length}\r\nopen\r\ny=open\r\n`);
    for (const name of fs.readdirSync(host.folder, { recursive: true, encoding: 'utf8' })) {
      const file = path.join(host.folder, name);
      if (fs.statSync(file).isFile()) {
        expect(fs.readFileSync(file).includes(SECRET.slice(0, 10)), name).toBe(false);
        expect(fs.readFileSync(file).includes(SECRET.slice(10)), name).toBe(false);
      }
    }
    expect(JSON.stringify(host.events)).not.toContain(SECRET.slice(0, 10));
  });

  it('an interrupt is no input: an agent can leave a prompt for a secret', async () => {
    const command = await host.run('read -rsp "Password: " x; echo never');
    await attention(command, 'needs-secret');
    await host.client.write(command.id, '\x03');
    expect((await command.exited()).signal).toBe('SIGINT');
  });

  it('a program that edits its line by itself wants input and no secret; one that is fed without echo is fed', async () => {
    const raw = await host.run('stty -icanon -echo; echo up; head -c 3; echo; read x');
    await raw.sees('up');
    expect((await attention(raw, 'needs-input')).ports).toEqual([]);
    expect(await host.client.write(raw.id, 'abc')).toMatchObject({ ok: true });
    await raw.sees('abc');
    const fed = await host.run('stty -echo; echo up; sleep 1; stty echo; read x; echo x=$x');
    await fed.sees('up');
    expect(await host.client.write(fed.id, 'fed\n')).toMatchObject({ ok: true });
    await fed.sees('x=fed');
    expect(told(raw)).not.toContain('needs-secret');
    await stop(raw);
  });

  it('a silent server is serving, with its port, and never wants input; silence alone is quiet at most', async () => {
    const grace = { stopGraceMs: 0 };
    const server = await host.run(node(SERVER), grace);
    const withKeys = await host.run(
      // Its port comes after the first look for ports.
      node(`process.stdin.on('data', () => {}); setTimeout(() => { ${SERVER} }, 700)`),
      grace,
    );
    const watched = await host.run(
      node(
        `process.stdin.on('data', () => {}); require('child_process').spawn(process.execPath, ['-e', process.env.SERVER], { stdio: ['ignore', 'inherit', 'inherit'] })`,
      ),
      { ...grace, env: { ...host.spec('').env, SERVER } },
    );
    const sleeper = await host.run('exec sleep 60', { ...grace, quietAfterMs: 2_000 });
    const deaf = await host.run('exec sleep 60 | cat', grace);
    const both = await host.run(
      `('${process.execPath}' -e "${SERVER}" < /dev/null &); sleep 1; read -p "Go on? " x`,
      grace,
    );
    for (const command of [server, withKeys, watched]) {
      const { ports } = await attention(command, 'serving');
      expect((await host.client.ports(command.id)).ok).toBe(true);
      expect(await host.client.ports(command.id)).toEqual({ ok: true, value: ports });
      expect(ports).toHaveLength(1);
    }
    await attention(sleeper, 'quiet');
    await sleep(4_000);
    expect([server, withKeys, watched].map(told)).toEqual([['serving'], ['serving'], ['serving']]);
    expect(told(sleeper)).toEqual(['quiet']);
    expect(told(deaf)).toEqual([]);
    // A prompt beside a server is a prompt.
    expect((await attention(both, 'needs-input')).ports.length).toBeLessThanOrEqual(1);
    await stop(server, withKeys, watched, sleeper, deaf, both);
  });
});

it('a wait for input is seen in every way in which a program waits', async () => {
  const host = await TestHost.start();
  try {
    const ways = ['read', 'thread', 'poll', 'ppoll', 'select', 'epoll'];
    const commands = await Promise.all(
      ways.map((way) => host.run(`exec ${built.testkit} await ${way}`, { stopGraceMs: 0 })),
    );
    // A pipe is no terminal, and what is typed is not for the background.
    const others = await Promise.all(
      [
        `sleep 60 | ${built.testkit} await read`,
        `set -m; ${built.testkit} await read & sleep 60`,
        `set -m; ${built.testkit} await epoll & sleep 60`,
      ].map((cmd) => host.run(cmd, { stopGraceMs: 0 })),
    );
    const seen = () =>
      new Set(
        host.events.flatMap((event) =>
          event.type === 'attention' && event.attention?.kind === 'needs-input' ? [event.id] : [],
        ),
      );
    await host.until('all of them', () => (commands.every(({ id }) => seen().has(id)) ? true : undefined));
    await sleep(1_500);
    expect(others.filter(({ id }) => seen().has(id)).map(({ spec }) => spec.cmd)).toEqual([]);
  } finally {
    await host.close();
  }
});

it('says what it can see', async () => {
  const host = await TestHost.start();
  expect(host.client.sight).toBe(process.platform === 'linux' ? 'kernel' : 'none');
  await host.close();
});
