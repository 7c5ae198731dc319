import { describe, expect, it } from 'vitest';
import { isAccepted } from '../../../build/licences.mjs';

describe('the licences that go into a package unseen', () => {
  it.each([
    'MIT',
    'Apache-2.0',
    'OFL-1.1',
    '(MIT OR GPL-3.0)',
    'MIT AND (GPL-2.0-only OR ISC)',
    'GPL-3.0 OR 0BSD',
  ])('are %s', (expression) => expect(isAccepted(expression)).toBe(true));

  it.each([
    '',
    'GPL-3.0',
    'AGPL-3.0-only',
    'MIT AND GPL-3.0',
    'SEE LICENSE IN LICENSE',
    'UNLICENSED',
    '(MIT',
    'MIT)',
  ])('are not "%s"', (expression) => expect(isAccepted(expression)).toBe(false));
});
