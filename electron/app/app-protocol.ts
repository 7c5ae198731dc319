import fs from 'node:fs/promises';
import { protocol } from 'electron';
import { findAsset, HEADERS } from './app-assets.ts';

/** Makes app:// a scheme like https. Must be called before Electron is ready. */
export function registerAppScheme(): void {
  // codeCache needs standard and secure: V8's compiled code is then kept between starts
  const privileges = { standard: true, secure: true, supportFetchAPI: true, codeCache: true };
  protocol.registerSchemesAsPrivileged([{ scheme: 'app', privileges }]);
}

/** Serves the page from `folder`. To be called when Electron is ready, before the window is made. */
export function serveApp(folder: string): void {
  protocol.handle('app', async (request) => {
    const asset = findAsset(folder, request.method, request.url);
    if ('status' in asset) return new Response(null, { status: asset.status, headers: HEADERS });
    try {
      const bytes = await fs.readFile(asset.file);
      return new Response(new Uint8Array(bytes), { headers: { ...HEADERS, 'content-type': asset.type } });
    } catch {
      return new Response(null, { status: 404, headers: HEADERS });
    }
  });
}
