/**
 * Plays the faults that a supervisor must survive: a line per case, and at the end a count. Arguments choose cases by
 * number: 7  1-18  7,23. Which build is played, tests/support/built.ts decides.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { built } from '../support/built.ts';
import { attention } from './cases/attention.ts';
import { crash } from './cases/crash.ts';
import { desktop } from './cases/desktop.ts';
import { disk } from './cases/disk.ts';
import { exitAndTime } from './cases/exit-and-time.ts';
import { inTheWindow } from './cases/in-the-window.ts';
import { input } from './cases/input.ts';
import { many } from './cases/many.ts';
import { output } from './cases/output.ts';
import { tree } from './cases/tree.ts';
import { wake } from './cases/wake.ts';
import { Bench, type Fault, Skipped } from './fault.ts';

const FAULTS: readonly Fault[] = [
  ...[...tree, ...exitAndTime, ...output, ...disk, ...input],
  ...[...many, ...crash, ...wake, ...desktop, ...attention, ...inTheWindow],
].sort((a, b) => a.number - b.number);
const LIMIT_MS = 60_000;

type Outcome = 'ok' | 'FAIL' | 'skip';

function choose(args: readonly string[]): readonly Fault[] {
  if (args.length === 0) return FAULTS;
  const wanted = new Set<number>();
  for (const part of args.flatMap((arg) => arg.split(',')).filter((text) => text !== '')) {
    const found = /^(\d+)(?:-(\d+))?$/.exec(part);
    if (!found) throw new Error(`"${part}" is neither a number nor a range like 1-18.`);
    for (let number = Number(found[1]); number <= Number(found[2] ?? found[1]); number++) wanted.add(number);
  }
  return FAULTS.filter(({ number }) => wanted.has(number));
}

async function play(fault: Fault): Promise<{ outcome: Outcome; note: string }> {
  const bench = new Bench();
  const limitMs = fault.limitMs ?? LIMIT_MS;
  const over = new AbortController();
  try {
    const overdue = sleep(limitMs, null, { signal: over.signal }).then(() => {
      throw new Error(`not over after ${limitMs / 1000} s`);
    });
    overdue.catch(() => {}); // the case was over before
    const note = await Promise.race([fault.run(bench), overdue]);
    return { outcome: 'ok', note: typeof note === 'string' ? note : '' };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if (process.env.SWITCHYARD_FAULTS_TRACE && error instanceof Error) console.log(error.stack);
    return { outcome: error instanceof Skipped ? 'skip' : 'FAIL', note: text.replaceAll(/\s+/g, ' ') };
  } finally {
    over.abort();
    await bench.close().catch((error: unknown) => console.log(`    the way back failed: ${String(error)}`));
  }
}

const chosen = choose(process.argv.slice(2));
console.log(`Playing ${chosen.length} of ${FAULTS.length} faults on ${built.name}.\n`);
const counts: Record<Outcome, number> = { ok: 0, FAIL: 0, skip: 0 };
for (const fault of chosen) {
  const began = performance.now();
  const { outcome, note } = await play(fault);
  counts[outcome]++;
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const tail = note === '' ? '' : outcome === 'ok' ? ` (${note})` : `\n          ${note}`;
  console.log(
    `${String(fault.number).padStart(3)} ${outcome.padEnd(5)} ${fault.title}${tail}  ${seconds.padStart(4)} s`,
  );
}
if (chosen.length === 0) console.log('No such case is played here.');
console.log(`\n${counts.ok} ok, ${counts.FAIL} failed, ${counts.skip} skipped`);
console.log(`${counts.ok} passed, ${counts.FAIL + (chosen.length === 0 ? 1 : 0)} failed`);
// A case that hung may still hold the loop.
process.exit(counts.FAIL > 0 || chosen.length === 0 ? 1 : 0);
