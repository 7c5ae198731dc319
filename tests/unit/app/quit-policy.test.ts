import { describe, expect, test } from 'vitest';
import { quitQuestion, quitStep, takenUpNotices } from '../../../electron/app/quit-policy.ts';

describe('quitting', () => {
  test.each([
    ['nothing lives: nobody is asked', 0, 'ask', false, 'quit'],
    ['live commands: a person is asked', 2, 'ask', false, 'ask'],
    ['a signal or a logout is not asked, and commands run on', 2, 'ask', true, 'quit'],
    ['remembered: leave running', 2, 'leave', false, 'quit'],
    ['remembered: stop', 2, 'stop', false, 'stop_and_quit'],
    ['remembered: stop, by a signal too', 2, 'stop', true, 'stop_and_quit'],
    ['remembered: stop, but nothing lives', 0, 'stop', true, 'quit'],
  ] as const)('%s', (_name, aliveCommands, remembered, isForced, step) => {
    expect(quitStep({ aliveCommands, remembered, isForced })).toBe(step);
  });

  test('the question lists what lives, by the first line, and counts the rest', () => {
    const commands = Array.from({ length: 10 }, (_, i) => ({
      cmd: `job ${i}\nmore`,
      elapsed: '1:00',
      left: [],
    }));
    const { message, detail } = quitQuestion(commands);
    expect(message).toBe('10 commands are running');
    expect(detail).toContain('job 7   1:00\nand 2 more\n');
    expect(detail).not.toContain('job 8');
    expect(quitQuestion(commands.slice(0, 1)).message).toBe('1 command is running');
  });

  test('the question names what an ended command left running', () => {
    const { detail } = quitQuestion([{ cmd: 'npm start &', elapsed: '5:00', left: ['node', 'esbuild'] }]);
    expect(detail).toContain('npm start &   left running: node, esbuild\n');
  });

  test('the next start says what ran on', () => {
    expect(takenUpNotices(0)).toEqual([]);
    expect(takenUpNotices(2)[0]).toContain('2 commands ran on');
  });
});
