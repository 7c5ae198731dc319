// What an installation puts beside the app: bin/switchyard and the completions.
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CliTest } from '../../support/cli.ts';
import { makeGate } from '../../support/gate.ts';
import { temporaryFolder } from '../../support/host.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const WRAPPER = path.join(ROOT, 'build/linux/switchyard.sh');
const COMPLETIONS = path.join(ROOT, 'build/completions');

let folder: string;
beforeAll(() => {
  folder = temporaryFolder('installed app'); // with a space
});
afterAll(() => fs.rmSync(folder, { recursive: true }));

function write(file: string, text: string, mode = 0o755): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text, { mode });
}

function link(file: string, target: string): string {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.symlinkSync(target, file);
  return file;
}

describe('bin/switchyard', () => {
  const TELL = '#!/bin/sh\nprintf "%s\\n" "$ELECTRON_RUN_AS_NODE" "$0" "$@"\nexit 42\n';

  test('finds its app through symlinks, hands over the words, and ends with the status', () => {
    const app = path.join(folder, 'opt/Switch yard');
    write(path.join(app, 'switchyard'), TELL);
    write(path.join(app, 'bin/switchyard'), fs.readFileSync(WRAPPER, 'utf8'));
    link(path.join(folder, 'etc/alternatives/switchyard'), path.join(app, 'bin/switchyard'));
    const bin = link(path.join(folder, 'usr/bin/switchyard'), '../../etc/alternatives/switchyard');
    const ended = spawnSync(bin, ['run', '--', 'a b', '', '*'], { encoding: 'utf8' });
    const script = path.join(app, 'resources/app.asar/out/main/cli.js');
    expect(ended.stdout).toBe(`1\n${app}/switchyard\n${script}\nrun\n--\na b\n\n*\n`);
    expect(ended.status).toBe(42);
  });

  test('knows the layout of macOS', () => {
    const contents = path.join(folder, 'Switchyard.app/Contents');
    write(path.join(contents, 'MacOS/Switchyard'), TELL);
    write(path.join(contents, 'Resources/app/bin/switchyard'), fs.readFileSync(WRAPPER, 'utf8'));
    const ended = spawnSync(path.join(contents, 'Resources/app/bin/switchyard'), ['jobs'], {
      encoding: 'utf8',
    });
    const script = path.join(contents, 'Resources/app.asar/out/main/cli.js');
    expect(ended.stdout).toBe(`1\n${contents}/MacOS/Switchyard\n${script}\njobs\n`);
  });

  test('says what is missing when the app is gone', () => {
    const file = path.join(folder, 'alone/bin/switchyard');
    write(file, fs.readFileSync(WRAPPER, 'utf8'));
    const ended = spawnSync(file, [], { encoding: 'utf8' });
    expect(ended).toMatchObject({ status: 125, stderr: expect.stringContaining('is not there') });
  });
});

describe('completions', () => {
  let cli: CliTest;
  let bin: string;
  const gate = makeGate();

  beforeAll(async () => {
    cli = await CliTest.start();
    await cli.host.run(`: known; ${gate.loop}`, { id: 'c_kn0w000000000000' });
    bin = path.join(folder, 'bin');
    write(
      path.join(bin, 'switchyard'),
      `#!/bin/sh\nexec '${process.execPath}' '${path.join(ROOT, 'out/main/cli.js')}' "$@"\n`,
    );
    fs.mkdirSync(path.join(folder, 'work/a yard'), { recursive: true });
    fs.writeFileSync(path.join(folder, 'work/a file'), '');
  });
  afterAll(async () => {
    gate.open();
    await cli.close();
    gate.release();
  });

  const shellOptions = () => ({
    encoding: 'utf8' as const,
    cwd: path.join(folder, 'work'),
    env: {
      ...process.env,
      PATH: `${bin}:${process.env.PATH}`,
      SWITCHYARD_DATA_DIR: cli.data,
      HOME: folder,
    },
  });

  const inBash = (...words: string[]): string[] => {
    const quoted = ['switchyard', ...words].map((word) => `'${word}'`).join(' ');
    const script = `compopt() { :; }; . '${COMPLETIONS}/switchyard.bash'; COMP_WORDS=(${quoted})
      COMP_CWORD=${words.length}; _switchyard; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['--norc', '-c', script], shellOptions()).split('\n').filter(Boolean);
  };

  test('bash', () => {
    expect(inBash('')).toEqual(['a yard', 'mcp', 'run', 'jobs', 'stop']);
    expect(inBash('r')).toEqual(['run']);
    expect(inBash('--n')).toEqual(['--new-session']);
    expect(inBash('run', '--t')).toEqual(['--timeout']);
    expect(inBash('jobs', '--')).toEqual(['--json', '--data-dir', '--help']);
    expect(inBash('jobs', '--data-dir', '')).toEqual(['a yard']);
    expect(inBash('stop', 'k')).toEqual(['kn0w']);
    expect(inBash('stop', 'x')).toEqual([]);
  });

  const hasShell = (name: string) => spawnSync(name, ['--version']).status === 0;

  test('fish', (context) => {
    if (!hasShell('fish')) return context.skip('fish is not installed here');
    const inFish = (line: string) => {
      const script = `source '${COMPLETIONS}/switchyard.fish'; complete -C '${line}'`;
      return execFileSync('fish', ['--no-config', '-c', script], shellOptions())
        .split('\n')
        .filter(Boolean)
        .map((entry) => entry.split('\t')[0]);
    };
    expect(inFish('switchyard ')).toEqual(expect.arrayContaining(['run', 'jobs', 'stop', 'mcp', 'a yard/']));
    expect(inFish('switchyard --n')).toEqual(['--new-session']);
    expect(inFish('switchyard run --t')).toEqual(['--timeout']);
    expect(inFish('switchyard jobs --js')).toEqual(['--json']);
    expect(inFish('switchyard stop ')).toEqual(['kn0w']);
    expect(inFish('switchyard run -- fal')).toContain('false');
  });

  test('zsh', (context) => {
    if (!hasShell('zsh')) return context.skip('zsh is not installed here');
    // Its completions work in a terminal only: this is what Tab makes of a line.
    const tab = (line: string) => {
      const script = `zmodload zsh/zpty; zpty -b z zsh -f -i
        zpty -w z 'PS1=; fpath=("${COMPLETIONS}" $fpath); autoload -Uz compinit; compinit -u -D'
        zpty -w z 'zle-tell() { print -r -- "[[$BUFFER]]"; exit }; zle -N zle-tell; bindkey "^X" zle-tell; print ready-$((1+1))'
        zpty -r -m z text '*ready-2*'
        zpty -w -n z ${JSON.stringify(line)}$'\\t\\x18'
        zpty -r -m z text '*\\]\\]*'; print -r -- "$text"`;
      const output = execFileSync('zsh', ['-f', '-c', script], { ...shellOptions(), timeout: 20_000 });
      return /\[\[(.*)\]\]/.exec(output)?.[1];
    };
    expect(tab('switchyard jo')).toBe('switchyard jobs ');
    expect(tab('switchyard --n')).toBe('switchyard --new-session ');
    expect(tab('switchyard run --t')).toBe('switchyard run --timeout ');
    expect(tab('switchyard jobs --j')).toBe('switchyard jobs --json ');
    expect(tab('switchyard stop k')).toBe('switchyard stop kn0w ');
    expect(tab('switchyard run -- fals')).toBe('switchyard run -- false ');
  });
});
