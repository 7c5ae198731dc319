/**
 * In namespaces of its own: a host that gets no terminal, no descriptor, no process. Each time what is tried is refused,
 * what runs goes on, and afterwards all is as before. Prints what was seen; null for what cannot be tried here.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import { built, hostPid, TestHost } from '../../support/host.ts';

const notes: string[] = [];
const tries = (file: string, ...args: string[]) => spawnSync(file, args, { encoding: 'utf8' });
const options = 'newinstance,ptmxmode=0666,mode=620,max=8';
const isMounted = tries('mount', '-t', 'devpts', '-o', options, 'devpts', '/dev/pts').status === 0;
if (isMounted && !fs.lstatSync('/dev/ptmx').isSymbolicLink())
  tries('mount', '--bind', '/dev/pts/ptmx', '/dev/ptmx');

const host = await TestHost.start();
const pid = hostPid(host.folder) as number;

/** Starts commands until one is refused, `max` at most; then looks that the others live, ends them, and starts one more. */
async function exhaust(max: number, relax: () => void) {
  const others = [];
  let refused: { code: string; errno?: string | undefined; message: string } | null = null;
  for (let i = 0; i < max && refused === null; i++) {
    const spec = host.spec('echo up; read x; echo got $x', { stopGraceMs: 0 });
    const result = await host.client.spawn(spec);
    if (result.ok) others.push(spec.id);
    else refused = result.error;
  }
  let isOtherAlive = true;
  for (const id of others) {
    await host.client.write(id, 'it\n');
    const exit = await host.event(`the end of ${id}`, (event) =>
      event.type === 'exited' && event.id === id ? event.exit : undefined,
    );
    isOtherAlive &&= exit.reason === 'exited' && exit.exitCode === 0;
  }
  relax();
  const next = await host.until('a command that starts again', async () => {
    const command = await host.client.spawn(host.spec('exit 7'));
    return command.ok ? true : undefined;
  });
  return {
    ...(refused ?? { code: 'never refused' }),
    started: others.length,
    isOtherAlive,
    isBackToNormal: next,
  };
}

const pty = isMounted ? await exhaust(20, () => {}) : null;
if (!isMounted) notes.push('no PTY left: not tried, devpts cannot be mounted');

const limit = (soft: string) => tries('prlimit', '--pid', String(pid), `--nofile=${soft}`);
const open = fs.readdirSync(`/proc/${pid}/fd`).length;
const isLimited = limit(`${open + 12}:`).status === 0;
const files = isLimited ? await exhaust(40, () => void limit('4096:')) : null;
if (!isLimited) notes.push('EMFILE: not tried, there is no prlimit');

// Only since Linux 6.14 this is the namespace's own; before it would be everybody's.
const [major = 0, minor = 0] = os.release().split('.').map(Number);
const isOwn = major > 6 || (major === 6 && minor >= 14);
const PID_MAX = '/proc/sys/kernel/pid_max';
let processes: object | null = null;
if (isOwn) {
  const before = fs.readFileSync(PID_MAX, 'utf8');
  fs.writeFileSync(PID_MAX, '301');
  const hog = await host.run(`exec ${built.testkit} wide 400`, { stopGraceMs: 0 });
  await hog.sees('up');
  processes = await exhaust(5, () => {
    fs.writeFileSync(PID_MAX, before);
    void host.client.stop(hog.id, 'user');
  });
} else notes.push('EAGAIN: not tried, pid_max is not of the namespace before Linux 6.14');

console.log(JSON.stringify({ pty, files, processes, notes }));
process.exit(0);
