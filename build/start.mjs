// npm start: gets everything ready and opens the app. Further arguments go to the app.
import { PlainError, root, runMain } from './console.mjs';
import { electronPath, rootFlags } from './electron-runtime.mjs';
import { setUp } from './setup.mjs';
import { hasDisplay, runWithDisplay } from './with-display.mjs';

await runMain(async () => {
  if (!hasDisplay())
    throw new PlainError(
      'There is no display here, so no window can be opened.\n' +
        '"npm run demo" plays the app without one and leaves screenshots; over SSH, "ssh -X" brings a display along.',
    );
  await setUp();
  const env = { ...process.env };
  delete env.ELECTRON_RUN_AS_NODE; // a terminal inside an Electron program may carry it, and then no window opens
  return runWithDisplay(electronPath(), [...rootFlags, root, ...process.argv.slice(2)], { env });
});
