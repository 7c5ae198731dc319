// npm run faults: gets everything ready and plays the faults that a supervisor must survive, for real, one after the
// other. npm run faults -- 1-18 (or 7,23) plays some of them.
import { runMain } from './console.mjs';
import { runTypeScript } from './run-typescript.mjs';
import { setUp } from './setup.mjs';

await runMain(async () => {
  await setUp();
  return runTypeScript('tests/faults/run.ts', process.argv.slice(2));
});
