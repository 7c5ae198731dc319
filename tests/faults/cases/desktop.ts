import fs from 'node:fs';
import path from 'node:path';
import { hostFiles, socketPath } from '../../../electron/pty-host/host-paths.ts';
import { appVersion, startTime } from '../../support/host.ts';
import { ScriptedProvider } from '../../support/supervised.ts';
import { check, type Fault, has, same } from '../fault.ts';
import { runIsolated } from '../program.ts';
import { callTool, runToEnd } from '../tools.ts';

export const desktop: readonly Fault[] = [
  {
    number: 59,
    title: 'env | grep ELECTRON_, NODE_OPTIONS, NODE_ENV, npm_, VITE_ inside a command: empty',
    run: async (bench) => {
      const ours = {
        ELECTRON_RUN_AS_NODE: '1',
        ELECTRON_NO_ATTACH_CONSOLE: '1',
        NODE_OPTIONS: '--no-warnings',
        NODE_ENV: 'production',
        npm_config_user_agent: 'npm',
        VITE_DEV_SERVER_URL: 'http://127.0.0.1:1',
        SWITCHYARD_TALLY_FILE: '/nowhere',
      };
      const before = Object.keys(ours).map((name) => [name, process.env[name]] as const);
      Object.assign(process.env, ours);
      bench.onEnd(() => {
        for (const [name, value] of before) {
          if (value === undefined) delete process.env[name];
          else process.env[name] = value;
        }
      });
      const app = await bench.app(new ScriptedProvider());
      const found = await runToEnd(app, {
        cmd: "env | grep -E '^(ELECTRON_|NODE_OPTIONS|NODE_ENV|npm_|VITE_|SWITCHYARD_TALLY)'",
      });
      has('grep', found.end, { exit_code: 1, output: '' });
      const other = await runToEnd(app, { cmd: '[ -n "$PATH" ] && [ -n "$HOME" ] && tty < /dev/tty' });
      has('the rest is there', other.end, { exit_code: 0 });
    },
  },
  {
    number: 62,
    title: 'pkill node by the agent: app and host live',
    run: async (bench) => {
      const told = await runIsolated(bench, 'pkill-node');
      has('what was seen', told, {
        isDecoyGone: true,
        isHostAlive: true,
        isAppAlive: true,
        isOtherJobAlive: true,
      });
    },
  },
  {
    number: 63,
    title: 'log files 0600 in 0700',
    run: async (bench) => {
      const umask = process.umask(0);
      bench.onEnd(() => process.umask(umask));
      const app = await bench.app(new ScriptedProvider());
      const { id } = await runToEnd(app, { cmd: 'seq 1 20000' });
      const { folder } = app.host;
      const wrong: string[] = [];
      const look = (file: string) => {
        const stat = fs.lstatSync(file);
        const mode = stat.mode & 0o777;
        if (mode !== (stat.isDirectory() ? 0o700 : 0o600))
          wrong.push(`${path.relative(folder, file)} ${mode.toString(8)}`);
        if (stat.isDirectory()) for (const name of fs.readdirSync(file)) look(path.join(file, name));
      };
      for (const name of ['commands', 'artifacts', 'token']) look(path.join(folder, name));
      for (const file of [
        hostFiles.pid(folder, appVersion),
        hostFiles.owner(folder, appVersion),
        socketPath(folder, 'host', appVersion),
        socketPath(folder, 'runner', appVersion),
      ])
        look(file);
      same('modes', wrong, []);
      check(
        fs.readdirSync(path.join(folder, 'artifacts')).length > 0,
        `the output of ${id} was kept as a file`,
      );
    },
  },
  {
    number: 64,
    title: 'the agent types into a pane only through its own handle',
    run: async (bench) => {
      const app = await bench.app(new ScriptedProvider());
      const other = app.app.session((await app.app.createSession(app.host.folder)).id);
      if (!other) throw new Error('there is no second session');
      const cmd = 'echo ready; read x; echo got $x; exit 3';
      const started = await callTool(app, 'exec_command', { cmd, tty: true, yield_time_ms: 400 });
      const id = String(started.result?.session_id);
      const record = JSON.stringify(app.app.commands.record(id));
      for (const [name, input] of [
        ['write_stdin', { session_id: id, chars: 'stolen\n' }],
        ['write_stdin', { session_id: id, chars: '\u0003' }],
        ['write_stdin', { session_id: id, eof: true }],
        ['stop_command', { session_id: id }],
        ['read_output', { session_id: id }],
        ['wait', { session_ids: [id] }],
      ] as const) {
        same(
          `${name} of another session`,
          (await callTool(app, name, input, other)).error?.code,
          'handle_forbidden',
        );
      }
      same('the command', JSON.stringify(app.app.commands.record(id)), record);
      check(startTime(app.app.commands.record(id)?.pid ?? 0) !== null, 'it lives');
      // Reads as the tty itself would: by no handle but its own.
      const own = await callTool(app, 'write_stdin', {
        session_id: id,
        chars: 'mine\n',
        yield_time_ms: 5_000,
      });
      const text = `${started.result?.output}${own.result?.output}`;
      check(/got mine/.test(text) && !/stolen/.test(text), `its own handle types (${JSON.stringify(text)})`);
    },
  },
];
