// What electron-builder makes, for every system. package.mjs runs it; `npx electron-builder --config
// build/electron-builder.mjs` does too, for those who know it.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { root } from './console.mjs';
import { electronFolder } from './electron-runtime.mjs';
import { FUSES } from './fuses.mjs';
import { recordIntegrity } from './integrity-record.mjs';

const inRoot = (/** @type {string} */ name) => path.join(root, name);

/** Where package.mjs puts what is made for packages only. */
export const STAGING = inRoot('node_modules/.cache/switchyard/package');
export const LICENCES_FILE = 'THIRD-PARTY-LICENCES.txt';

// There is no project page yet, and deb and rpm want one: a name that can never be somebody else's stands in.
const homepage = process.env.SWITCHYARD_HOMEPAGE || 'https://switchyard.example.invalid/';
const maintainer = 'The Switchyard authors <switchyard@example.invalid>';

const electron = electronFolder();

/**
 * A platform's list is given whole: one of its own with nothing but exclusions would let the whole project in.
 * Packages that are bundled into out/ are no `dependencies`, so only those of the native modules are looked at.
 * @param {NodeJS.Platform} platform
 */
const files = (platform) => [
  'out/{main,preload,renderer,runner}/**',
  'package.json',
  '!**/*.map',
  '!out/runner/*.json',
  // node-pty: its JavaScript and one native build, 0.3 of 62 MB
  '!**/node_modules/node-pty/{src,deps,scripts,third_party,typings,node-addon-api,binding.gyp}',
  '!**/node_modules/node-pty/lib/**/*.test.js',
  '!**/node_modules/node-pty/build/!(Release)',
  '!**/node_modules/node-pty/build/Release/!(*.node|spawn-helper|conpty|*.dll|*.exe)',
  `!**/node_modules/node-pty/prebuilds/${platform === 'linux' ? '**' : `!(${platform}-\${arch})`}`,
  '!**/node_modules/node-pty/prebuilds/**/*.pdb',
  '!**/node_modules/node-addon-api/**',
  // libsql: the library for glibc; an Electron for musl does not exist
  '!**/node_modules/@libsql/*-musl{,/**}',
  '!**/node_modules/**/{README.md,*.d.ts,types}',
];

const completions = [
  { from: 'switchyard.bash', to: '/usr/share/bash-completion/completions/switchyard' },
  { from: '_switchyard', to: '/usr/share/zsh/site-functions/_switchyard' },
  { from: 'switchyard.fish', to: '/usr/share/fish/vendor_completions.d/switchyard.fish' },
].filter(({ from }) => fs.existsSync(inRoot(`build/completions/${from}`)));

/** Files that deb and rpm put outside the app's folder, as fpm wants them told. */
const systemFiles = [
  [
    path.join(STAGING, 'dev.switchyard.app.metainfo.xml'),
    '/usr/share/metainfo/dev.switchyard.app.metainfo.xml',
  ],
  [inRoot('build/icons/switchyard.svg'), '/usr/share/icons/hicolor/scalable/apps/switchyard.svg'],
  ...completions.map(({ from, to }) => [inRoot(`build/completions/${from}`), to]),
].map(([from, to]) => `${from}=${to}`);

const desktopEntry = {
  GenericName: 'Agent Terminal',
  Keywords: 'agent;terminal;shell;command;job;',
  StartupNotify: 'true',
  'X-GNOME-SingleWindow': 'true',
};

/** What deb and rpm have in common. An AppImage has no fixed place, so an action could not name its program. */
const linuxPackage = {
  packageCategory: 'devel',
  desktop: {
    entry: { ...desktopEntry, Actions: 'new-session;' },
    desktopActions: {
      'new-session': { Name: 'New Session', Exec: '/opt/Switchyard/switchyard --new-session' },
    },
  },
  afterInstall: path.join(STAGING, 'after-install.sh'),
  afterRemove: path.join(STAGING, 'after-remove.sh'),
};

// Signing follows the environment. Without a certificate a Mac wants an ad-hoc signature, whose parts have no team in
// common, so the hardened runtime would refuse to load Electron's own framework.
const hasMacCertificate = Boolean(process.env.CSC_LINK || process.env.CSC_NAME);
const canNotarise = Boolean(process.env.APPLE_API_KEY || process.env.APPLE_ID || process.env.APPLE_KEYCHAIN);
const azure = process.env.AZURE_SIGNING_ENDPOINT
  ? {
      endpoint: process.env.AZURE_SIGNING_ENDPOINT,
      codeSigningAccountName: process.env.AZURE_SIGNING_ACCOUNT ?? '',
      certificateProfileName: process.env.AZURE_SIGNING_PROFILE ?? '',
      publisherName: process.env.AZURE_SIGNING_PUBLISHER ?? '',
    }
  : undefined;

/** @type {import('electron-builder').Configuration} */
export const config = {
  appId: 'dev.switchyard.app',
  productName: 'Switchyard',
  copyright: 'Copyright (c) The Switchyard authors',
  directories: { output: 'dist', buildResources: 'build/package-resources' },
  extraMetadata: { homepage },
  // A function, so that a package for another system is never made from this one's Electron (null: it is downloaded;
  // the type lacks that).
  electronDist: /** @type {(wanted: { platformName: string, arch: string }) => string} */ (
    ({ platformName, arch }) =>
      /** @type {string} */ (platformName === process.platform && arch === process.arch ? electron : null)
  ),
  electronVersion: fs.readFileSync(path.join(electron, 'version'), 'utf8').trim().replace(/^v/, ''),
  electronFuses: FUSES,
  electronLanguages: ['en', 'en-US'],
  // The native modules are N-API: built by npm for Node, they load in Electron as they are.
  npmRebuild: false,
  // A library or a program cannot be loaded from inside an asar. All else stays inside, also of the packages that have
  // one, which smartUnpack would put outside whole.
  asar: { smartUnpack: false },
  asarUnpack: [
    '**/*.{node,dll,exe}',
    '**/node_modules/node-pty/**/spawn-helper',
    'out/runner/switchyard-runner',
  ],
  extraResources: [
    { from: path.join(STAGING, LICENCES_FILE), to: LICENCES_FILE },
    { from: 'LICENSE', to: 'LICENSE.switchyard.txt' },
  ],
  // The updater asks where the package says; without an address there is none, and the app says so.
  publish: process.env.SWITCHYARD_UPDATE_URL
    ? { provider: 'generic', url: process.env.SWITCHYARD_UPDATE_URL }
    : null,
  toolsets: { appimage: '1.0.3' },

  linux: {
    target: ['deb', 'rpm', 'AppImage', 'tar.gz'],
    executableName: 'switchyard',
    syncDesktopName: true,
    category: 'Development',
    synopsis: 'AI agents run commands in real terminals, under supervision',
    maintainer,
    vendor: 'The Switchyard authors',
    icon: 'build/icons/png',
    files: files('linux'),
    extraFiles: [{ from: 'build/linux/switchyard.sh', to: 'bin/switchyard' }],
    extraResources: [
      // The runner is linked with the GNU C library; whoever wants another one in it can make it anew from these.
      { from: 'electron/pty-host/runner', to: 'runner-source', filter: ['*.c', '*.h'] },
      { from: 'build/completions', to: 'completions' },
    ],
    executableArgs: ['%F'],
    mimeTypes: ['inode/directory'], // a folder opens as a session in it
    desktop: { entry: desktopEntry },
  },
  deb: {
    ...linuxPackage,
    // electron-builder's own list lacks libdrm2, libgbm1 and libasound2: on a minimal system nothing would start.
    recommends: [],
    depends: [
      'libgtk-3-0t64 | libgtk-3-0',
      'libnotify4',
      'libnss3',
      'libxss1',
      'libxtst6',
      'xdg-utils',
      'libatspi2.0-0t64 | libatspi2.0-0',
      'libuuid1',
      'libsecret-1-0',
      'libdrm2',
      'libgbm1',
      'libasound2t64 | libasound2',
    ],
    fpm: [...systemFiles, `${inRoot('LICENSE')}=/usr/share/doc/switchyard/copyright`],
  },
  rpm: {
    ...linuxPackage,
    depends: [
      'gtk3',
      'libnotify',
      'nss',
      'libXScrnSaver',
      '(libXtst or libXtst6)',
      'xdg-utils',
      'at-spi2-core',
      '(libuuid or libuuid1)',
      '(libdrm or libdrm2)',
      '(mesa-libgbm or libgbm1)',
      '(alsa-lib or libasound2)',
    ],
    fpm: [...systemFiles, `${inRoot('LICENSE')}=/usr/share/licenses/switchyard/LICENSE`],
  },

  win: {
    target: ['nsis', 'zip'],
    icon: 'build/icons/switchyard.ico',
    files: files('win32'),
    extraFiles: [{ from: 'build/win/switchyard.cmd', to: 'bin/switchyard.cmd' }],
    // With WIN_CSC_LINK or CSC_LINK in the environment signtool signs by itself.
    ...(azure && { azureSignOptions: azure }),
  },
  nsis: {
    // without the space of the default: download places change it, and then updates do not find the file
    artifactName: `Switchyard-Setup-\${version}-\${arch}.\${ext}`,
    oneClick: false,
    perMachine: false,
    allowToChangeInstallationDirectory: true,
    deleteAppDataOnUninstall: false,
  },

  mac: {
    target: ['dmg', 'zip'],
    category: 'public.app-category.developer-tools',
    icon: 'build/icons/switchyard.icns',
    files: files('darwin'),
    extraResources: [{ from: 'build/linux/switchyard.sh', to: 'app/bin/switchyard' }],
    minimumSystemVersion: '13.0',
    hardenedRuntime: hasMacCertificate,
    ...(!hasMacCertificate && { identity: '-' }),
    gatekeeperAssess: false,
    entitlements: 'build/mac/entitlements.plist',
    entitlementsInherit: 'build/mac/entitlements.plist',
    notarize: hasMacCertificate && canNotarise,
    extendInfo: {
      NSAppleEventsUsageDescription: 'A command that runs in Switchyard wants to control another app.',
    },
  },

  afterPack: async ({ appOutDir, electronPlatformName, packager }) => {
    const resources = packager.getResourcesDir(appOutDir);
    // A custom electronDist is copied whole; these two are removed from electron-builder's own downloads only.
    for (const name of [path.join(resources, 'default_app.asar'), path.join(appOutDir, 'version')])
      fs.rmSync(name, { force: true });
    // node-pty's npm package carries spawn-helper without its x bit
    const helper = path.join(
      resources,
      `app.asar.unpacked/node_modules/node-pty/prebuilds/darwin-${process.arch}/spawn-helper`,
    );
    if (electronPlatformName === 'darwin' && fs.existsSync(helper)) fs.chmodSync(helper, 0o755);
    if (electronPlatformName !== 'linux') return;
    openToAll(appOutDir);
    await recordIntegrity(resources);
  },
};

export default config;

// The files are copied with the modes that they have in the clone, where a strict umask may have shut out everybody else.
/** @param {string} folder */
function openToAll(folder) {
  fs.chmodSync(folder, 0o755);
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) openToAll(file);
    else if (entry.isFile()) fs.chmodSync(file, fs.statSync(file).mode & 0o100 ? 0o755 : 0o644);
  }
}

/** Writes the metadata and scripts of deb and rpm. */
export function stageLinuxFiles() {
  fs.mkdirSync(STAGING, { recursive: true });
  const { version } = JSON.parse(fs.readFileSync(inRoot('package.json'), 'utf8'));
  const metainfo = fs
    .readFileSync(inRoot('build/linux/dev.switchyard.app.metainfo.xml'), 'utf8')
    .replace('@VERSION@', version)
    .replace('@DATE@', dateOfSource())
    .replace('@HOMEPAGE@', homepage);
  fs.writeFileSync(path.join(STAGING, 'dev.switchyard.app.metainfo.xml'), metainfo);
  for (const [name, script] of Object.entries(installScripts()))
    fs.writeFileSync(path.join(STAGING, name), script);
}

// electron-builder's scripts with three changes; taken from the installed version, so that its repairs come along.
function installScripts() {
  const templates = path.dirname(
    createRequire(import.meta.url).resolve('app-builder-lib/templates/linux/after-install.tpl'),
  );
  const read = (/** @type {string} */ name) => {
    const text = fs.readFileSync(path.join(templates, name), 'utf8');
    // `switchyard` is the command line launcher, not the bare program.
    const [program, launcher] = [
      `\${sanitizedProductName}/\${executable}`,
      `\${sanitizedProductName}/bin/\${executable}`,
    ];
    if (!text.includes(program)) throw new Error(`${name} of electron-builder no longer links ${program}`);
    return text.replaceAll(program, launcher);
  };
  const setuidWhereNeeded = fs.readFileSync(inRoot('build/linux/after-install-more.sh'), 'utf8');
  const onlyAtTheEnd = fs.readFileSync(inRoot('build/linux/after-remove-first.sh'), 'utf8');
  return {
    'after-install.sh': `${read('after-install.tpl')}\n${setuidWhereNeeded}`,
    'after-remove.sh': read('after-remove.tpl').replace(
      /^#!.*\n/,
      (shebang) => `${shebang}\n${onlyAtTheEnd}`,
    ),
  };
}

function dateOfSource() {
  if (process.env.SOURCE_DATE_EPOCH)
    return new Date(Number(process.env.SOURCE_DATE_EPOCH) * 1000).toISOString().slice(0, 10);
  try {
    return execFileSync('git', ['log', '-1', '--format=%cs'], { cwd: root, encoding: 'utf8' }).trim();
  } catch {
    return new Date().toISOString().slice(0, 10); // not a git checkout
  }
}
