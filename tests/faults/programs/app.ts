/**
 * A run of the app that its parent kills: the supervisor, the store and the host client, without a window. FOLDER MODE
 *
 * - jobs: starts five kinds of job, then says their handles
 * - starts: starts one command after the other until it is killed
 * - before-notice, saved-notice, saved-wake, saved-telling: kills itself when the end of its command is to be saved, or
 *   when the end, the wake, or the message that tells of it has just been saved and nothing has followed from it
 * - after-notice: kills itself when the window was told
 * - detached: its command was detached by the user, and its turn has ended
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Checkpoint } from '../../../electron/supervisor/ports.ts';
import { ScriptedProvider, supervise } from '../../support/supervised.ts';
import { callTool } from '../tools.ts';

const [folder = '', mode = ''] = process.argv.slice(2);
const gate = path.join(folder, 'gate');
const gated = `until [ -f ${gate} ]; do sleep 0.05; done; printf background-finished; exit 7`;
const server = `require("node:net").createServer().listen(0, "127.0.0.1", function () { console.log("port " + this.address().port + ".") })`;

const provider = new ScriptedProvider();
const it = await supervise(provider, {}, folder);

switch (mode) {
  case 'jobs': {
    const jobs = [
      { cmd: 'i=0; while :; do echo line $((i++)); sleep 0.005; done' },
      { cmd: 'exec sleep 600' },
      { cmd: 'read x; echo got $x; exit 5', tty: true },
      { cmd: `${process.execPath} -e '${server}'` },
      { cmd: 'setsid sleep 600 & exec sleep 600' },
    ];
    const called = await Promise.all(
      jobs.map((job) => callTool(it, 'exec_command', { ...job, yield_time_ms: 400 })),
    );
    console.log(`ready ${JSON.stringify(called.map(({ result }) => result?.session_id))}`);
    break;
  }
  case 'starts': {
    console.log('begun');
    for (let i = 0; ; i += 3) {
      const cmds = [i, i + 1, i + 2].map((n) => `echo $$ >> ${folder}/start-${n}; exec sleep 600`);
      await Promise.all(cmds.map((cmd) => callTool(it, 'exec_command', { cmd, yield_time_ms: 250 })));
    }
  }
  case 'before-notice':
  case 'saved-notice':
  case 'saved-wake':
  case 'saved-telling':
  case 'after-notice':
  case 'detached': {
    if (mode === 'before-notice') {
      it.store.rejects = (change) => {
        if ((change.inbox?.length ?? 0) > 0) process.kill(process.pid, 'SIGKILL');
        return false;
      };
    }
    const save = it.store.checkpoint.bind(it.store);
    it.store.checkpoint = async (change) => {
      await save(change);
      if (isLastSave(mode, change)) process.kill(process.pid, 'SIGKILL');
    };
    provider.goOn(
      () => ({
        calls: [['exec_command', { cmd: gated, yield_time_ms: mode === 'detached' ? 30_000 : 250 }]],
      }),
      () => ({ text: 'it runs' }),
    );
    await it.app.send(it.session, 'run it');
    if (mode === 'detached') {
      const running = await it.until('the command', () => it.app.commands.live()[0]);
      if (!it.app.detach(running.id)) throw new Error('it could not be detached');
    }
    await it.until('the suspension', () => (it.session.view.status === 'suspended' ? true : undefined));
    console.log('asleep');
    if (mode !== 'detached') fs.writeFileSync(gate, '');
    if (mode === 'after-notice') {
      await it.until('the end', () =>
        it.events.some((event) => event.type === 'command.terminal') ? true : undefined,
      );
      process.kill(process.pid, 'SIGKILL');
    }
    break;
  }
  default:
    throw new Error(`there is no mode ${mode}`);
}

/** Whether the run of the app ends with this save. */
function isLastSave(of: string, { inbox = [], append = [] }: Checkpoint): boolean {
  switch (of) {
    case 'saved-notice':
      return inbox.some(({ state }) => state === 'pending');
    case 'saved-wake':
      return append.some(({ message }) => message.role === 'runtime' && message.kind === 'resumed');
    case 'saved-telling':
      return inbox.some(({ state }) => state === 'injected');
    default:
      return false;
  }
}
