/**
 * In a PID namespace of its own: folders of former commands whose records name process 0, 1, the reader itself, its
 * group, or a stranger. A host that takes them up must tell them as lost and hit nobody.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, hostPid, newId, startTime, TestHost, temporaryFolder } from '../../support/host.ts';

const folder = temporaryFolder('forged');
const first = await TestHost.start({ folder });
const sample = await first.run('exit 0');
await sample.exited();
const meta = JSON.parse(fs.readFileSync(path.join(sample.folder, 'meta.json'), 'utf8'));
const pid = hostPid(folder) as number;

const stranger = spawn('sleep', ['600'], { stdio: 'ignore', detached: true });
const strangerPid = stranger.pid as number;
const own = process.pid;
const forged: [pid: number, runnerPid: number | null, startTime: number | null][] = [
  [0, 0, 0],
  [0, null, null],
  [1, 1, startTime(1)],
  [-1, -1, null],
  [own, own, startTime(own)],
  [-own, null, null],
  [strangerPid, null, (startTime(strangerPid) ?? 0) + 1],
];
const ids = forged.map(([forgedPid, runnerPid, start]) => {
  const id = newId();
  const into = path.join(folder, 'commands', id);
  fs.mkdirSync(into, { mode: 0o700 });
  for (const name of ['command.sh', 'output.log', 'exit.json']) fs.writeFileSync(path.join(into, name), '');
  const record = { ...meta, id, pid: forgedPid, runnerPid, startTime: start, marker: `${id}-forged` };
  fs.writeFileSync(path.join(into, 'meta.json'), JSON.stringify(record));
  return id;
});
process.kill(pid, 'SIGKILL');
while (startTime(pid) !== null) await sleep(10);

// It reads the folders as it starts: what is wrong would be hit now. Its own number is known only then.
const host = await connect(folder);
const id = newId();
const into = path.join(folder, 'commands', id);
fs.mkdirSync(into, { mode: 0o700 });
fs.writeFileSync(
  path.join(into, 'meta.json'),
  JSON.stringify({
    ...meta,
    id,
    pid: host.hostPid,
    runnerPid: null,
    startTime: startTime(host.hostPid),
    marker: 'x',
  }),
);
for (const name of ['command.sh', 'output.log', 'exit.json']) fs.writeFileSync(path.join(into, name), '');
await host.stop(id, 'user');
for (const each of ids) await host.stop(each, 'user');
const listed = await host.list();
const told = (listed.ok ? listed.value : []).filter((command) => ids.includes(command.id));
console.log(
  JSON.stringify({
    records: forged.length + 1,
    isHostAlive: startTime(host.hostPid) !== null && (await host.list()).ok,
    isStrangerAlive: startTime(strangerPid) !== null,
    told:
      told.length === ids.length && told.every((command) => command.exit?.reason === 'lost') ? 'lost' : told,
  }),
);
process.exit(0);
