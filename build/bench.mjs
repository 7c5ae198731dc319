// npm run bench: gets everything ready and runs the measurements, tests/bench/NAME.bench.ts, one after the other.
// npm run bench -- NAME... runs only these.
import fs from 'node:fs';
import path from 'node:path';
import { PlainError, root, runMain, say } from './console.mjs';
import { runTypeScript } from './run-typescript.mjs';
import { setUp } from './setup.mjs';

const FOLDER = 'tests/bench';
const SUFFIX = '.bench.ts';

await runMain(async () => {
  const folder = path.join(root, FOLDER);
  const names = (fs.existsSync(folder) ? fs.readdirSync(folder) : [])
    .filter((file) => file.endsWith(SUFFIX))
    .map((file) => file.slice(0, -SUFFIX.length));
  const chosen = process.argv.length > 2 ? process.argv.slice(2) : names;
  const unknown = chosen.filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new PlainError(
      `There is no measurement named ${unknown.join(', ')}. There are: ${names.join(', ') || 'none yet'}.`,
    );
  await setUp();
  let worst = 0;
  for (const name of chosen) {
    say(`\n=== ${name}`);
    worst = Math.max(worst, await runTypeScript(`${FOLDER}/${name}${SUFFIX}`));
  }
  return worst;
});
