// npm run demo: gets everything ready and plays the app's main job in the real window, also without a display.
import { runMain } from './console.mjs';
import { runTypeScript } from './run-typescript.mjs';
import { setUp } from './setup.mjs';

await runMain(async () => {
  await setUp();
  return runTypeScript('build/demo-play.ts', process.argv.slice(2));
});
