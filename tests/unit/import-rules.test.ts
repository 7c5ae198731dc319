// Which part of the program may import which. The folders promise where their code can run; these rules keep it.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { parseSync } from 'vite';
import { describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');

interface Import {
  /** A path from the top of the repository, or a package or built-in as it is written. */
  target: string;
  /** `import type` and `export type`: nothing is left of them at run time. */
  isTypeOnly: boolean;
}

interface Rule {
  promise: string;
  appliesTo(file: string): boolean;
  allows(target: string, isTypeOnly: boolean, file: string): boolean;
}

const isIn = (folder: string) => (name: string) => name.startsWith(`${folder}/`);
const isInAny =
  (...folders: string[]) =>
  (name: string) =>
    folders.some((folder) => isIn(folder)(name));
const isOwnFile = isInAny('electron', 'renderer', 'shared', 'tests', 'build');
const isPackage = (target: string) => !isOwnFile(target) && !isBuiltin(target) && target !== 'electron';

const RULES: Rule[] = [
  {
    promise: 'only electron/main.ts, electron/preload.ts and electron/app/ import Electron',
    appliesTo: (file) =>
      isInAny('electron', 'renderer', 'shared')(file) &&
      !['electron/main.ts', 'electron/preload.ts'].includes(file) &&
      !isIn('electron/app')(file),
    allows: (target) => target !== 'electron',
  },
  {
    promise: 'shared/ runs anywhere: it imports itself and zod',
    appliesTo: isIn('shared'),
    allows: (target) => isIn('shared')(target) || target === 'zod',
  },
  {
    promise: 'renderer/ runs in a sandboxed page: it imports itself, shared/ and packages',
    appliesTo: isIn('renderer'),
    allows: (target) => isInAny('renderer', 'shared')(target) || isPackage(target),
  },
  {
    promise: 'electron/ imports itself, shared/, packages and Node',
    appliesTo: isIn('electron'),
    allows: (target) => !isInAny('renderer', 'tests', 'build')(target),
  },
  {
    promise: 'electron/supervisor/ is pure: it imports itself, shared/, zod and types of its neighbours',
    appliesTo: isIn('electron/supervisor'),
    allows: (target, isTypeOnly) => {
      if (isInAny('electron/supervisor', 'shared')(target) || target === 'zod') return true;
      const isOutside =
        isBuiltin(target) ||
        isInAny(
          'electron/app',
          'electron/ipc',
          'electron/store',
          'electron/host-client',
          'electron/pty-host',
        )(target);
      return isTypeOnly && !isOutside && target !== 'electron';
    },
  },
  {
    promise: 'electron/pty-host/ knows nothing of the app that started it',
    appliesTo: isIn('electron/pty-host'),
    allows: (target) =>
      !isInAny(
        'electron/supervisor',
        'electron/agent',
        'electron/store',
        'electron/app',
        'electron/ipc',
      )(target),
  },
];

const TOP_LEVEL_NAMES = [
  ...['package.json', 'tsconfig.json', 'electron', 'renderer', 'shared', 'tests', 'build'],
  ...['README.md', 'LICENSE'],
];

/** What is wrong with the imports of one file, as sentences. */
function findBreaches(file: string, source: string): string[] {
  const breaches: string[] = [];
  for (const { target, isTypeOnly } of listImports(file, source))
    for (const rule of RULES)
      if (rule.appliesTo(file) && !rule.allows(target, isTypeOnly, file))
        breaches.push(`${file} imports ${target}, but ${rule.promise}`);
  return breaches;
}

/** Every import of a file: static, dynamic, re-exported, required, and of types. */
function listImports(file: string, source: string): Import[] {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  const imports: Import[] = [];
  const add = (specifier: unknown, isTypeOnly: boolean) => {
    if (typeof specifier === 'string') imports.push({ target: resolveTarget(file, specifier), isTypeOnly });
  };
  visitNodes(program, (node) => {
    const from = (node.source as SyntaxNode | null | undefined)?.value;
    switch (node.type) {
      case 'ImportDeclaration':
        add(from, node.importKind === 'type');
        break;
      case 'ExportNamedDeclaration':
      case 'ExportAllDeclaration':
        add(from, node.exportKind === 'type');
        break;
      case 'ImportExpression':
        add(from, false);
        break;
      case 'TSImportType':
        add(from, true);
        break;
      case 'TSExternalModuleReference':
        add((node.expression as SyntaxNode).value, false);
        break;
      case 'CallExpression': {
        const callee = node.callee as SyntaxNode;
        const [argument] = node.arguments as SyntaxNode[];
        if (callee.type === 'Identifier' && callee.name === 'require') add(argument?.value, false);
        break;
      }
    }
  });
  return imports;
}

type SyntaxNode = { type: string } & Record<string, unknown>;

function visitNodes(value: unknown, visit: (node: SyntaxNode) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value && typeof value.type === 'string') visit(value as SyntaxNode);
  for (const child of Object.values(value)) visitNodes(child, visit);
}

function resolveTarget(file: string, specifier: string): string {
  const bare = specifier.replace(/\?.*$/, '');
  return bare.startsWith('.') ? path.posix.join(path.posix.dirname(file), bare) : bare;
}

function listSources(folder: string): string[] {
  return fs
    .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.split(path.sep).join('/')}`)
    .filter((name) => /\.(?:[cm]?[jt]s|[jt]sx)$/.test(name) && !name.endsWith('.d.ts'))
    .sort();
}

describe('the import rules', () => {
  it('hold for every source file', () => {
    const files = ['electron', 'renderer', 'shared'].flatMap(listSources);
    expect(files.length).toBeGreaterThan(0);
    const breaches = files.flatMap((file) =>
      findBreaches(file, fs.readFileSync(path.join(ROOT, file), 'utf8')),
    );
    expect(breaches).toEqual([]);
  });

  it.each([
    ['electron/ipc/a.ts', "import { app } from 'electron';"],
    ['electron/agent/a.ts', "import type { App } from 'electron';"],
    ['electron/agent/a.ts', "import { Shell } from '../../renderer/app/shell.tsx';"],
    ['shared/a.ts', "import fs from 'node:fs';"],
    ['shared/a.ts', "import { open } from 'fs';"],
    ['shared/a.ts', "export * from '../electron/main.ts';"],
    ['shared/a.ts', "import { create } from 'zustand';"],
    ['renderer/app/a.tsx', "const os = await import('node:os');"],
    ['renderer/app/a.tsx', "import { ipcRenderer } from 'electron';"],
    ['renderer/app/a.tsx', "import { open } from '../../electron/store/store.ts';"],
    ['electron/supervisor/a.ts', "import { randomUUID } from 'node:crypto';"],
    ['electron/supervisor/a.ts', "import type { Store } from '../store/store.ts';"],
    ['electron/supervisor/a.ts', "import { run } from '../agent/run.ts';"],
    ['electron/supervisor/a.ts', "import { type Run } from '../agent/run.ts';"],
    ['electron/supervisor/a.ts', "type Timer = import('node:timers').Timer;"],
    ['electron/pty-host/a.ts', "export { attach } from '../supervisor/attach.ts';"],
    ['electron/pty-host/a.ts', "const agent = require('../agent/run.ts');"],
    ['electron/pty-host/a.ts', "import agent = require('../agent/run.ts');"],
  ])('refuse in %s: %s', (file, source) => {
    expect(findBreaches(file, source)).not.toEqual([]);
  });

  it.each([
    ['electron/main.ts', "import { app } from 'electron';"],
    ['electron/app/window.ts', "import { BrowserWindow } from 'electron';"],
    ['electron/store/a.ts', "import Database from 'libsql';"],
    ['electron/supervisor/a.ts', "import type { Run } from '../agent/run.ts';"],
    ['electron/supervisor/states/a.ts', "import { limits } from '../../../shared/limits.ts';"],
    ['electron/pty-host/a.ts', "import fs from 'node:fs'; import { spawn } from 'node-pty';"],
    ['renderer/app/a.tsx', "import { create } from 'zustand'; import '../ui/theme.css';"],
    ['shared/a.ts', "import { z } from 'zod'; import { limits } from './limits.ts';"],
    ['shared/a.ts', "// import fs from 'node:fs';\nexport const text = \"import 'node:fs'\";"],
  ])('allow in %s: %s', (file, source) => {
    expect(findBreaches(file, source)).toEqual([]);
  });
});

describe('the top of the repository', () => {
  it('holds the agreed names only', (context) => {
    if (!fs.existsSync(path.join(ROOT, '.git'))) return context.skip('this is not a git checkout');
    const listing = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    const names = new Set(
      listing
        .split('\n')
        .filter(Boolean)
        .map((file) => file.split('/')[0] ?? ''),
    );
    const strangers = [...names].filter((name) => !name.startsWith('.') && !TOP_LEVEL_NAMES.includes(name));
    expect(strangers).toEqual([]);
  });
});
