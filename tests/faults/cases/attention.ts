import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeFrame, FrameType } from '../../../shared/protocol/frame.ts';
import { AnsweringProvider } from '../../support/answering-provider.ts';
import { TestViewer } from '../../support/host.ts';
import { rawClient } from '../../support/raw-client.ts';
import { ScriptedProvider } from '../../support/supervised.ts';
import { check, type Fault, same } from '../fault.ts';
import { callTool } from '../tools.ts';
import { isNoticedWithin, untilItWants, wants } from '../wants.ts';

/** Files below a folder in which this text is. */
function filesWith(folder: string, text: string): string[] {
  return fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const file = path.join(folder, name);
    return fs.lstatSync(file).isFile() && fs.readFileSync(file).includes(text);
  });
}

export const attention: readonly Fault[] = [
  {
    number: 37,
    title: 'read -p: noticed within 3 s, told to the agent, and over when it was answered',
    run: async (bench) => {
      const cmd = 'read -p "Go on? " x; echo got=$x; exec sleep 60';
      const { app, id, note } = await isNoticedWithin(bench, cmd, 3_000);
      await callTool(app, 'write_stdin', { session_id: id, chars: 'yes\n', yield_time_ms: 250 });
      await app.until('the answer to be seen', () =>
        wants(app, id).at(-1) === 'nothing' ? true : undefined,
      );
      same('what it wanted', wants(app, id), ['needs-input', 'nothing']);
      return note;
    },
  },
  {
    number: 38,
    title: 'read -s: needs-secret, agent writes refused, the typed text nowhere',
    run: async (bench) => {
      const mind = new AnsweringProvider();
      const app = await bench.app(mind);
      const { host } = app;
      const raw = await rawClient(host.folder);
      bench.onEnd(() => raw.socket.destroy());
      let wire = '';
      raw.socket.on('data', (chunk) => {
        wire += chunk.toString('latin1');
      });
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's
      const cmd = 'read -rsp "Password: " x; echo; echo "length=${#x}"; read y; echo "y=$y"; exit 3';
      const { id, tookMs } = await untilItWants(app, cmd, 'needs-secret');
      const results: unknown[] = [];
      const type = async (input: object) => {
        const called = await callTool(app, 'write_stdin', { session_id: id, yield_time_ms: 250, ...input });
        results.push(called);
        return called;
      };
      for (const input of [{ chars: 'guess\n' }, { chars: '\n' }, { eof: true }]) {
        const { error } = await type(input);
        check(error !== undefined, `${JSON.stringify(input)} of an agent is refused`);
        check(/secret|password/i.test(error.message), `it says why (${error.message})`);
      }
      // A person types: the first half in a pane, the second as the app hands it on.
      const [first, second] = ['correct-horse-', 'battery-staple'];
      const viewer = new TestViewer(host.client, id, null);
      await viewer.until('the prompt', () => (viewer.bytes.includes('Password') ? true : undefined));
      viewer.stream.post(encodeFrame(FrameType.input, 0, 0, Buffer.from(first)));
      await host.client.write(id, `${second}\n`, 'user');
      const { length } = first + second;
      await viewer.until('what it read', () =>
        viewer.bytes.includes(`length=${length}`) ? true : undefined,
      );
      await app.until('the next prompt', () => (wants(app, id).at(-1) === 'needs-input' ? true : undefined));
      // From then on the agent may type again, and this the log has.
      await type({ chars: 'plain-text\n', yield_time_ms: 5_000 });
      await app.until('the end', () => (app.app.commands.hasEnded(id) ? true : undefined));
      results.push(await callTool(app, 'read_output', { session_id: id }));
      await app.app.send(app.session, 'how was it?');
      await app.until('an answer', () => (mind.requests.length > 0 && !app.session.turn ? true : undefined));
      const told = {
        'what agents are told': JSON.stringify([results, mind.requests]),
        'what the window is told': JSON.stringify([app.events, await app.messages()]),
        'what clients of the host are told': wire + viewer.bytes.toString('latin1'),
      };
      for (const part of [first, second]) {
        same('files with it', filesWith(host.folder, part), []);
        for (const [where, text] of Object.entries(told))
          check(!text.includes(part), `it is not in ${where}`);
      }
      // So that it would have been found: what was typed with echo is there.
      for (const [where, text] of Object.entries(told))
        check(text.includes('plain-text'), `plain text is in ${where}`);
      const files = filesWith(host.folder, 'plain-text');
      check(files.length > 0, 'plain text is in the files');
      return `${tookMs.toFixed(0)} ms; looked through files, database, results, events, wire`;
    },
  },
  {
    number: 39,
    title: 'a server that is silent: serving, never needs-input',
    run: async (bench) => {
      const app = await bench.app(new ScriptedProvider());
      const listen = `require("node:net").createServer().listen(0, "127.0.0.1")`;
      const node = (script: string) => `exec '${process.execPath}' -e '${script}'`;
      const servers = [
        node(listen),
        // One that also takes keys, as development servers do, waits at its terminal like a prompt.
        node(`process.stdin.on("data", () => {}); setTimeout(() => { ${listen} }, 700)`),
      ];
      const ids: string[] = [];
      for (const cmd of servers) ids.push((await untilItWants(app, cmd, 'serving')).id);
      await sleep(4_000);
      for (const [i, id] of ids.entries()) {
        same(`what server ${i + 1} wants`, wants(app, id), ['serving']);
        same(`ports of server ${i + 1}`, app.app.commands.view(id)?.attention?.ports.length, 1);
      }
    },
  },
];
