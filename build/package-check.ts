/**
 * Checks the packages in dist/: their contents, the deb installed and played as root and as an ordinary user with the
 * sandbox on, the other forms unpacked and started, a damaged one, and that nothing is left but the users' data. Uses the
 * display that is there. Run it by package-verify.mjs.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import asar from '@electron/asar';
import { hostFiles } from '../electron/pty-host/host-paths.ts';
import { programVersion } from '../electron/pty-host/program-version.ts';
import { PlainError, root, run } from './console.mjs';
import { INTEGRITY_RECORD, sha256 } from './integrity-record.mjs';
import {
  wrongAsar,
  wrongFuses,
  wrongLicences,
  wrongMetadata,
  wrongModes,
  wrongOutsideFiles,
  wrongPackageType,
} from './package-contents.mjs';
import {
  dataOf,
  type Person,
  playMainJob,
  playOneCommand,
  type RunningApp,
  startApp,
  until,
} from './package-drive.ts';
import { layoutOf, packedApps } from './packed-app.mjs';

const VERSION = programVersion(path.join(root, 'out/main'));
const DIST = path.join(root, 'dist');
const SHOTS = path.join(DIST, 'verify');
const INSTALLED = '/opt/Switchyard';
const PACKAGE = 'switchyard';
const HOST_ENDS_WITHIN_MS = 45_000;
/** Where a package could leave something. Root's own home is not in it: other programs of root write there. */
const WATCHED = ['/bin', '/boot', '/etc', '/home', '/lib', '/lib64', '/opt', '/sbin', '/srv', '/usr', '/var'];
/** Where nothing may be missing afterwards. The others belong to people and running programs, who remove things too. */
const OF_THE_SYSTEM = /^\/(bin|boot|etc|lib|lib64|opt|sbin|usr)(\/|$)/;
const TEMPORARY = ['/tmp', '/var/tmp', '/dev/shm', '/run'];
/** Books and caches that dpkg, apt and the desktop keep for themselves. */
const KEPT_BY_THE_SYSTEM =
  /^\/var\/(log|cache|lib\/(apt|dpkg|systemd))\/|\/(mimeinfo\.cache|icon-theme\.cache|\.Xauthority)$/;

const began = performance.now();
const isRoot = process.getuid?.() === 0;
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-packages-'));
fs.chmodSync(work, 0o755); // an ordinary user starts what is unpacked in it
let passed = 0;
let failed = 0;

const seconds = () => `${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s`;
const note = (line: string) => console.log(`${seconds()}        ${line}`);

/** Does one check: it passes unless it throws. */
async function check(what: string, act: () => Promise<unknown>): Promise<boolean> {
  try {
    const detail = await act();
    passed++;
    console.log(
      `${seconds()}  ok    ${what}${typeof detail === 'string' && detail !== '' ? `: ${detail}` : ''}`,
    );
    return true;
  } catch (error) {
    failed++;
    console.log(`${seconds()}  FAIL  ${what}\n${String(error instanceof Error ? error.message : error)}`);
    return false;
  }
}

async function expectRight(found: Promise<{ what: string; wrong: string[] }>, where: string): Promise<void> {
  let what = 'could be looked at';
  let wrong: string[] = [];
  try {
    ({ what, wrong } = await found);
  } catch (error) {
    wrong = [String(error)];
  }
  await check(`${where}: ${what}`, async () => {
    if (wrong.length > 0) throw new Error(wrong.map((line) => `    ${line}`).join('\n'));
  });
}

async function mustRun(program: string, ...args: string[]): Promise<string> {
  const { code, output } = await run(program, args, {
    quiet: true,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (code !== 0) throw new Error(`${program} ${args[0]} ended with ${code}:\n${output}`);
  return output;
}

/** The package in dist/ with this ending. */
function findPackage(ending: string): string | undefined {
  const name = fs.readdirSync(DIST).find((each) => each.endsWith(ending));
  return name === undefined ? undefined : path.join(DIST, name);
}

async function checkContents(app: string, form: string): Promise<void> {
  await expectRight(wrongFuses(app), form);
  await expectRight(wrongOutsideFiles(app), form);
  await expectRight(wrongAsar(app), form);
  await expectRight(wrongLicences(app), form);
  await expectRight(wrongPackageType(app, form.replace(/,.*/, '')), form);
}

// The processes of the app, by the place of their programs.

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly exe: string;
  readonly cmdline: string;
}

function listProcesses(): Process[] {
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = fs.readFileSync(`/proc/${name}/stat`, 'utf8');
        return {
          pid: Number(name),
          parent: Number(stat.slice(stat.lastIndexOf(')')).split(' ')[2]),
          exe: fs.readlinkSync(`/proc/${name}/exe`).replace(/ \(deleted\)$/, ''),
          // Chromium writes its title over the arguments, with spaces between them.
          cmdline: fs.readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' '),
        };
      } catch {
        return []; // ended meanwhile, or the kernel's own
      }
    });
}

const processesIn = (folder: string) => listProcesses().filter(({ exe }) => exe.startsWith(`${folder}/`));

function killProcessesIn(folder: string): void {
  for (const { pid } of processesIn(folder)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // it ended by itself since it was listed: the parts of an app that was killed do
    }
  }
}

function statusOf(pid: number, field: string): string {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
  return new RegExp(`^${field}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? '';
}

/** The renderer is held by seccomp and by namespaces of its own, and nobody asked for less. */
async function checkSandbox(app: string, { process: main }: RunningApp): Promise<string> {
  const processes = processesIn(app);
  const renderers = processes.filter(({ cmdline }) => cmdline.includes('--type=renderer'));
  if (renderers.length === 0) throw new Error('There is no renderer process.');
  for (const { cmdline, pid } of processes)
    if (cmdline.includes('--no-sandbox')) throw new Error(`Process ${pid} runs with --no-sandbox.`);
  for (const { pid } of renderers) {
    const seccomp = statusOf(pid, 'Seccomp');
    if (seccomp !== '2') throw new Error(`The renderer ${pid} has Seccomp ${seccomp}, not 2.`);
    const namespace = (of: number) => fs.readlinkSync(`/proc/${of}/ns/pid`);
    if (namespace(pid) === namespace(main.pid ?? 0))
      throw new Error(`The renderer ${pid} sees the processes of everybody.`);
  }
  return 'Seccomp 2, a process namespace of its own';
}

/** The command's process is a child of the packaged runner. */
function checkRunner(app: string, person: Person, commandPid: number): void {
  const runner = path.join(app, 'resources/app.asar.unpacked/out/runner/switchyard-runner');
  const processes = listProcesses();
  const command = processes.find(({ pid }) => pid === commandPid);
  const holder = processes.find(({ pid }) => pid === command?.parent);
  const chain = [command, holder].map((each) => each && `${each.pid} ${each.exe}`);
  if (command?.exe !== runner && holder?.exe !== runner)
    throw new Error(`The command is not held by ${runner}, but: ${chain.join(', child of ')}`);
  const uid = Number(statusOf(commandPid, 'Uid').split(/\s+/)[0]);
  if (uid !== person.uid) throw new Error(`The command runs as user ${uid}, not ${person.uid}.`);
}

/** Starts the app, does something in it, closes it, and waits until every process of it is gone. */
async function withApp(
  app: string,
  person: Person,
  what: string,
  act: (it: RunningApp) => Promise<void>,
): Promise<void> {
  let it: RunningApp | undefined;
  try {
    const isStarted = await check(`${what}: starts and shows its window`, async () => {
      it = await startApp(layoutOf(app).program, person);
      return `version ${await versionOf(it)}`;
    });
    if (!isStarted || it === undefined) return;
    const running = it;
    await act(running);
    const shot = `${what.replace(/[^a-z.]+/gi, '-')}.png`;
    await running.page.screenshot({ path: path.join(SHOTS, shot) });
    await check(`${what}: ends with 0 when its window is closed`, async () => {
      const code = await running.quit();
      if (code !== 0) throw new Error(`It ended with ${code}.`);
    });
    if (app !== INSTALLED) return; // its host is ended below; for one form its own end is waited for
    await check(`${what}: no process of it is left once its host has gone`, () =>
      until(`processes of ${app} are gone`, () => processesIn(app).length === 0, HOST_ENDS_WITHIN_MS),
    );
  } finally {
    await it?.end();
    killProcessesIn(app);
  }
}

async function versionOf({ page }: RunningApp): Promise<string> {
  const answer = await page.evaluate(() => window.switchyard.invoke('events.subscribe', {}));
  if (!answer.ok) throw new Error(answer.error.message);
  return JSON.stringify(answer.value).match(/"version":"([^"]+)"/)?.[1] ?? 'unknown';
}

async function playAs(app: string, person: Person, what: string): Promise<void> {
  await withApp(app, person, what, async (it) => {
    if (person.uid !== 0) await check(`${what}: the sandbox is on`, () => checkSandbox(app, it));
    await check(`${what}: the main job`, () =>
      playMainJob(it, async (pid) => {
        await check(`${what}: the command is held by the packaged runner`, async () =>
          checkRunner(app, person, pid),
        );
      }),
    );
  });
}

// The ordinary user

async function makePerson(): Promise<Person> {
  const name = `switchyard-${process.pid}`;
  await mustRun('useradd', '--create-home', '--shell', '/bin/bash', name);
  const id = async (flag: string) => Number(await mustRun('id', flag, name));
  return { name, uid: await id('-u'), gid: await id('-g'), home: `/home/${name}` };
}

async function removePerson(person: Person): Promise<void> {
  await mustRun('userdel', '--remove', '--force', person.name).catch((error) => note(String(error)));
  // An app that was killed leaves what it had in /tmp, and a later user of that number would find it as an own file.
  for (const file of await strayFiles(person)) fs.rmSync(file, { recursive: true, force: true });
}

function homeIn(folder: string, uid: number, gid: number): Person {
  const home = path.join(work, folder);
  fs.mkdirSync(home, { recursive: true });
  return { name: os.userInfo().username, uid, gid, home };
}

// What the installation changes on the disk

function listPaths(): Set<string> {
  const paths = new Set<string>();
  const visit = (folder: string) => {
    let entries: fs.Dirent[];
    try {
      entries = fs.readdirSync(folder, { withFileTypes: true });
    } catch {
      return;
    }
    for (const entry of entries) {
      const file = path.join(folder, entry.name);
      if (file === root) continue;
      paths.add(file);
      if (entry.isDirectory()) visit(file);
    }
  };
  for (const top of WATCHED) {
    if (!fs.lstatSync(top, { throwIfNoEntry: false })?.isDirectory()) continue;
    paths.add(top);
    visit(top);
  }
  return paths;
}

/** Files of packages that somebody installed meanwhile are not ours. */
function pathsOfPackages(): Set<string> {
  const info = '/var/lib/dpkg/info';
  const lists = fs.readdirSync(info).filter((name) => name.endsWith('.list'));
  return new Set(lists.flatMap((name) => fs.readFileSync(path.join(info, name), 'utf8').split('\n')));
}

async function checkInstalled(deb: string): Promise<void> {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query fills it in
  const format = '${db:Status-Status}';
  const { output } = await run('dpkg-query', ['--show', `--showformat=${format}`, PACKAGE], {
    quiet: true,
  });
  if (output === 'installed')
    throw new PlainError(
      'Switchyard is installed on this system already. Remove it first; it is not touched.',
    );
  // What it needs comes first, so that only the package itself is between the two looks at the disk.
  const depends = await mustRun('dpkg-deb', '--field', deb, 'Depends');
  await run('apt-get', ['update', '-qq'], { quiet: true });
  if (!(await check('deb: what it depends on can be installed', () => satisfy(depends)))) return;
  const person = await makePerson();
  try {
    // The number of a new user may have been somebody's before.
    const formerly = await strayFiles(person);
    const before = new Set([...listPaths(), ...formerly]);
    try {
      const isInstalled = await check('deb: installs', () =>
        mustRun('apt-get', 'install', '-y', '--no-install-recommends', deb).then(() => ''),
      );
      if (!isInstalled) return;
      await check('deb: /usr/bin/switchyard is the launcher', async () => {
        const target = fs.realpathSync('/usr/bin/switchyard');
        if (target !== `${INSTALLED}/bin/switchyard`) throw new Error(`It is ${target}.`);
      });
      await checkContents(INSTALLED, 'deb, installed');
      await checkSetuid();
      await expectRight(wrongMetadata('/'), 'deb, installed');
      await playAs(INSTALLED, homeIn('root', 0, 0), 'deb, as root');
      await playAs(INSTALLED, person, 'deb, as an ordinary user');
      await checkLauncher(person);
    } finally {
      await check('deb: is purged', () => mustRun('apt-get', 'purge', '-y', PACKAGE).then(() => ''));
    }
    await check("deb: nothing is left but the user's data", async () => leftOver(deb, before, person));
  } finally {
    await removePerson(person);
  }
}

async function satisfy(depends: string): Promise<void> {
  await mustRun('apt-get', 'satisfy', '-y', '--no-install-recommends', depends);
}

async function leftOver(deb: string, before: Set<string>, person: Person): Promise<string> {
  const known = pathsOfPackages();
  const after = listPaths();
  const added = [...after].filter(
    (file) => !before.has(file) && !known.has(file) && !KEPT_BY_THE_SYSTEM.test(file),
  );
  const isData = (file: string) => file.startsWith(`${person.home}/`);
  const strays = (await strayFiles(person)).filter((file) => !before.has(file));
  const strangers = [...added.filter((file) => !isData(file)), ...strays];
  // dpkg takes along what the package names too, which is a folder that was empty and nobody's.
  const named = (await mustRun('sh', '-c', `dpkg-deb --fsys-tarfile '${deb}' | tar -t`)).split('\n');
  const alsoOurs = new Set(named.map((name) => name.replace(/^\.|\/$/g, '')));
  const isMissed = (file: string) =>
    WATCHED.includes(file) ||
    (OF_THE_SYSTEM.test(file) && !KEPT_BY_THE_SYSTEM.test(file) && !alsoOurs.has(file));
  const lost = [...before].filter((file) => !after.has(file) && isMissed(file));
  const wrong = [
    ...strangers.map((file) => `    ${file} was left`),
    ...lost.map((file) => `    ${file} was there before`),
  ];
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
  const data = path.join(dataOf(person), 'switchyard.db');
  if (!fs.existsSync(data)) throw new Error(`The user's data are gone too: ${data}`);
  const folders = new Set(
    added.map((file) =>
      file
        .slice(person.home.length + 1)
        .split('/')
        .slice(0, 2)
        .join('/'),
    ),
  );
  return `${[...folders].sort().join(', ')} in the user's home`;
}

/** What a person made for this check has outside the home. */
async function strayFiles({ uid }: Person): Promise<string[]> {
  const { output } = await run('find', [...TEMPORARY, '-xdev', '-uid', String(uid)], { quiet: true });
  return output.split('\n').filter((line) => line.startsWith('/'));
}

/** Only the sandbox's helper may be setuid, and only where user namespaces cannot be had. */
async function checkSetuid(): Promise<void> {
  await check('deb, installed: nothing is setuid but the sandbox helper where it must be', async () => {
    const namespaces = await run('runuser', ['-u', 'nobody', '--', 'unshare', '--user', 'true'], {
      quiet: true,
    });
    const expected = namespaces.code === 0 ? '' : `${INSTALLED}/chrome-sandbox`;
    const found = await mustRun('find', INSTALLED, '-perm', '/6000');
    if (found !== expected) throw new Error(`Setuid: "${found}", expected "${expected}".`);
    return namespaces.code === 0
      ? 'user namespaces work here, so it is not'
      : 'it is, user namespaces are off';
  });
}

async function checkLauncher({ name }: Person): Promise<void> {
  const files = asar.listPackage(`${INSTALLED}/resources/app.asar`, { isPack: false });
  if (!files.some((file) => file.endsWith('/out/main/cli.js'))) {
    note('The command line is not part of this version, so only its link was checked.');
    return;
  }
  await check('deb, as an ordinary user: switchyard --version, without a display', async () => {
    const said = await mustRun(
      'runuser',
      '-u',
      name,
      '--',
      'env',
      '-u',
      'DISPLAY',
      'switchyard',
      '--version',
    );
    if (!said.includes(VERSION)) throw new Error(`It said: ${said}`);
    return said;
  });
}

// The other forms

type Form = 'tar.gz' | 'rpm' | 'deb' | 'AppImage';

/** Unpacks a form and gives the folder of the app in it. */
async function unpack(form: Form, file: string): Promise<string> {
  const folder = path.join(work, form);
  fs.mkdirSync(folder);
  if (form === 'AppImage') {
    await mustRun(
      'sh',
      '-c',
      `chmod +x '${file}' && cd '${folder}' && '${file}' --appimage-extract >/dev/null`,
    );
    const archive = await mustRun('find', folder, '-path', '*/resources/app.asar');
    await mustRun('chmod', '-R', 'a+rX', folder); // it is unpacked for its owner only
    return path.resolve(archive, '../..');
  }
  if (form === 'tar.gz') await mustRun('tar', '-xzf', file, '-C', folder, '--strip-components=1');
  else if (form === 'deb') await mustRun('dpkg-deb', '--extract', file, folder);
  else await mustRun('sh', '-c', `rpm2cpio '${file}' | (cd '${folder}' && cpio -idm --quiet)`);
  return form === 'tar.gz' ? folder : path.join(folder, INSTALLED);
}

/**
 * Programs without an AppArmor profile get no user namespaces on some systems. The installed deb has one; for what lies
 * unpacked somewhere the sandbox's helper must be setuid there, as the README says.
 */
async function prepareSandbox(app: string): Promise<boolean> {
  const switchFile = '/proc/sys/kernel/apparmor_restrict_unprivileged_userns';
  if (!fs.existsSync(switchFile) || fs.readFileSync(switchFile, 'utf8').trim() === '0') return true;
  if (!isRoot) {
    note('This system gives user namespaces only to installed programs, so this form is not started.');
    return false;
  }
  const helper = path.join(app, 'chrome-sandbox');
  fs.chownSync(helper, 0, 0);
  fs.chmodSync(helper, 0o4755);
  note('This system gives user namespaces only to installed programs: the sandbox helper is made setuid.');
  return true;
}

async function checkUnpacked(form: Form, file: string, person: Person): Promise<void> {
  let app = '';
  const isUnpacked = await check(`${form}: unpacks`, async () => {
    app = await unpack(form, file);
  });
  if (!isUnpacked) return;
  await checkContents(app, form);
  if (form === 'rpm') {
    await expectRight(wrongMetadata(path.join(work, form)), form);
    await check('rpm: owned by root, with a script for each end', () => checkRpm(file));
  }
  if (!(await prepareSandbox(app))) return;
  await withApp(app, person, `${form}, unpacked`, async (it) => {
    if (person.uid !== 0) await check(`${form}, unpacked: the sandbox is on`, () => checkSandbox(app, it));
    await check(`${form}, unpacked: a command runs`, () => playOneCommand(it));
  });
}

async function checkRpm(file: string): Promise<void> {
  const owners = await mustRun('rpm', '-qp', '--queryformat', '[%{FILEUSERNAME}:%{FILEGROUPNAME}\\n]', file);
  const others = new Set(owners.split('\n').filter((each) => each !== 'root:root'));
  if (others.size > 0) throw new Error(`Some files belong to ${[...others].join(', ')}.`);
  const scripts = await mustRun('rpm', '-qp', '--scripts', file);
  if (!/^postinstall/m.test(scripts) || !/^postuninstall/m.test(scripts)) throw new Error(scripts);
}

/** Where the content of a file begins in an asar: behind two sizes and the header. */
function positionOf(archive: string, file: string): number {
  const { header, headerSize } = asar.getRawHeader(archive);
  let entry: { files?: Record<string, typeof entry>; offset?: string } = header as never;
  for (const name of file.split('/')) entry = entry.files?.[name] ?? {};
  if (entry.offset === undefined) throw new Error(`${file} is not in ${archive}.`);
  return 8 + headerSize + Number(entry.offset);
}

/** A byte of the asar, which the app does not need, is changed: the app starts, and says so. */
async function checkDamage(app: string, person: Person): Promise<void> {
  const archive = path.join(app, 'resources/app.asar');
  const at = positionOf(archive, 'node_modules/detect-libc/LICENSE');
  const file = fs.openSync(archive, 'r+');
  const byte = Buffer.alloc(1);
  fs.readSync(file, byte, 0, 1, at);
  fs.writeSync(file, Buffer.from([(byte[0] ?? 0) ^ 1]), 0, 1, at);
  fs.closeSync(file);
  const log = path.join(dataOf(person), 'logs/main.log');
  fs.rmSync(log, { force: true });
  let it: RunningApp | undefined;
  await check('a damaged asar: the app says so', async () => {
    it = await startApp(layoutOf(app).program, person);
    const said = () =>
      fs.existsSync(log) && /program file app\.asar is changed/.test(fs.readFileSync(log, 'utf8'));
    await until('the damage is noticed', said, 15_000);
  });
  await it?.end();
  killProcessesIn(app);
  await check('a damaged asar: the full check finds it too', async () => {
    const record = fs.readFileSync(path.join(app, 'resources', INTEGRITY_RECORD), 'utf8');
    if (record.includes(`${await sha256(archive)}  app.asar`)) throw new Error('The record agrees with it.');
    if ((await wrongAsar(app)).wrong.length === 0) throw new Error('Nothing was found.');
  });
}

async function checkSums(): Promise<string> {
  const lines = fs.readFileSync(path.join(DIST, 'SHA256SUMS'), 'utf8').trim().split('\n');
  for (const line of lines) {
    const [sum, name = ''] = line.split('  ');
    if ((await sha256(path.join(DIST, name))) !== sum) throw new Error(`${name} is not as SHA256SUMS says.`);
  }
  return `${lines.length} files`;
}

/** On Windows and macOS, and for a folder that was named: what can be said of an app that is there already. */
async function checkFolder(app: string): Promise<void> {
  await expectRight(wrongFuses(app), app);
  await expectRight(wrongAsar(app), app);
  const person = homeIn('person', process.getuid?.() ?? -1, process.getgid?.() ?? -1);
  let it: RunningApp | undefined;
  try {
    await check(`${app}: starts, runs a command, and ends with 0`, async () => {
      it = await startApp(layoutOf(app).program, person);
      await playOneCommand(it);
      if (process.platform !== 'win32') await playMainJob(it, async () => {});
      await it.page.screenshot({ path: path.join(SHOTS, 'folder.png') });
      const code = await it.quit();
      if (code !== 0) throw new Error(`It ended with ${code}.`);
    });
  } finally {
    await it?.end();
    await endHost(person);
  }
}

/** The host outlives the app; the one that its own file names is ended. */
async function endHost(person: Person): Promise<void> {
  const file = hostFiles.pid(path.join(dataOf(person), 'host'), VERSION);
  const pid = Number(fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : 0);
  if (!(pid > 1)) return;
  const isAlive = () => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  if (isAlive()) process.kill(pid);
  await until('the host has ended', () => !isAlive(), HOST_ENDS_WITHIN_MS);
}

function findPackedApp(): string {
  const [app] = packedApps(DIST);
  if (app === undefined) throw new PlainError('There is no packed folder in dist/.');
  return app;
}

async function main(): Promise<void> {
  fs.rmSync(SHOTS, { recursive: true, force: true });
  fs.mkdirSync(SHOTS, { recursive: true });
  const [named] = process.argv.slice(2);
  if (named !== undefined || process.platform !== 'linux') {
    if (named === undefined) await check('the checksums of all packages', checkSums);
    return checkFolder(named === undefined ? findPackedApp() : path.resolve(named));
  }
  const [deb, rpm, tar, image] = ['.deb', '.rpm', '.tar.gz', '.AppImage'].map(findPackage);
  for (const [name, file] of Object.entries({ deb, rpm, 'tar.gz': tar, AppImage: image }))
    if (file === undefined) note(`There is no ${name} in dist/, so it is not checked.`);
  await check('the checksums of all packages', checkSums);
  if (deb !== undefined) await expectRight(wrongModes(deb), 'deb');
  if (deb !== undefined && isRoot) await checkInstalled(deb);
  // Unpacked forms are started by an ordinary user too, where one can be made.
  const person = isRoot
    ? await makePerson()
    : homeIn('person', process.getuid?.() ?? -1, process.getgid?.() ?? -1);
  try {
    if (deb !== undefined && !isRoot) {
      note('Installing needs root, so the deb is unpacked and started only.');
      await checkUnpacked('deb', deb, person);
    }
    if (rpm !== undefined) await checkUnpacked('rpm', rpm, person);
    if (image !== undefined) await checkUnpacked('AppImage', image, person);
    if (tar !== undefined) {
      await checkUnpacked('tar.gz', tar, person);
      await checkDamage(path.join(work, 'tar.gz'), person);
    }
  } finally {
    if (isRoot) await removePerson(person);
  }
}

try {
  await main();
} catch (error) {
  failed++;
  console.log(`${seconds()}  FAIL  ${error instanceof PlainError ? error.message : String(error)}`);
} finally {
  fs.rmSync(work, { recursive: true, force: true });
}
console.log(`\nScreenshots are in dist/verify/.\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
