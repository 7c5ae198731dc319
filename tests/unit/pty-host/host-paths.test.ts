import os from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { socketPath } from '../../../electron/pty-host/host-paths.ts';

it('the socket is in the folder, or in a short one where its path would be too long', () => {
  const short = '/home/somebody/.config/switchyard/host';
  expect(socketPath(short, 'host.sock')).toBe(`${short}/host.sock`);
  const long = `/home/${'x'.repeat(120)}/host`;
  const found = socketPath(long, 'host.sock');
  expect(path.dirname(path.dirname(found))).toBe(os.tmpdir());
  expect(Buffer.byteLength(found)).toBeLessThanOrEqual(103);
  expect(socketPath(long, 'host.sock')).toBe(found);
  expect(socketPath(`${long}2`, 'host.sock')).not.toBe(found);
});
