/** In a PID namespace of its own: an agent's command kills every process named node. Prints who lives. */
import { setTimeout as sleep } from 'node:timers/promises';
import { hostPid, startTime } from '../../support/host.ts';
import { ScriptedProvider, supervise } from '../../support/supervised.ts';
import { callTool, runToEnd } from '../tools.ts';

process.title = 'switchyard'; // as the app is named; this program is a node only because nothing else is at hand
const app = await supervise(new ScriptedProvider());
const decoy = await callTool(app, 'exec_command', {
  cmd: `exec ${process.execPath} -e 'setInterval(() => {}, 1000)'`,
  yield_time_ms: 600,
});
const other = await callTool(app, 'exec_command', { cmd: 'exec sleep 600', yield_time_ms: 250 });
const pidOf = (called: typeof decoy) => app.app.commands.record(String(called.result?.session_id))?.pid ?? 0;
const [decoyPid, otherPid] = [pidOf(decoy), pidOf(other)];
const wasAlive = startTime(decoyPid) !== null;
await runToEnd(app, { cmd: 'pkill node; pkill -9 node; sleep 0.2; echo done' });
await sleep(200);
console.log(
  JSON.stringify({
    isDecoyGone: wasAlive && startTime(decoyPid) === null,
    isHostAlive: startTime(hostPid(app.host.folder) ?? 0) !== null && (await app.host.client.list()).ok,
    isAppAlive: true,
    isOtherJobAlive: startTime(otherPid) !== null,
  }),
);
process.exit(0);
