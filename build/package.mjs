// npm run package: makes the packages that this system can make, in dist/, and says what was left out and why.
// `npm run package deb tar.gz` makes only those. `npm run package -- --release` makes nothing rather than leaving
// anything out.
import fs from 'node:fs';
import path from 'node:path';
import { PlainError, root, runMain, say, secondsSince } from './console.mjs';
import { isSubstituteElectron } from './electron-runtime.mjs';
import { choosePackages } from './package-tools.mjs';
import { fusedProgram, packedApps, packedFolders } from './packed-app.mjs';
import { setUp } from './setup.mjs';
import { preparePackagingTools } from './system-packages.mjs';
import { mergeUpdateInfo } from './update-info.mjs';

const DIST = path.join(root, 'dist');
const CHECKSUMS = 'SHA256SUMS';
const PACKAGES = /\.(deb|rpm|AppImage|tar\.gz|exe|zip|dmg|blockmap)$/;
const UPDATE_INFO = /^(latest|beta|alpha)[a-z0-9-]*\.yml$/;

await runMain(async () => {
  const began = performance.now();
  process.umask(0o022); // what is made here is read by others, whatever this person's files are by default
  await setUp();
  await preparePackagingTools();
  const { targets, leftOut, notes } = await choosePackages();
  const isTrial = isSubstituteElectron();
  const asked = process.argv.slice(2);
  if (asked.includes('--release')) refuseIncomplete(isTrial, leftOut);
  const chosen = chooseFrom(
    targets,
    asked.filter((name) => name !== '--release'),
  );

  if (isTrial) {
    // Packages that nobody keeps need not be small.
    process.env.FPM_LITE_LEVEL ??= '1';
    process.env.ELECTRON_BUILDER_COMPRESSION_LEVEL ??= '1';
  }
  const { config, stageLinuxFiles, STAGING, LICENCES_FILE } = await import('./electron-builder.mjs');
  const { writeLicences } = await import('./licences.mjs');
  const count = await writeLicences(path.join(STAGING, LICENCES_FILE));
  say(`The licences of ${count} packages go in.`);
  if (process.platform === 'linux') stageLinuxFiles();

  fs.rmSync(DIST, { recursive: true, force: true });
  say(`Packaging: ${chosen.join(', ')}.`);
  await build(config, chosen);
  await checkFuses();

  const made = await writeChecksums();
  say(`\nIn dist/ after ${secondsSince(began)}:`);
  for (const { name, bytes } of made) say(`  ${(bytes / 1e6).toFixed(1).padStart(6)} MB  ${name}`);
  if (leftOut.length > 0) say('\nLeft out:');
  for (const { target, reason } of leftOut) say(`  ${target}: ${reason}.`);
  const others = ['Windows', 'macOS', 'Linux'].filter((name) => name !== systemName()).join(' and ');
  say(`  Packages for ${others}: each system makes its own.`);
  for (const note of notes) say(note);
  if (isTrial)
    say(
      `\nPackaged with the substitute Electron ${config.electronVersion}: for trial only. It is out of support and not ` +
        "Electron's own build. Packages for others are made where Electron can be downloaded.",
    );
  say('\nTo check them: npm run package:verify');
  return 0;
});

/**
 * @param {boolean} isTrial
 * @param {import('./package-tools.mjs').LeftOut[]} leftOut
 */
function refuseIncomplete(isTrial, leftOut) {
  const obstacles = leftOut.map(({ target, reason }) => `${target}: ${reason}`);
  if (isTrial) obstacles.unshift('Electron: there is only the substitute, which is for trial');
  if (obstacles.length > 0)
    throw new PlainError(`A release cannot be made here.\n  ${obstacles.join('.\n  ')}.`);
}

/** @param {string[]} targets @param {string[]} asked */
function chooseFrom(targets, asked) {
  const unknown = asked.filter((name) => !targets.includes(name));
  if (unknown.length > 0)
    throw new PlainError(`${unknown.join(', ')} cannot be made here. What can: ${targets.join(', ')}.`);
  return asked.length > 0 ? asked : targets;
}

/**
 * @param {import('electron-builder').Configuration} config
 * @param {string[]} targets
 */
async function build(config, targets) {
  const { build: packageWith } = await import('electron-builder');
  const platform = { linux: 'linux', win32: 'win', darwin: 'mac' }[/** @type {string} */ (process.platform)];
  // For deb and rpm electron-builder writes `package-type` into the very folder that it makes the other forms of at the
  // same time, and an updater that finds it there takes them for what they are not. So those two come last.
  const installed = targets.filter((target) => ['deb', 'rpm'].includes(target));
  const others = targets.filter((target) => !installed.includes(target));
  /** @type {Map<string, string>} */
  const updateInfo = new Map();
  let prepackaged;
  for (const batch of [others, installed].filter((each) => each.length > 0)) {
    try {
      await packageWith({
        config,
        projectDir: root,
        [platform ?? 'linux']: batch,
        publish: 'never',
        ...(prepackaged && { prepackaged }),
      });
    } catch (error) {
      throw new PlainError(
        `The packages could not be made: ${error instanceof Error ? error.message : error}`,
      );
    }
    for (const name of fs.readdirSync(DIST).filter((each) => UPDATE_INFO.test(each))) {
      const file = path.join(DIST, name);
      const earlier = updateInfo.get(name);
      const text = fs.readFileSync(file, 'utf8');
      updateInfo.set(name, earlier === undefined ? text : mergeUpdateInfo([earlier, text]));
      fs.rmSync(file);
    }
    [prepackaged] = packedFolders(DIST);
  }
  for (const [name, text] of updateInfo) fs.writeFileSync(path.join(DIST, name), text);
}

async function checkFuses() {
  const { findWrongFuses } = await import('./fuses.mjs');
  const apps = packedApps(DIST);
  if (apps.length === 0) throw new PlainError('Nothing was packed.');
  for (const app of apps) {
    const wrong = await findWrongFuses(fusedProgram(app));
    if (wrong.length > 0) throw new PlainError(`The packages must not be given out: ${wrong.join('; ')}.`);
  }
  say('The fuses are as chosen.');
}

async function writeChecksums() {
  const { sha256 } = await import('./integrity-record.mjs');
  const names = fs
    .readdirSync(DIST)
    .filter((name) => PACKAGES.test(name) || UPDATE_INFO.test(name))
    .sort();
  const made = [];
  let sums = '';
  for (const name of names) {
    const file = path.join(DIST, name);
    sums += `${await sha256(file)}  ${name}\n`;
    made.push({ name, bytes: fs.statSync(file).size });
  }
  fs.writeFileSync(path.join(DIST, CHECKSUMS), sums);
  return made;
}

function systemName() {
  return { linux: 'Linux', win32: 'Windows', darwin: 'macOS' }[/** @type {string} */ (process.platform)];
}
