import path from 'node:path';

/** The origin of the page, and the only one that may call main. */
export const ORIGIN = 'app://switchyard';

export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // xterm makes <style> elements, and its DOM renderer sets style attributes for true colour
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

export const HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
} as const;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.map': 'application/json',
};

export type Asset = { readonly file: string; readonly type: string } | { readonly status: 403 | 404 | 405 };

/**
 * The file of `folder` that a request means, or the status that refuses it. Does not look whether it exists.
 */
export function findAsset(folder: string, method: string, address: string): Asset {
  if (method !== 'GET') return { status: 405 };
  const url = URL.canParse(address) ? new URL(address) : null;
  if (!url || `${url.protocol}//${url.host}` !== ORIGIN) return { status: 403 };
  const name = decode(url.pathname === '/' ? '/index.html' : url.pathname);
  if (name === null || name.includes('\0') || name.includes('\\')) return { status: 403 };
  const root = path.resolve(folder);
  const file = path.join(root, name);
  if (!file.startsWith(root + path.sep)) return { status: 403 };
  const type = TYPES[path.extname(file)];
  return type === undefined ? { status: 404 } : { file, type };
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
