import path from 'node:path';
import { build, type Rollup } from 'vite';
import { expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../..');

it('bundles no schemas into preload', async () => {
  const bundle = (await build({
    configFile: false,
    logLevel: 'error',
    root,
    build: {
      ssr: path.join(root, 'electron/preload.ts'),
      write: false,
      rolldownOptions: { external: ['electron'], output: { format: 'cjs', entryFileNames: 'preload.cjs' } },
    },
  })) as Rollup.RollupOutput;
  expect(bundle.output).toHaveLength(1);
  const [chunk] = bundle.output;
  const own = chunk.moduleIds.map((id) => path.relative(root, id)).filter((id) => !id.startsWith('\0'));
  expect(own.sort()).toEqual(['electron/preload.ts', 'shared/contract/channels.ts']);
  expect(chunk.imports).toEqual(['electron']);
  expect(chunk.code.length).toBeLessThan(2_000);
});
