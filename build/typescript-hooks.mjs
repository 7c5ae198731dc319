// Lets Node run TypeScript files directly: node --import ./build/typescript-hooks.mjs FILE.ts
// (Node 20 cannot do it by itself.)
import fs from 'node:fs';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

// Node loads this file twice: once in the main thread, where it registers itself, and once in the thread of the hooks.
if (isMainThread) register(import.meta.url);

/** @type {import('node:module').LoadHook} */
export async function load(url, context, nextLoad) {
  if (!/^file:.*\.tsx?$/.test(url)) return nextLoad(url, context);
  const { transformWithOxc } = await import('vite');
  const file = fileURLToPath(url);
  const { code, map } = await transformWithOxc(fs.readFileSync(file, 'utf8'), file, { sourcemap: true });
  const inlineMap = Buffer.from(JSON.stringify(map)).toString('base64');
  const source = `${code}\n//# sourceMappingURL=data:application/json;base64,${inlineMap}\n`;
  return { format: 'module', source, shortCircuit: true };
}
