import { expect, it } from 'vitest';
import { quote } from '../../../electron/agent/providers/quote.ts';

it('shows what a service says, as one short line', () => {
  expect(quote('llama3\n does not   support tools', 'key', 'sent')).toBe('llama3 does not support tools');
  expect(Array.from(quote('word '.repeat(100), null, '') ?? '')).toHaveLength(201);
  expect(quote('', null, '')).toBeNull();
  expect(quote(undefined, null, '')).toBeNull();
});

it('shows nothing that speaks of keys or repeats what was sent', () => {
  expect(quote('Incorrect API key provided: x', null, '')).toBeNull();
  expect(quote('Authorization: Bearer x', null, '')).toBeNull();
  expect(quote('you sent my-key', 'my-key', '')).toBeNull();
  expect(
    quote('cannot read: the words of a person here', null, 'before the words of a person here after'),
  ).toBeNull();
});

it('leaves out what looks like a token', () => {
  expect(quote(`bad value ${'x1'.repeat(15)} in request`, null, '')).toBe('bad value … in request');
  expect(quote('bad value sk-short in request', null, '')).toBe('bad value … in request');
});
