import { describe, expect, it } from 'vitest';
import { readStart, StartRequest, wordsBehind } from '../../../electron/app/start-request.ts';

const nothing = { folder: null, isNew: false };

describe('what the app was started for', () => {
  it.each([
    [[], nothing],
    [['.'], { folder: '/work', isNew: false }],
    [['--new-session'], { folder: null, isNew: true }],
    [['--no-sandbox', '--user-data-dir=/d', 'yard', '--new-session'], { folder: '/work/yard', isNew: true }],
    [['/a', 'jobs'], { folder: '/a', isNew: false }],
    [['-psn_0_1234', ''], nothing],
  ])('%j opens the window', (words, request) => {
    expect(readStart(words, '/work')).toEqual({ kind: 'window', request });
  });

  it.each([
    [['run', '--', 'ls', '.'], ['run', '--', 'ls', '.'], null],
    [['--no-sandbox', '--user-data-dir=d', 'jobs', '--json'], ['jobs', '--json'], '/work/d'],
    [['--version'], ['--version'], null],
    [['-h'], ['-h'], null],
    [['mcp'], ['mcp'], null],
  ])('%j is for the command line', (words, handed, dataDir) => {
    expect(readStart(words, '/work')).toEqual({ kind: 'headless', words: handed, dataDir });
  });

  it('leaves out what is Electron’s own', () => {
    const argv = ['/e/electron', '--inspect=0', '-r', '/loader.js', 'app', '--new-session', 'app'];
    expect(wordsBehind(argv, '/work/app', '/work')).toEqual(['--inspect=0', '--new-session', 'app']);
    expect(wordsBehind(['/opt/switchyard', 'x'], null, '/work')).toEqual(['x']);
  });
});

describe('what another process says of its start', () => {
  it.each([
    [undefined, false],
    [{}, false],
    [{ folder: 'relative', isNew: false }, false],
    [{ folder: 7, isNew: false }, false],
    [{ folder: '/a' }, false],
    [{ folder: '/a', isNew: true }, true],
    [{ folder: null, isNew: false }, true],
  ])('%j: %s', (said, isTaken) => {
    expect(StartRequest.safeParse(said).success).toBe(isTaken);
  });
});
