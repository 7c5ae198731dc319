/**
 * A run of the app without a window, in a process of its own. FOLDER MODE
 *
 * - many GATE COUNT: starts so many commands that write numbered lines until the gate is open, then waits to be killed
 * - row WARM COUNT: runs `true` again and again, and says as JSON what host and this process held after
 *   the first WARM, after half of COUNT more, and after all of them
 */
import { holdings, rssBytes } from '../../faults/measure.ts';
import { hostPid, inParallel, until } from '../host.ts';
import { startLinkedApp } from '../linked.ts';

const [folder = '', mode = '', ...rest] = process.argv.slice(2);
const it = await startLinkedApp(folder, { maxLiveCommands: 1_000, maxLiveCommandsPerSession: 1_000 });

if (mode === 'many') {
  const [gate = '', count = '0'] = rest;
  const cmd = `i=0; while [ ! -f ${gate} ]; do echo line $((i++)); sleep 0.5; done; echo line $i; exit 5`;
  await inParallel(Number(count), 8, async () => {
    const { status } = await it.exec(cmd, 250);
    if (status !== 'running') throw new Error(`a command is ${status}`);
  });
  console.log('ready');
  setInterval(() => {}, 60_000);
} else if (mode === 'row') {
  const [warm = '0', count = '0'] = rest.map(Number);
  const host = hostPid(folder) as number;
  /** Once nothing of the last commands is still being closed. */
  const atRest = () => {
    let last = '';
    return until('rest', async () => {
      global.gc?.();
      const held = { host: holdings(host), app: holdings(process.pid) };
      const text = JSON.stringify(held);
      const isCalm = text === last && held.host.children === 0;
      last = text;
      if (!isCalm) await new Promise((resolve) => setTimeout(resolve, 200));
      const memory = {
        host: rssBytes(host),
        app: rssBytes(process.pid),
        heap: process.memoryUsage().heapUsed,
      };
      return isCalm ? { held, ...memory } : undefined;
    });
  };
  const run = async (times: number) => {
    await inParallel(times, 4, async () => {
      const { exit_code: code } = await it.exec('true', 30_000);
      if (code !== 0) throw new Error(`true ended with ${String(code)}`);
    });
    await it.app.stopOwnAndWait('quit');
    it.events.length = 0;
    it.linked.events.length = 0;
    return atRest();
  };
  const told = [await run(Number(warm))];
  for (let half = 0; half < 2; half++) told.push(await run(Number(count) / 2));
  console.log(JSON.stringify(told));
  await it.close();
  process.exit(0);
} else throw new Error(`there is no mode ${mode}`);
