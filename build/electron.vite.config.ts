import path from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';

const root = path.resolve(import.meta.dirname, '..');
const inRoot = (name: string) => path.join(root, name);

export default defineConfig({
  main: {
    root,
    build: {
      outDir: inRoot('out/main'),
      sourcemap: true,
      // `dependencies` holds exactly the native modules. All else is bundled, so a package needs no node_modules
      // but theirs.
      externalizeDeps: true,
      rolldownOptions: {
        external: ['original-fs'], // Electron's own, which electron-vite does not know
        input: {
          main: inRoot('electron/main.ts'),
          'pty-host': inRoot('electron/pty-host/main.ts'), // a program of its own, run as Node
          mcp: inRoot('electron/bridges/mcp/main.ts'), // likewise
          cli: inRoot('electron/cli/main.ts'), // likewise
          'store-thread': inRoot('electron/store/store-thread.ts'), // a worker thread
        },
        output: { entryFileNames: '[name].js', chunkFileNames: 'chunk-[name].js' },
      },
    },
  },
  preload: {
    root,
    build: {
      outDir: inRoot('out/preload'),
      sourcemap: true,
      // a sandboxed preload is one CommonJS file: it can neither import nor require a chunk of its own
      rolldownOptions: {
        input: { preload: inRoot('electron/preload.ts') },
        output: { format: 'cjs', entryFileNames: '[name].cjs', codeSplitting: false },
      },
    },
  },
  renderer: {
    root: inRoot('renderer'),
    base: './',
    plugins: [react()],
    build: {
      outDir: inRoot('out/renderer'),
      sourcemap: true,
      target: 'chrome130', // the oldest Chromium that electron-runtime.mjs may choose
      assetsInlineLimit: 0, // the content security policy allows no data: address
      modulePreload: { polyfill: false }, // it would be an inline script
      rolldownOptions: { input: inRoot('renderer/index.html') },
    },
  },
});
