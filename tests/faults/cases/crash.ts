import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Provider } from '../../../electron/agent/provider.ts';
import { AnsweringProvider } from '../../support/answering-provider.ts';
import { endHost, hostPid, startTime, TestHost, until } from '../../support/host.ts';
import { ScriptedProvider, type Supervised } from '../../support/supervised.ts';
import { type Bench, check, type Fault, has, same } from '../fault.ts';
import { marked } from '../marked.ts';
import { startProgram } from '../program.ts';
import { callTool } from '../tools.ts';

const told = async (app: Supervised<Provider>) =>
  (await app.messages()).filter((message) => message.role === 'runtime' && message.kind === 'completion');

/** A folder for runs of the app that are killed; its host ends with the case. */
function appFolder(bench: Bench): string {
  const folder = bench.folder();
  bench.onEnd(() => endHost(folder));
  return folder;
}

/** After the run of the app that left this folder another one tells its end, once, and asks the mind once. */
async function isToldOnce(bench: Bench, folder: string, what: string): Promise<void> {
  const mind = new AnsweringProvider();
  const app = await bench.app(mind, {}, folder);
  await app.until('the wake', () => (mind.requests.length > 0 && !app.session.turn ? true : undefined));
  await sleep(800); // a second wake would come within the merge time
  const completions = await told(app);
  const resumed = (await app.messages()).filter(
    (message) => message.role === 'runtime' && message.kind === 'resumed',
  );
  same(`${what}: times resumed`, resumed.length, 1);
  same(`${what}: times told`, completions.length, 1);
  has(`${what}: the end`, (completions[0] as { ends: object[] }).ends[0] ?? {}, {
    exitCode: 7,
    state: 'failed',
  });
  same(`${what}: requests`, mind.requests.length, 1);
  const carried = mind.requests[0]?.messages.filter(
    (message) => message.role === 'runtime' && message.kind === 'completion',
  );
  same(`${what}: in the request`, carried?.length, 1);
  same(`${what}: the session`, [app.session.view.status, app.session.view.wait], ['idle', null]);
  const inbox = (await app.store.load()).inbox;
  same(`${what}: still to be told`, inbox, []);
}

export const crash: readonly Fault[] = [
  {
    number: 47,
    title: 'SIGKILL of the app with 5 kinds of job: all live, re-adopted in 1 s, logs contiguous',
    run: async (bench) => {
      const folder = appFolder(bench);
      const program = startProgram(bench, 'app', [folder, 'jobs']);
      const ids = JSON.parse(await program.says('ready')) as string[];
      program.child.kill('SIGKILL');
      await program.ended;
      await sleep(300);
      const began = performance.now();
      const app = await bench.app(new ScriptedProvider(), {}, folder);
      const took = performance.now() - began;
      check(took < 1_000, `within 1 s (${took.toFixed(0)} ms)`);
      const records = ids.map((id) => app.app.commands.record(id));
      same(
        'states',
        records.map((record) => record?.state),
        ids.map(() => 'running'),
      );
      const dead = records.filter((record) => startTime(record?.pid ?? 0) === null);
      same(
        'dead ones',
        dead.map((record) => record?.cmd),
        [],
      );
      const daemon = marked().get(ids[4] ?? '') ?? [];
      check(daemon.length >= 2, `the daemon of the fifth lives too (${daemon.length})`);
      const [chatty = '', , reads = '', serves = ''] = ids;
      const ports = await app.host.client.ports(serves);
      check(ports.ok && ports.value.length === 1, 'the server listens');
      await callTool(app, 'write_stdin', { session_id: reads, chars: 'it\n' });
      await app.until('the end of the reader', () => (app.app.commands.hasEnded(reads) ? true : undefined));
      has('the reader', app.app.commands.record(reads) ?? {}, { state: 'failed', exitCode: 5 });
      await callTool(app, 'stop_command', { session_id: chatty });
      const log = fs.readFileSync(path.join(folder, 'commands', chatty, 'output.log'), 'utf8');
      const lines = log.split('\r\n').filter((line) => /^line \d+$/.test(line));
      same(
        'the first gap',
        lines.findIndex((line, i) => line !== `line ${i}`),
        -1,
      );
      check(lines.length > 60, `it wrote on meanwhile (${lines.length} lines)`);
      return `${took.toFixed(0)} ms, ${lines.length} lines`;
    },
  },
  {
    number: 48,
    title: 'SIGKILL at each step of a start: never two copies, never an unrecorded process',
    run: async (bench) => {
      let starts = 0;
      const rounds = 10;
      for (let round = 0; round < rounds; round++) {
        const folder = appFolder(bench);
        const program = startProgram(bench, 'app', [folder, 'starts']);
        await program.says('begun');
        await sleep(round * 8);
        const isHost = round % 2 === 1;
        const pid = hostPid(folder) ?? 0;
        if (isHost) process.kill(pid, 'SIGKILL');
        program.child.kill('SIGKILL');
        await program.ended;
        await sleep(100);
        const host = await TestHost.start({ folder });
        bench.onEnd(() => host.client.dispose());
        const listed = await host.client.list();
        const known = new Map((listed.ok ? listed.value : []).map((command) => [command.id, command]));
        const commands = path.join(folder, 'commands');
        const here = new Set(fs.existsSync(commands) ? fs.readdirSync(commands) : []);
        const running = [...marked()].filter(([id]) => here.has(id) || known.has(id));
        const unrecorded = running
          .filter(([id]) => known.get(id)?.exit !== null)
          .map(([id, pids]) => [id, pids]);
        same(`round ${round}: alive and not told as alive`, unrecorded, []);
        if (isHost) same(`round ${round}: alive without the host`, running, []);
        const marks = fs.readdirSync(folder).filter((name) => name.startsWith('start-'));
        const copies = marks.filter((name) =>
          fs.readFileSync(path.join(folder, name), 'utf8').trim().includes('\n'),
        );
        same(`round ${round}: started twice`, copies, []);
        starts += marks.length;
        const app = await bench.app(new ScriptedProvider(), {}, folder);
        const lives = app.app.commands.live().map(({ id }) => known.get(id)?.exit ?? null);
        same(
          `round ${round}: what the app takes for alive and has ended`,
          lives.filter((exit) => exit !== null),
          [],
        );
        host.client.dispose();
        endHost(folder);
        await until('the end of the trees', () =>
          [...marked().keys()].some((id) => here.has(id)) ? undefined : true,
        );
      }
      return `${starts} starts, ${rounds} kills`;
    },
  },
  {
    number: 49,
    title: 'SIGKILL between exit record and notice: told once after restart',
    run: async (bench) => {
      const modes = ['before-notice', 'saved-notice', 'after-notice', 'saved-wake', 'saved-telling'];
      for (const mode of modes) {
        const folder = appFolder(bench);
        const program = startProgram(bench, 'app', [folder, mode]);
        await program.says('asleep');
        await program.ended;
        await isToldOnce(bench, folder, mode);
      }
      // Nobody is there when it ends, and the host that has recorded the end tells nobody of it any more.
      const folder = appFolder(bench);
      const program = startProgram(bench, 'app', [folder, 'detached']);
      await program.says('asleep');
      program.child.kill('SIGKILL');
      await program.ended;
      const pid = hostPid(folder) ?? 0;
      fs.writeFileSync(path.join(folder, 'gate'), '');
      const [id = ''] = fs.readdirSync(path.join(folder, 'commands'));
      const record = path.join(folder, 'commands', id, 'exit.json');
      await until('the exit record', () =>
        fs.readFileSync(record, 'utf8').startsWith('{') ? true : undefined,
      );
      process.kill(pid, 'SIGKILL');
      await until('the end of the host', () => (startTime(pid) === null ? true : undefined));
      await isToldOnce(bench, folder, 'host killed after the record');
      return `${modes.length} moments of the app, 1 of the host`;
    },
  },
  {
    number: 52,
    title: 'a chat with a detached job reopens and goes on',
    run: async (bench) => {
      const folder = appFolder(bench);
      const program = startProgram(bench, 'app', [folder, 'detached']);
      await program.says('asleep');
      program.child.kill('SIGKILL');
      await program.ended;
      const mind = new AnsweringProvider();
      const app = await bench.app(mind, {}, folder);
      const { wait, status } = app.session.view;
      same('the session', [status, wait?.commandIds.length], ['suspended', 1]);
      await app.app.send(app.session, 'how is it?');
      await app.until('the answer', () =>
        mind.requests.length === 1 && !app.session.turn && app.session.view.status === 'suspended'
          ? true
          : undefined,
      );
      same('the wait', app.session.view.wait, wait);
      fs.writeFileSync(path.join(folder, 'gate'), '');
      await app.until('the wake', () => (mind.requests.length === 2 && !app.session.turn ? true : undefined));
      same('times told', (await told(app)).length, 1);
      same('at the end', [app.session.view.status, app.session.view.wait], ['idle', null]);
    },
  },
];
