import { expect, it } from 'vitest';
import { reviveStep } from '../../../electron/app/revival-policy.ts';

it('a page that died is loaded again, one that dies again and again only when a person says so', () => {
  expect(reviveStep([5])).toBe('load');
  expect(reviveStep([0, 10_000, 20_000])).toBe('load');
  expect(reviveStep([0, 10_000, 20_000, 30_000])).toBe('ask');
  expect(reviveStep([0, 61_000, 62_000, 63_000])).toBe('load');
});
