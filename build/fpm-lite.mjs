#!/usr/bin/env node
// Stands in for fpm where that cannot be downloaded: electron-builder calls it for deb and rpm (CUSTOM_FPM_PATH). It takes
// the options that electron-builder passes, refuses all others, and uses dpkg-deb or rpmbuild.
// FPM_LITE_LEVEL=1..9 sets the compression level.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const SINGLE = new Set([
  ...['-s', '-t', '--architecture', '--version', '--package', '--name', '--maintainer', '--vendor', '--url'],
  ...['--category', '--license', '--iteration', '--description', '--after-install', '--after-remove'],
  ...['--deb-priority', '--deb-compression', '--rpm-os', '--rpm-compression', '--rpm-summary', '--log'],
]);
const REPEATED = new Set(['-d', '--deb-recommends']);
const SWITCHES = new Set(['--force', '--debug']);

/** @typedef {{ single: Map<string, string>, repeated: Map<string, string[]>, files: [from: string, to: string][] }} Options */
/** @typedef {{ root: string, files: string[], folders: string[], bytes: number }} Tree */

try {
  makePackage(readOptions(process.argv.slice(2)));
} catch (error) {
  console.error(`fpm-lite: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}

/** @param {Options} options */
function makePackage(options) {
  const type = options.single.get('-t');
  if (options.single.get('-s') !== 'dir' || (type !== 'deb' && type !== 'rpm'))
    throw new Error(`it makes deb and rpm of files only, not ${type} of ${options.single.get('-s')}`);
  const output = required(options, '--package');
  const work = fs.mkdtempSync(path.join(os.tmpdir(), 'fpm-lite-'));
  try {
    fs.mkdirSync(path.dirname(output), { recursive: true });
    fs.rmSync(output, { force: true });
    const tree = layOut(path.join(work, 'root'), options);
    if (type === 'deb') makeDeb(options, tree, output);
    else makeRpm(options, tree, work, output);
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
}

/** @param {string[]} args @returns {Options} */
function readOptions(args) {
  /** @type {Options} */
  const options = { single: new Map(), repeated: new Map(), files: [] };
  const rest = [...args];
  for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
    const [, name = next, given] = /^(--[a-z-]+)=([\s\S]*)$/.exec(next) ?? [];
    const value = () => given ?? rest.shift() ?? '';
    if (SWITCHES.has(name)) continue;
    if (SINGLE.has(name)) options.single.set(name, value());
    else if (REPEATED.has(name)) options.repeated.set(name, [...(options.repeated.get(name) ?? []), value()]);
    else {
      const at = next.lastIndexOf('=');
      if (next.startsWith('-') || at < 0) throw new Error(`the option ${next} is not known here`);
      options.files.push([next.slice(0, at), next.slice(at + 1)]);
    }
  }
  return options;
}

/** @param {Options} options @param {string} name */
function required({ single }, name) {
  const value = single.get(name);
  if (!value) throw new Error(`${name} is missing`);
  return value;
}

/**
 * Copies the files to where they will be installed, below a root.
 * @param {string} root
 * @param {Options} options
 * @returns {Tree}
 */
function layOut(root, options) {
  for (const [from, to] of options.files) {
    const target = path.join(root, to);
    const isFolder = from.endsWith('/');
    fs.mkdirSync(isFolder ? target : path.dirname(target), { recursive: true });
    execFileSync('cp', ['-a', '--no-preserve=ownership', isFolder ? `${from}.` : from, target]);
    if (!isFolder) fs.chmodSync(target, 0o644);
  }
  /** @type {Tree} */
  const tree = { root, files: [], folders: [], bytes: 0 };
  const visit = (/** @type {string} */ folder) => {
    fs.chmodSync(folder, 0o755); // a umask must not shut others out
    for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
      const file = path.join(folder, entry.name);
      if (entry.isDirectory()) {
        tree.folders.push(file);
        visit(file);
      } else {
        tree.files.push(file);
        if (entry.isFile()) tree.bytes += fs.statSync(file).size;
      }
    }
  };
  visit(root);
  return tree;
}

/** @param {Options} options @param {Tree} tree @param {string} output */
function makeDeb(options, { root, files, bytes }, output) {
  const { single } = options;
  const md5sums = files
    .filter((file) => fs.lstatSync(file).isFile())
    .map(
      (file) =>
        `${createHash('md5').update(fs.readFileSync(file)).digest('hex')}  ${path.relative(root, file)}\n`,
    );
  const control = path.join(root, 'DEBIAN');
  fs.mkdirSync(control);
  fs.writeFileSync(path.join(control, 'md5sums'), md5sums.join(''));
  const list = (/** @type {string} */ name) => (options.repeated.get(name) ?? []).join(', ');
  const [summary, ...text] = descriptionLines(options);
  const fields = {
    Package: required(options, '--name').toLowerCase(),
    Version: [required(options, '--version'), single.get('--iteration')].filter(Boolean).join('-'),
    License: single.get('--license'),
    Vendor: single.get('--vendor'),
    Architecture: required(options, '--architecture'),
    Maintainer: single.get('--maintainer'),
    'Installed-Size': String(Math.ceil(bytes / 1024)),
    Depends: list('-d'),
    Recommends: list('--deb-recommends'),
    Section: single.get('--category') ?? 'misc',
    Priority: single.get('--deb-priority') ?? 'optional',
    Homepage: single.get('--url'),
    Description: [summary, ...text.map((line) => ` ${line}`)].join('\n'),
  };
  const lines = Object.entries(fields).map(([name, value]) => (value ? `${name}: ${value}\n` : ''));
  fs.writeFileSync(path.join(control, 'control'), lines.join(''));
  for (const [option, name] of [
    ['--after-install', 'postinst'],
    ['--after-remove', 'postrm'],
  ]) {
    const script = single.get(option ?? '');
    if (script) fs.writeFileSync(path.join(control, name ?? ''), fs.readFileSync(script), { mode: 0o755 });
  }
  const compression = single.get('--deb-compression') ?? 'xz';
  const level = process.env.FPM_LITE_LEVEL ? [`-z${process.env.FPM_LITE_LEVEL}`] : [];
  execFileSync('dpkg-deb', [
    ...['--root-owner-group', `-Z${compression === 'gz' ? 'gzip' : compression}`, ...level],
    ...['--build', root, output],
  ]);
}

/** @param {Options} options @param {Tree} tree @param {string} work @param {string} output */
function makeRpm(options, { root, files, folders }, work, output) {
  const { single } = options;
  const name = required(options, '--name').toLowerCase();
  const level = process.env.FPM_LITE_LEVEL;
  const payload = {
    xzmt: `w${level ?? 6}T0.xzdio`,
    xz: `w${level ?? 6}.xzdio`,
    gzip: `w${level ?? 9}.gzdio`,
    zstd: `w${level ?? 19}.zstdio`,
  }[single.get('--rpm-compression') ?? 'xzmt'];
  if (payload === undefined)
    throw new Error(`${single.get('--rpm-compression')} is no compression known here`);
  const quoted = (/** @type {string} */ file) =>
    `"/${path.relative(root, file).replace(/%/g, '%%').replace(/"/g, '\\"')}"`;
  // Of the folders only the package's own: /usr and what is below it belongs to others.
  const owned = options.files.filter(([from]) => from.endsWith('/')).map(([, to]) => path.join(root, to));
  const isOwned = (/** @type {string} */ folder) =>
    owned.some((own) => folder === own || folder.startsWith(`${own}/`));
  const list = [...folders.filter(isOwned).map((folder) => `%dir ${quoted(folder)}`), ...files.map(quoted)];
  const script = (/** @type {string} */ section, /** @type {string} */ option) => {
    const file = single.get(option);
    if (!file) return '';
    return `%${section} -p /bin/bash\n${fs.readFileSync(file, 'utf8').replace(/%/g, '%%')}\n`;
  };
  const [summary, ...text] = descriptionLines(options);
  const spec = `%global __os_install_post %{nil}
%global debug_package %{nil}
%global _build_id_links none
%define _binary_payload ${payload}
Name: ${name}
Version: ${required(options, '--version')}
Release: ${single.get('--iteration') ?? '1'}
Summary: ${single.get('--rpm-summary') ?? summary}
License: ${single.get('--license') ?? 'unknown'}
Vendor: ${single.get('--vendor') ?? ''}
URL: ${single.get('--url') ?? ''}
Packager: ${single.get('--maintainer') ?? ''}
AutoReqProv: no
${(options.repeated.get('-d') ?? []).map((each) => `Requires: ${each}`).join('\n')}

%description
${[summary, ...text].join('\n')}

%install
mkdir -p %{buildroot}
cp -a ${root}/. %{buildroot}/

%files
%defattr(-,root,root,-)
${list.join('\n')}

${script('post', '--after-install')}
${script('postun', '--after-remove')}
`;
  const specFile = path.join(work, 'package.spec');
  fs.writeFileSync(specFile, spec);
  const architecture = required(options, '--architecture');
  execFileSync('rpmbuild', [
    ...['-bb', '--quiet', '--target', architecture === 'amd64' ? 'x86_64' : architecture],
    ...['--define', `_topdir ${path.join(work, 'rpm')}`, '--define', `_rpmdir ${path.join(work, 'rpms')}`],
    ...['--define', '_rpmfilename out.rpm', specFile],
  ]);
  fs.copyFileSync(path.join(work, 'rpms/out.rpm'), output);
}

/** @param {Options} options @returns {[summary: string, ...text: string[]]} lines without needless space */
function descriptionLines(options) {
  const lines = (options.single.get('--description') ?? '').split('\n').map((line) => line.trim());
  const [summary = '', ...text] = lines;
  const rest = text.filter(Boolean);
  return [summary || rest[0] || required(options, '--name'), ...rest];
}
