import { expect, it } from 'vitest';
import { parseExternalLink } from '../../../electron/app/external-link.ts';

it.each(['https://example.org/a?b=c', 'http://localhost:5173/', 'mailto:someone@example.org'])(
  'opens %s',
  (link) => {
    expect(parseExternalLink(link)).toBe(link);
  },
);

it.each([
  'file:///etc/passwd',
  'javascript:alert(1)',
  'JAVASCRIPT:alert(1)',
  'data:text/html,x',
  'vscode://x',
  'app://switchyard/',
  'ms-msdt:/id',
  'smb://host/share',
  ' file:///x',
  'example.org',
  '//example.org',
  '',
])('does not open %j', (link) => {
  expect(parseExternalLink(link)).toBe(null);
});
