// The programs in C: the runner that looks after one command and its descendants, and the tests' process maker.
import fs from 'node:fs';
import path from 'node:path';
import { PlainError, root, run, say } from './console.mjs';
import { Stamp } from './stamps.mjs';

const PROGRAMS = [
  {
    source: 'electron/pty-host/runner/runner.c',
    binary: 'out/runner/switchyard-runner',
    flags: ['-std=c99', '-O2', '-Wall', '-Wextra'],
    isStatic: process.platform === 'linux',
  },
  {
    source: 'tests/fixtures/testkit.c',
    binary: 'out/testkit',
    flags: ['-O2', '-Wall', '-Wextra', '-pthread'],
    isStatic: false,
  },
];

/** Compiles what changed. Without a compiler the app falls back to a weaker way of ending process trees, and says so. */
export async function compilePrograms() {
  if (process.platform === 'win32') return;
  for (const program of PROGRAMS) {
    if (!fs.existsSync(path.join(root, program.source))) continue;
    const folder = path.dirname(program.source);
    const sources = fs.readdirSync(path.join(root, folder)).filter((name) => /\.[ch]$/.test(name));
    const stamp = new Stamp(
      `${program.binary}.json`,
      sources.map((name) => `${folder}/${name}`),
      JSON.stringify(program),
    );
    if (stamp.isFresh() && fs.existsSync(path.join(root, program.binary))) continue;
    if (await compile(program)) stamp.write();
  }
}

/**
 * @param {typeof PROGRAMS[number]} program
 * @returns {Promise<boolean>} false if there is no compiler
 */
async function compile({ source, binary, flags, isStatic }) {
  const compiler = await findCompiler();
  if (compiler === undefined) {
    say(`There is no C compiler, so ${source} is left out. Install gcc to have it.`);
    return false;
  }
  say(`Compiling ${source}.`);
  fs.mkdirSync(path.dirname(path.join(root, binary)), { recursive: true });
  // into another name first: a running runner cannot be written to, and a half written one must not be started
  const fresh = path.join(root, `${binary}.new`);
  const attempt = (/** @type {string[]} */ extra) =>
    run(compiler, [...flags, ...extra, '-o', fresh, source], { quiet: true });
  let result = await attempt(isStatic ? ['-static'] : []);
  if (result.code !== 0 && isStatic) {
    result = await attempt([]);
    if (result.code === 0)
      say('  It could not be linked statically, so it is linked to the C library of this system.');
  }
  if (result.code !== 0) throw new PlainError(`${source} could not be compiled:\n\n${result.output}`);
  if (result.output !== '') say(result.output);
  fs.renameSync(fresh, path.join(root, binary));
  return true;
}

async function findCompiler() {
  for (const name of [process.env.CC, 'cc', 'gcc', 'clang']) {
    if (name && (await run(name, ['--version'], { quiet: true })).code === 0) return name;
  }
  return undefined;
}
