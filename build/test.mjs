// npm test: gets everything ready and runs every check. `node build/test.mjs STAGE...` runs only some of them. The last
// line is always "N passed, N failed".
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { PlainError, root, runMain, say, secondsSince } from './console.mjs';
import { setUp } from './setup.mjs';
import { hasDisplay, VIRTUAL_DISPLAY } from './with-display.mjs';

/** @typedef {import('./tally.ts').Tally} Tally */
/** @typedef {{ name: string, title: string, command: string[], limitMinutes: number, hasTests: boolean }} Stage */
/** @typedef {Tally & { title: string, took: string }} Outcome */

const VITEST = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'build/vitest.config.ts', '--project'];
const PLAYWRIGHT = ['node_modules/@playwright/test/cli.js', 'test', '--config', 'build/playwright.config.ts'];

/** @type {Stage[]} */
const STAGES = [
  stage('types', 'Type check', [process.execPath, 'node_modules/typescript/bin/tsc', '-b'], 10, false),
  stage(
    'lint',
    'Lint and format',
    [process.execPath, 'node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'],
    5,
    false,
  ),
  stage('unit', 'Unit tests', [process.execPath, ...VITEST, 'unit'], 10, true),
  stage('integration', 'Integration tests', [process.execPath, ...VITEST, 'integration'], 25, true),
  stage(
    'e2e',
    'Tests in the real app',
    [...(hasDisplay() ? [] : VIRTUAL_DISPLAY), process.execPath, ...PLAYWRIGHT],
    35,
    true,
  ),
];

/**
 * @param {string} name
 * @param {string} title
 * @param {string[]} command
 * @param {number} limitMinutes
 * @param {boolean} hasTests whether it writes a tally; else it counts as one check
 * @returns {Stage}
 */
function stage(name, title, command, limitMinutes, hasTests) {
  return { name, title, command, limitMinutes, hasTests };
}

const began = performance.now();

await runMain(async () => {
  const stages = chooseStages(process.argv.slice(2));
  heading('Set-up');
  try {
    await setUp();
  } catch (error) {
    say(`\n${error instanceof PlainError ? error.message : error instanceof Error ? error.stack : error}`);
    say('\nNothing was tested, because the set-up failed.\n');
    say('0 passed, 1 failed');
    return 1;
  }
  const outcomes = [];
  for (const each of stages) {
    heading(each.title);
    outcomes.push(await runStage(each));
  }
  return report(outcomes);
});

/** @param {string[]} names */
function chooseStages(names) {
  if (names.length === 0) return STAGES;
  return names.map((name) => {
    const found = STAGES.find((each) => each.name === name);
    if (found !== undefined) return found;
    const known = STAGES.map((each) => each.name).join(', ');
    throw new PlainError(`There is no stage "${name}". The stages are ${known}.`);
  });
}

/** @param {string} title */
function heading(title) {
  say(`\n=== ${title} (after ${secondsSince(began)})`);
}

/**
 * @param {Stage} stage
 * @returns {Promise<Outcome>}
 */
async function runStage({ name, title, command, limitMinutes, hasTests }) {
  const tallyFile = path.join(root, `out/tallies/${name}.json`);
  fs.rmSync(tallyFile, { force: true });
  const stageBegan = performance.now();
  const { code, isOverdue } = await runWithLimit(command, limitMinutes, tallyFile);
  const tally = hasTests ? readTally(tallyFile) : { passed: code === 0 ? 1 : 0, failed: [], skipped: [] };
  if (isOverdue) tally.failed.push(`it was ended after ${limitMinutes} minutes`);
  else if (code !== 0 && tally.failed.length === 0) tally.failed.push(`it ended with exit code ${code}`);
  else if (tally.passed + tally.failed.length + tally.skipped.length === 0)
    tally.failed.push('no test was found');
  return { title, took: secondsSince(stageBegan), ...tally };
}

/**
 * Runs a stage in a process group of its own, so that one that hangs can be ended with all that it started.
 * @param {string[]} command
 * @param {number} limitMinutes
 * @param {string} tallyFile
 * @returns {Promise<{ code: number, isOverdue: boolean }>}
 */
function runWithLimit([program = '', ...args], limitMinutes, tallyFile) {
  return new Promise((resolve) => {
    const isGroup = process.platform !== 'win32';
    const child = spawn(program, args, {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      detached: isGroup,
      env: { ...process.env, SWITCHYARD_TALLY_FILE: tallyFile },
    });
    let isOverdue = false;
    /** @param {NodeJS.Signals} signal */
    const end = (signal) => {
      try {
        if (isGroup && child.pid !== undefined) process.kill(-child.pid, signal);
        else child.kill(signal);
      } catch {
        // it has just ended by itself
      }
    };
    const limit = setTimeout(() => {
      isOverdue = true;
      end('SIGKILL');
    }, limitMinutes * 60_000);
    const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
    const interrupt = (/** @type {NodeJS.Signals} */ signal) => {
      end(signal);
      process.exit(130);
    };
    for (const signal of signals) process.on(signal, interrupt);
    const settle = (/** @type {number} */ code) => {
      clearTimeout(limit);
      for (const signal of signals) process.off(signal, interrupt);
      resolve({ code, isOverdue });
    };
    child.once('close', (code) => settle(code ?? 1));
    child.once('error', (error) => {
      say(`${program} could not be started: ${error.message}`);
      settle(127);
    });
  });
}

/**
 * @param {string} file
 * @returns {Tally}
 */
function readTally(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return { passed: 0, failed: [], skipped: [] };
  }
}

/**
 * @param {Outcome[]} outcomes
 * @returns {number} the exit code
 */
function report(outcomes) {
  heading('Summary');
  const rows = outcomes.map(({ title, passed, failed, skipped, took }) => [
    title,
    `${passed} passed`,
    `${failed.length} failed`,
    `${skipped.length} skipped`,
    took,
  ]);
  for (const row of rows)
    say(row.map((cell, column) => (column === 0 ? cell.padEnd(24) : cell.padStart(12))).join(''));
  for (const { title, skipped } of outcomes)
    for (const { name, reason } of skipped) say(`skipped  ${title}: ${name} (${reason})`);
  for (const { title, failed } of outcomes) for (const name of failed) say(`failed   ${title}: ${name}`);
  const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
  const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed.length, 0);
  say(`\n${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}
