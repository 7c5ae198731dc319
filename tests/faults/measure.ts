import fs from 'node:fs';
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** Memory of a process that is in use. */
export function rssBytes(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1]) * 1024;
}

/** User and system time, in clock ticks: 100 a second. */
export function cpuTicks(pid: number): number {
  const text = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** What a process holds: descriptors, threads, and children that it has not reaped. */
export function holdings(pid: number): { descriptors: number; threads: number; children: number } {
  const proc = `/proc/${pid}`;
  const children = fs.readFileSync(`${proc}/task/${pid}/children`, 'utf8').trim();
  return {
    descriptors: fs.readdirSync(`${proc}/fd`).length,
    threads: fs.readdirSync(`${proc}/task`).length,
    children: children === '' ? 0 : children.split(' ').length,
  };
}

/** How long the first thread of a process has run, and how long it waited for a core to run on. */
export function schedule(pid: number): { ranMs: number; waitedMs: number } {
  const [ran, waited] = fs.readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ').map(Number);
  return { ranMs: (ran ?? 0) / 1e6, waitedMs: (waited ?? 0) / 1e6 };
}

/** The part of the machine's cores that is in use, over a time. */
export async function busyPart(ms: number): Promise<number> {
  const look = () => {
    const times = os.cpus().map((cpu) => cpu.times);
    const idle = times.reduce((sum, time) => sum + time.idle, 0);
    return {
      idle,
      all: times.reduce((sum, { user, nice, sys, irq }) => sum + user + nice + sys + irq, idle),
    };
  };
  const before = look();
  await sleep(ms);
  const after = look();
  return 1 - (after.idle - before.idle) / (after.all - before.all);
}

/** Children of this process. */
export function ownChildren(): number[] {
  const children = fs.readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim();
  return children === '' ? [] : children.split(' ').map(Number);
}
