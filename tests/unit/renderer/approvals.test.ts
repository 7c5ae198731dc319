import { describe, expect, it } from 'vitest';
import {
  alwaysWords,
  askedBecause,
  askedOf,
  ruleWords,
  shortAsked,
  visibleCommand,
} from '../../../renderer/features/approvals/approval-words.ts';
import { sessionWords } from '../../../renderer/features/sessions/session-words.ts';
import type { Approval } from '../../../shared/model/approval.ts';
import { approvalModeOf } from '../../../shared/model/approval-mode.ts';
import { command, session } from './samples.ts';

const approval = (change: Partial<Approval> = {}): Approval => ({
  toolCallId: 'call-1',
  cmd: 'git push --force origin main',
  cwd: '/home/ada/atlas-api',
  marks: [],
  mode: 'rules',
  suggestion: [{ words: ['git', 'push'], isExact: false }],
  askedAt: 1,
  answer: null,
  ...change,
});

describe('a question', () => {
  it('offers the rule that it would make', () => {
    expect(alwaysWords(approval())).toEqual({ label: 'Always allow git push here', title: 'git push …' });
    expect(alwaysWords(approval({ suggestion: [] }))).toBeNull();
    const two = [
      { words: ['npm', 'test'], isExact: false },
      { words: ['./x', 'a b', "it's"], isExact: true },
    ];
    expect(alwaysWords(approval({ suggestion: two }))).toEqual({
      label: `Always allow npm test, ./x 'a b' 'it'\\''s' here`,
      title: `npm test …\n./x 'a b' 'it'\\''s' (exactly)`,
    });
    const long = [{ words: ['./x', 'y'.repeat(80)], isExact: true }];
    expect(alwaysWords(approval({ suggestion: long }))?.label).toMatch(/^Always allow \.\/x y+… here$/);
  });

  it('says why, and where when that is elsewhere', () => {
    const because = (change: Partial<Approval>) => askedBecause(approval(change), '/home/ada/atlas-api');
    expect(because({})).toBe('Not covered by a rule for this folder.');
    expect(because({ mode: 'ask' })).toBe('Every command is asked for.');
    expect(because({ cwd: '/srv' })).toBe('Not covered by a rule for this folder. It would run in /srv.');
  });

  it('hides nothing of the command', () => {
    expect(visibleCommand('rm \u202ex\u200b\u0000\u00a0y\u{e0041}\r')).toBe(
      'rm \\u{202e}x\\u{200b}\\u{0}\\u{a0}y\\u{e0041}\\u{d}',
    );
    expect(visibleCommand('a\n\tb "ü" 漢')).toBe('a\n\tb "ü" 漢');
    expect(shortAsked(approval({ cmd: 'sudo rm -rf /var/lib/something' }))).toBe('sudo rm -rf /var/lib/som…');
    expect(shortAsked(approval({ cmd: 'x'.repeat(60) }))).toBe(`${'x'.repeat(24)}…`);
    expect(shortAsked(approval({ cmd: 'a\nb' }))).toBe('a …');
  });

  it('is the line of its session, whatever else runs, until it is answered', () => {
    const asking = session(1, { status: 'running', approvals: [approval()] });
    expect(sessionWords(asking, [command()])).toEqual({
      words: 'Asks: git push --force origin…',
      tone: 'wait',
    });
    const answered = { ...asking, approvals: [approval({ answer: { kind: 'allow' } })] };
    expect(askedOf(answered)).toEqual([]);
    expect(sessionWords(answered, [command()])).toEqual({ words: 'Running make', tone: 'run' });
    expect(askedOf(undefined)).toEqual([]);
  });
});

it('a rule is shown with what it covers', () => {
  expect(ruleWords({ words: ['npm', 'test'], isExact: false })).toBe('npm test …');
  expect(ruleWords({ words: ['make'], isExact: true })).toBe('make (exactly)');
});

it('a model asks unless it is allowed and the built-in agent runs freely, unless the settings say otherwise', () => {
  expect(approvalModeOf('auto', 'built-in')).toBe('free');
  expect(approvalModeOf('auto', 'claude')).toBe('rules');
  for (const mode of ['ask', 'rules', 'free'] as const)
    for (const provider of ['built-in', 'claude']) expect(approvalModeOf(mode, provider)).toBe(mode);
});
