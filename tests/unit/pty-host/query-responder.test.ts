import { expect, it } from 'vitest';
import { QueryResponder } from '../../../electron/pty-host/query-responder.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const ask = (...parts: string[]) => {
  const responder = new QueryResponder();
  return parts
    .map((part) => new TextDecoder().decode(responder.feed(bytes(part)) ?? new Uint8Array()))
    .join('');
};

it('answers where the cursor is, that it is alive, and what it is', () => {
  expect(ask('a\x1b[6nb')).toBe('\x1b[1;1R');
  expect(ask('\x1b[5n')).toBe('\x1b[0n');
  expect(ask('\x1b[c\x1b[0c')).toBe('\x1b[?62;22c\x1b[?62;22c');
});

it('finds a query at every cut, once', () => {
  const whole = 'x\x1b[6ny';
  for (let cut = 0; cut <= whole.length; cut++)
    expect(ask(whole.slice(0, cut), whole.slice(cut)), `cut ${cut}`).toBe('\x1b[1;1R');
});

it('says nothing to colours, titles and text', () => {
  expect(ask('\x1b[31mred\x1b[0m', '\x1b]0;6n\x07', 'plain 6n', '\x1b[', '6m', '\x1b[>0q')).toBe('');
});
