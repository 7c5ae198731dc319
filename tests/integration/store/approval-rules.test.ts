import path from 'node:path';
import Database from 'libsql';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { inTransaction, MIGRATIONS } from '../../../electron/store/schema.ts';
import { openDatabase } from '../../../electron/store/store.ts';
import type { Approval, ApprovalRule } from '../../../shared/model/approval.ts';
import { session, temporaryFolder } from './support.ts';

let file: string;
let remove: () => void;

beforeEach(() => {
  const temporary = temporaryFolder();
  file = path.join(temporary.folder, 'switchyard.db');
  remove = temporary.remove;
});
afterEach(() => remove());

function withStore<T>(work: (store: ReturnType<typeof openDatabase>) => T): T {
  const store = openDatabase(file, (message) => {
    throw new Error(message);
  });
  try {
    return work(store);
  } finally {
    store.close();
  }
}

const rule = (n: number, change: Partial<ApprovalRule> = {}): ApprovalRule => ({
  id: `r_${String(n).padStart(16, '0')}`,
  workspace: '/work',
  createdAt: n,
  words: ['git', `command-${n}`],
  isExact: false,
  ...change,
});
const approval: Approval = {
  toolCallId: 'call-1',
  cmd: 'git push',
  cwd: '/work',
  marks: [{ kind: 'rewrites_remote', text: 'Rewrites a remote branch.' }],
  mode: 'rules',
  suggestion: [{ words: ['git', 'push'], isExact: false }],
  askedAt: 5,
  answer: { kind: 'refuse', reason: 'no' },
};

it('keeps the rules of each workspace in their order, each once, across a start', () => {
  withStore((store) => {
    store.checkpoint({ rules: [rule(2), rule(1, { isExact: true })] });
    store.checkpoint({ rules: [rule(3, { words: rule(2).words }), rule(4, { workspace: '/other' })] });
  });
  withStore((store) => {
    expect(store.approvalRules('/work')).toEqual([rule(1, { isExact: true }), rule(2)]);
    expect(store.approvalRules('/other')).toEqual([rule(4, { workspace: '/other' })]);
    expect(store.approvalRules('/')).toEqual([]);
    store.deleteApprovalRule(rule(2).id);
    store.deleteApprovalRule('r_unknown');
    expect(store.approvalRules('/work')).toEqual([rule(1, { isExact: true })]);
  });
});

it('saves a rule together with the answer, or neither', () => {
  withStore((store) => {
    const asked = session(1, { status: 'running', approvals: [approval] });
    store.checkpoint({ session: asked, rules: [rule(1)] });
    expect(store.load().sessions).toEqual([asked]);
    const broken = { ...rule(2), words: [] };
    expect(() => store.checkpoint({ session: session(1), rules: [broken] })).toThrow('could not be saved');
    expect(store.load().sessions).toEqual([asked]);
    expect(store.approvalRules('/work')).toEqual([rule(1)]);
  });
});

it('takes up a database from before there were approvals', () => {
  const db = new Database(file);
  const { approvals: _none, wait: _wait, ...before } = session(1);
  inTransaction(db, () => {
    db.exec(MIGRATIONS[0] ?? '');
    db.prepare('INSERT INTO sessions VALUES (?, ?, ?)').run([before.id, 1, JSON.stringify(before)]);
    db.exec('PRAGMA user_version = 1');
  });
  db.close();
  withStore((store) => {
    expect(store.load().sessions).toEqual([session(1)]);
    store.checkpoint({ rules: [rule(1)] });
    expect(store.approvalRules('/work')).toEqual([rule(1)]);
  });
});
