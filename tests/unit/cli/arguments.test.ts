import { describe, expect, it } from 'vitest';
import { parseArguments } from '../../../electron/cli/arguments.ts';

const open = { verb: 'open', folder: null, isNew: false };

describe('the words behind switchyard', () => {
  it.each([
    [[], open],
    [['.'], { ...open, folder: '.' }],
    [['--new-session'], { ...open, isNew: true }],
    [['--new-session', 'a b'], { ...open, folder: 'a b', isNew: true }],
    [['--', '--odd'], { ...open, folder: '--odd' }],
    [['./jobs'], { ...open, folder: './jobs' }],
    [['mcp'], { verb: 'mcp', args: [] }],
    [['mcp', '--data-dir=/d'], { verb: 'mcp', args: ['--data-dir', '/d'] }],
    [['run', '--', 'make test'], { verb: 'run', command: ['make test'], timeoutMs: null }],
    [['run', '--', 'ls', '--', '--help'], { verb: 'run', command: ['ls', '--', '--help'], timeoutMs: null }],
    [['run', '--timeout', '1.5', '--', 'x'], { verb: 'run', command: ['x'], timeoutMs: 1500 }],
    [['run', '--timeout=2', '--', 'x'], { verb: 'run', command: ['x'], timeoutMs: 2000 }],
    [['jobs'], { verb: 'jobs', isJson: false }],
    [['jobs', '--json'], { verb: 'jobs', isJson: true }],
    [['stop', 'ab', 'c_cd'], { verb: 'stop', ids: ['ab', 'c_cd'] }],
    [['--version'], { verb: 'version' }],
    [['run', '-v'], { verb: 'version' }],
    [['help', 'run'], { verb: 'help' }],
    [['jobs', '-h'], { verb: 'help' }],
  ])('%j', (words, invocation) => {
    expect(parseArguments(words)).toMatchObject({ ok: true, invocation });
  });

  it('names another data folder for every verb', () => {
    for (const words of [[], ['jobs'], ['stop', 'a'], ['run']]) {
      const rest = words[0] === 'run' ? ['--', 'ls'] : [];
      expect(parseArguments([...words, '--data-dir', 'd', ...rest])).toMatchObject({
        ok: true,
        dataDir: 'd',
      });
    }
  });

  it.each([
    [['--bar'], '--bar'],
    [['jobs', '--jsn'], '--jsn'],
    [['jobs', '--json=1'], '--json'],
    [['jobs', 'x'], 'x'],
    [['mcp', 'x'], 'x'],
    [['a', 'b'], 'b'],
    [['stop'], 'ID'],
    [['run'], '--'],
    [['run', '--'], '--'],
    [['run', '--', ' ', ''], '--'],
    [['run', 'ls'], 'ls'],
    [['run', '--timeout', '--', 'ls'], '--timeout'],
    [['run', '--timeout', '0', '--', 'ls'], '"0"'],
    [['run', '--timeout', '1e3', '--', 'ls'], '"1e3"'],
    [['run', '--timeout', '86401', '--', 'ls'], '"86401"'],
    [['run', '--toString', '1', '--', 'ls'], '--toString'],
    [['--data-dir'], '--data-dir'],
    [['--data-dir', ''], '--data-dir'],
  ])('refuses %j and names what is wrong', (words, named) => {
    const parsed = parseArguments(words);
    expect(parsed).toMatchObject({ ok: false, message: expect.stringContaining(named) });
  });
});
