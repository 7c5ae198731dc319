// The tables of systems that the tests do not run on, in the form in which ps, lsof, WMI and netstat tell them.
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { parseLsof, parseNetstat } from '../../../electron/pty-host/listening-ports.ts';
import type { ProcessInfo, ProcessTable } from '../../../electron/pty-host/process-table.ts';
import { parsePsMarks, parsePsRows, psTable } from '../../../electron/pty-host/ps-table.ts';
import { type TreeRoot, TreeScan } from '../../../electron/pty-host/tree-scan.ts';
import { parseWindowsRows } from '../../../electron/pty-host/windows-table.ts';

const MARK = 'SWITCHYARD_COMMAND=c1-abc';
const DEVICES: Record<string, number> = { ttys003: 0x1000_0003, ttys004: 0x1000_0004 };
const recorded = (name: string) =>
  fs.readFileSync(path.join(import.meta.dirname, '../../fixtures/process-tables', name), 'utf8');
const macProcesses = () => parsePsRows(recorded('macos-ps.txt'), (name) => DEVICES[name] ?? 0);
const windowsProcesses = () => parseWindowsRows(recorded('windows-cim.csv'));

function tableOf(processes: ProcessInfo[], marked = new Set<number>()): ProcessTable {
  return {
    find: async (pid) => processes.find((each) => each.pid === pid) ?? null,
    visit: async (_mark, visitor) => {
      for (const each of processes) visitor(each, () => marked.has(each.pid));
    },
  };
}

async function membersOf(table: ProcessTable, self: number, root: TreeRoot): Promise<number[]> {
  const scan = new TreeScan(root, () => {}, table, self);
  await scan.prepare();
  while ((await scan.pass()) > 0);
  return [...scan.members.values()].map(({ pid }) => pid).sort((a, b) => a - b);
}

it('macOS: ps tells number, parent, group, terminal, start and name of all that lives', () => {
  const found = new Map(macProcesses().map((each) => [each.pid, each]));
  expect(found.get(531)).toEqual({
    pid: 531,
    parent: 530,
    group: 530,
    session: 0,
    startTime: Date.UTC(2026, 11, 1, 9, 10, 2) / 1_000,
    foreground: 530,
    terminal: 0x1000_0003,
    name: 'node',
  });
  expect(found.get(551)).toMatchObject({ terminal: 0, name: 'worker' });
  expect(found.has(570)).toBe(false); // a zombie
});

it('macOS: a mark counts as a whole word only', () => {
  expect([...parsePsMarks(recorded('macos-ps-environment.txt'), MARK)]).toEqual([501, 531, 550]);
});

it('macOS: a tree is its descendants, its terminal, and who carries the mark with all that it led', async () => {
  const marked = parsePsMarks(recorded('macos-ps-environment.txt'), MARK);
  const startTime = macProcesses().find(({ pid }) => pid === 501)?.startTime ?? 0;
  const root = { pid: 501, startTime, mark: MARK, terminal: 0x1000_0003 };
  // 560 gave up terminal, group and environment: the hole that is known. 600 and 601 are another terminal's.
  const tree = [501, 530, 531, 540, 550, 551];
  expect(await membersOf(tableOf(macProcesses(), marked), 430, root)).toEqual(tree);
  // Looked for from inside: the host and what is above it stay, whatever they carry.
  const all = new Set(macProcesses().map(({ pid }) => pid));
  const everybody = await membersOf(tableOf(macProcesses(), all), 430, root);
  expect(everybody).toEqual([...tree, 560, 600, 601]);
});

it('macOS: a number that another process has got is nobody of ours', async () => {
  const root = { pid: 601, startTime: Date.UTC(2026, 10, 1) / 1_000, mark: MARK, terminal: 0 };
  expect(await membersOf(tableOf(macProcesses()), 430, root)).toEqual([]);
});

it('macOS: lsof tells the ports', () => {
  const ports = parseLsof(recorded('macos-lsof.txt'));
  expect([...(ports.get(531) ?? [])]).toEqual([5173, 24678]);
  expect([...(ports.get(550) ?? [])]).toEqual([6379]);
});

it('Windows: a tree is who was started by a member, and is younger than it', async () => {
  const root = { pid: 5000, startTime: 134100000200000000, mark: MARK, terminal: 0 };
  const table = tableOf(windowsProcesses());
  // 5400 names 5000 as its parent and is older: it was started by a former process of that number. Of 5300 the parent
  // ended before anybody looked: the hole that is known.
  expect(await membersOf(table, 4200, root)).toEqual([5000, 5100, 5200, 6000]);
  expect(windowsProcesses().find(({ pid }) => pid === 5400)?.name).toBe('older "than" it.exe');
});

it('Windows: a child is found by a parent that has ended since it was seen', async () => {
  const root = { pid: 5000, startTime: 134100000200000000, mark: MARK, terminal: 0 };
  let living = windowsProcesses().filter(({ pid }) => pid !== 6000);
  const table: ProcessTable = {
    find: (pid) => tableOf(living).find(pid),
    visit: (mark, visitor) => tableOf(living).visit(mark, visitor),
  };
  const scan = new TreeScan(root, () => {}, table, 4200);
  await scan.prepare();
  await scan.pass();
  living = windowsProcesses().filter(({ pid }) => pid !== 5200);
  expect(await scan.pass()).toBe(1);
  expect((await scan.living()).map(({ pid }) => pid)).toEqual([5000, 5100, 6000]);
});

it('Windows: netstat tells the ports, in any language', () => {
  const ports = parseNetstat(recorded('windows-netstat.txt'));
  expect([...(ports.get(5100) ?? [])]).toEqual([5173, 24678]);
  expect(ports.has(4100)).toBe(false);
});

it("this system's own ps is understood", async ({ skip }) => {
  skip(!fs.existsSync('/bin/ps'), 'there is no /bin/ps');
  const found = await psTable.find(process.pid);
  expect(found).toMatchObject({ pid: process.pid, parent: process.ppid });
  const began = Date.now() / 1_000 - process.uptime();
  expect(Math.abs((found?.startTime ?? 0) - began)).toBeLessThan(10);
  const seen: number[] = [];
  await psTable.visit('NO=mark', ({ pid }) => seen.push(pid));
  expect(seen).toContain(process.pid);
});
