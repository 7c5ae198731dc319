import os from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { hostFiles, socketPath, versionOfPidFile } from '../../../electron/pty-host/host-paths.ts';

it('the socket is in the folder, or in a short one where its path would be too long', () => {
  const short = '/home/somebody/.config/switchyard/host';
  expect(socketPath(short, 'host', '1.2.3')).toBe(`${short}/host-1.2.3.sock`);
  const long = `/home/${'x'.repeat(120)}/host`;
  const found = socketPath(long, 'host', '1.2.3-beta.10');
  expect(path.dirname(path.dirname(found))).toBe(os.tmpdir());
  expect(Buffer.byteLength(found)).toBeLessThanOrEqual(103);
  expect(socketPath(long, 'host', '1.2.3-beta.10')).toBe(found);
  expect(socketPath(`${long}2`, 'host', '1.2.3-beta.10')).not.toBe(found);
  expect(socketPath(long, 'host', '1.2.4')).not.toBe(found);
});

it('a version is one part of a file name, which tells it again', () => {
  const pid = hostFiles.pid('/f', '1.0.0-beta.1+build/../2');
  expect(pid).toBe('/f/host-1.0.0-beta.1-build-..-2.pid');
  expect(versionOfPidFile(path.basename(pid))).toBe('1.0.0-beta.1-build-..-2');
  for (const name of ['host.pid', 'host-1.0.0.sock', 'host-1/2.pid', 'owner-1.0.0'])
    expect(versionOfPidFile(name)).toBeNull();
});
