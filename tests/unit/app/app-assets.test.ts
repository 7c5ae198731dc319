import { describe, expect, it } from 'vitest';
import { CONTENT_SECURITY_POLICY, findAsset, ORIGIN } from '../../../electron/app/app-assets.ts';

const find = (address: string, method = 'GET'): unknown => findAsset('/app/renderer', method, address);

describe('findAsset', () => {
  it.each([
    ['/', '/app/renderer/index.html'],
    ['/index.html?x=1#y', '/app/renderer/index.html'],
    ['/assets/a%20b.js', '/app/renderer/assets/a b.js'],
    ['/assets/../index.html', '/app/renderer/index.html'],
    ['/../../index.html', '/app/renderer/index.html'],
  ])('finds %s', (name, file) => {
    expect(find(ORIGIN + name)).toMatchObject({ file });
  });

  it.each([
    '/..%2f..%2fetc%2findex.html',
    '/%2e%2e%2f%2e%2e%2fsecret.js',
    '/..%5c..%5csecret.js',
    '/%00.html',
    '/%zz.html',
    '/..%2frenderer-other%2fx.js',
  ])('refuses the way out by %s', (name) => {
    expect(find(ORIGIN + name)).toEqual({ status: 403 });
  });

  it('refuses other hosts, other schemes, other methods and other kinds of files', () => {
    expect(find('app://other/index.html')).toEqual({ status: 403 });
    expect(find('https://switchyard/index.html')).toEqual({ status: 403 });
    expect(find('app://switchyard.evil/index.html')).toEqual({ status: 403 });
    expect(find('no address')).toEqual({ status: 403 });
    expect(find(`${ORIGIN}/index.html`, 'POST')).toEqual({ status: 405 });
    expect(find(`${ORIGIN}/package.exe`)).toEqual({ status: 404 });
    expect(find(`${ORIGIN}/folder`)).toEqual({ status: 404 });
  });

  it('allows no inline script and no other origin', () => {
    expect(CONTENT_SECURITY_POLICY).toContain("default-src 'none'");
    expect(CONTENT_SECURITY_POLICY).toContain("script-src 'self';");
    expect(CONTENT_SECURITY_POLICY).not.toMatch(/https?:|unsafe-eval|\*/);
  });
});
