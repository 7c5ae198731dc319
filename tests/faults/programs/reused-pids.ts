/**
 * In a PID namespace of its own: commands that have ended, and strangers that got the very numbers of their processes.
 * Stop of what has ended must hit none of them. Held by the runner and by scanning. Prints what was seen.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTime, TestHost } from '../../support/host.ts';

const LAST_PID = '/proc/sys/kernel/ns_last_pid';

/** A process that has this number; null when somebody else was quicker. */
async function strangerWith(pid: number): Promise<ChildProcess | null> {
  for (let attempt = 0; attempt < 20; attempt++) {
    fs.writeFileSync(LAST_PID, String(pid - 1));
    const stranger = spawn('sleep', ['600'], { stdio: 'ignore', detached: true });
    await once(stranger, 'spawn');
    if (stranger.pid === pid) return stranger;
    stranger.kill('SIGKILL');
    await sleep(20);
  }
  return null;
}

let tried = 0;
let reused = 0;
const hit: number[] = [];
for (const options of [{}, { runner: null }]) {
  const host = await TestHost.start(options);
  for (const isStopped of [true, false]) {
    const command = await host.run(isStopped ? 'echo up; exec sleep 600' : 'echo up; exit 3', {
      stopGraceMs: 0,
    });
    await command.sees('up');
    const numbers = [command.pid, command.meta().runnerPid].filter((pid) => pid !== null);
    if (isStopped) await host.client.stop(command.id, 'user');
    await command.exited();
    // The runner ends a little later than it tells.
    for (const pid of numbers) while (fs.existsSync(`/proc/${pid}`)) await sleep(5);
    const strangers: ChildProcess[] = [];
    for (const pid of numbers) {
      tried++;
      const stranger = await strangerWith(pid);
      if (stranger !== null) strangers.push(stranger);
    }
    reused += strangers.length;
    for (let i = 0; i < 3; i++) await host.client.stop(command.id, 'user');
    await sleep(400);
    for (const { pid = 0 } of strangers) if (startTime(pid) === null) hit.push(pid);
    for (const stranger of strangers) stranger.kill('SIGKILL');
  }
  await host.close();
}
console.log(JSON.stringify({ tried, reused, hit }));
process.exit(0);
