// Texts that a rule covers are run by real shells: nothing but the allowed program may come of them.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isCovered } from '../../../electron/agent/approvals/rules.ts';

const RULES = [{ words: ['a', 'ok'], isExact: false }];
/** Covered texts that are run in each shell. */
const RUNS = 250;
const SHELLS = ['/bin/bash', '/bin/sh'].filter((shell) => fs.existsSync(shell));

let folder: string;
let workspace: string;

beforeEach(() => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-cover-')));
  workspace = path.join(folder, 'work');
  fs.mkdirSync(path.join(workspace, 'sub'), { recursive: true });
  fs.mkdirSync(path.join(folder, 'bin'));
  // `a` may run with `ok` only; `x` may not.
  const tell = `echo "$0 $*" >> '${folder}/broken'`;
  const write = (name: string, text: string) =>
    fs.writeFileSync(path.join(folder, 'bin', name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  write('a', `test "$1" = ok || ${tell}`);
  write('x', tell);
});

afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const piece = fc.constantFrom(
  ...['a ok', 'a ok', 'a ok ', 'a', 'ok', 'x', ' x', 'x ', ' ', '\n', '\t', ';', '&', '|', '&&', '||', '|&'],
  ...[
    '(',
    ')',
    '{ ',
    '; }',
    '$(',
    '`',
    ')',
    '"',
    '"',
    "'",
    "'",
    '\\',
    '\\\n',
    '#',
    ' # ',
    '$',
    '$x',
    '!',
    '~',
  ],
  ...[
    '<<E\n',
    '\nE\n',
    'E',
    "<<'E'\n",
    '<<-E\n',
    '<<<',
    ' > f',
    ' > ../f',
    ' >&',
    ' 2>&1',
    ' &> f ',
    ' >| ../f',
  ],
  ...[
    'if ',
    '; then ',
    '; else ',
    '; fi',
    'cd sub',
    'cd ..',
    '*',
    '[',
    ']',
    '{a,x}',
    '%',
    '^',
    ',',
    '=',
    'b=x ',
  ],
);
const anyText = fc.array(piece, { minLength: 1, maxLength: 14 }).map((pieces) => `a ok${pieces.join('')}`);

test('a covered text runs nothing else and writes nothing outside the workspace, in any shell that there is', () => {
  const place = { workspace, cwd: workspace, home: folder };
  const covered: string[] = [];
  // The texts come from a fixed seed, so that a failure can be seen again.
  for (const text of fc.sample(anyText, { numRuns: 60_000, seed: 7 })) {
    const isTelling = /x|\.\.|`|\$\(|<</.test(text);
    if (isTelling && isCovered(RULES, text, place)) covered.push(text);
    if (covered.length === RUNS) break;
  }
  expect(covered.length).toBe(RUNS);
  for (const shell of SHELLS) {
    for (const text of covered) {
      const script = path.join(folder, 'script');
      fs.writeFileSync(script, text);
      spawnSync(shell, [script], {
        cwd: workspace,
        env: { PATH: path.join(folder, 'bin'), HOME: folder, x: 'x' },
        input: 'x\n',
        timeout: 5_000,
      });
      expect(fs.existsSync(path.join(folder, 'broken')), `${shell}: ${JSON.stringify(text)}`).toBe(false);
      expect(fs.readdirSync(folder).sort(), `${shell}: ${JSON.stringify(text)}`).toEqual([
        'bin',
        'script',
        'work',
      ]);
    }
  }
});
