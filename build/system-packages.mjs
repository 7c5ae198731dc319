// What Electron, node-pty and the tests need from a Debian-like system, and how to get it.
import { PlainError, run, say } from './console.mjs';
import { hasDisplay } from './with-display.mjs';

// Newer releases renamed some libraries when they moved to 64-bit time. Either name will do; the newer comes first.
const LIBRARIES = [
  'libgtk-3-0t64|libgtk-3-0',
  'libnss3',
  'libatk-bridge2.0-0t64|libatk-bridge2.0-0',
  'libcups2t64|libcups2',
  'libdrm2',
  'libgbm1',
  'libasound2t64|libasound2',
  'libxss1',
  'libxtst6',
  'libnotify4',
  'libsecret-1-0',
  'xdg-utils',
  'fonts-dejavu-core',
];
const BUILD_TOOLS = ['gcc', 'g++', 'make', 'python3', 'libc6-dev', 'unzip'];
const VIRTUAL_DISPLAY = ['xvfb', 'xauth'];
const PACKAGING_TOOLS = ['dpkg', 'rpm', 'cpio', 'xz-utils', 'p7zip-full', 'desktop-file-utils', 'appstream'];

// somebody else's apt run may hold the lock for a while
const APT_OPTIONS = ['-qq', '-o', 'DPkg::Lock::Timeout=120'];

/**
 * Installs the missing system packages if this is root on a Debian-like Linux, else says which command installs them.
 * It never fails: what works without a package need not stop for it, and what does not work says so itself.
 * @param {{ isHeadless: boolean }} options `isHeadless`: only what builds programs
 */
export async function prepareSystemPackages({ isHeadless }) {
  await prepare(isHeadless ? BUILD_TOOLS : windowPackages());
}

/** The same for what makes and checks packages. */
export async function preparePackagingTools() {
  await prepare(PACKAGING_TOOLS);
}

/** @param {string[]} needed entries as in the lists above */
async function prepare(needed) {
  if (process.platform !== 'linux') return;
  const missing = await missingPackages(needed);
  if (missing.length === 0) return;
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await run('apt-get', ['update', ...APT_OPTIONS], { quiet: true });
  const names = await offeredNames(missing);
  if (!isRoot) {
    say(
      `Some system packages are missing. If something does not work, install them:\n  ${aptCommand(names)}\n`,
    );
    return;
  }
  say(`Installing ${names.length} system packages with apt-get: ${names.join(' ')}`);
  const { code, output } = await run(
    'apt-get',
    ['install', '-y', '--no-install-recommends', ...APT_OPTIONS, ...names],
    { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, quiet: true },
  );
  if (code !== 0) say(`  apt-get failed; going on without them. It said:\n${output}`);
}

/**
 * Refuses a binary that cannot start on this system, and says what it lacks.
 * @param {string} binary
 */
export async function requireSharedLibraries(binary) {
  if (process.platform !== 'linux') return;
  const { output } = await run('ldd', [binary], { quiet: true });
  const lacking = [...output.matchAll(/^\s*(\S+) => not found/gm)].map((match) => match[1]);
  if (lacking.length === 0) return;
  const names = await offeredNames(await missingPackages(windowPackages()));
  const remedy =
    names.length > 0 ? `install them:\n  ${aptCommand(names)}` : 'install the packages that hold them';
  throw new PlainError(
    `Electron needs shared libraries that are not here: ${lacking.join(' ')}\nTo go on, ${remedy}`,
  );
}

function windowPackages() {
  return [...LIBRARIES, ...BUILD_TOOLS, ...(hasDisplay() ? [] : VIRTUAL_DISPLAY)];
}

/**
 * @param {string[]} needed entries as in the lists above
 * @returns {Promise<string[]>} those of them that are not installed; none on systems without dpkg
 */
async function missingPackages(needed) {
  const names = needed.flatMap((entry) => entry.split('|'));
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query fills these in
  const format = '${Package} ${db:Status-Status}\\n';
  const { code, output } = await run('dpkg-query', ['--show', `--showformat=${format}`, ...names], {
    quiet: true,
  });
  if (code === 127) return [];
  const installed = new Set([...output.matchAll(/^(\S+) installed$/gm)].map((match) => match[1]));
  return needed.filter((entry) => !entry.split('|').some((name) => installed.has(name)));
}

/**
 * The name that this release has for each entry.
 * @param {string[]} entries
 */
async function offeredNames(entries) {
  const names = entries.flatMap((entry) => entry.split('|'));
  const { output } = await run('apt-cache', ['show', '--no-all-versions', ...names], { quiet: true });
  const offered = new Set([...output.matchAll(/^Package: (\S+)$/gm)].map((match) => match[1]));
  return entries.map((entry) => {
    const alternatives = entry.split('|');
    return alternatives.find((name) => offered.has(name)) ?? /** @type {string} */ (alternatives.at(-1));
  });
}

/** @param {string[]} names */
function aptCommand(names) {
  return `sudo apt-get install -y --no-install-recommends ${names.join(' ')}`;
}
