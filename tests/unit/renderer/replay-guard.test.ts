import headless from '@xterm/headless';
import { describe, expect, it } from 'vitest';
import { keepQuietWhile } from '../../../renderer/features/terminals/replay-guard.ts';

const QUESTIONS = {
  'primary attributes': '\x1b[c',
  'secondary attributes': '\x1b[>c',
  'cursor position': '\x1b[6n',
  'private cursor position': '\x1b[?6n',
  'private mode': '\x1b[?25$p',
  setting: '\x1bP$qm\x1b\\',
};

async function answersTo(question: string, isReplaying: boolean): Promise<string> {
  const terminal = new headless.Terminal({ allowProposedApi: true });
  let answers = '';
  terminal.onData((data) => {
    answers += data;
  });
  keepQuietWhile(terminal, () => isReplaying);
  await new Promise<void>((resolve) => terminal.write(`before${question}after`, resolve));
  expect(terminal.buffer.active.getLine(0)?.translateToString(true)).toBe('beforeafter');
  terminal.dispose();
  return answers;
}

describe('keepQuietWhile', () => {
  it.each(Object.entries(QUESTIONS))('answers the %s of a live program only', async (_name, question) => {
    expect(await answersTo(question, false)).not.toBe('');
    expect(await answersTo(question, true)).toBe('');
  });

  it('still takes titles and colours while it is quiet', async () => {
    expect(await answersTo('\x1b]4;1;rgb:ff/00/00\x07', true)).toBe('');
  });
});
