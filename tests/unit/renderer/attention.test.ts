import { describe, expect, it } from 'vitest';
import { cpuWords, memoryWords, portsOf } from '../../../renderer/features/commands/resource-words.ts';
import { needsPerson, stateTone, stateWords } from '../../../renderer/features/commands/state-words.ts';

const running = { state: 'running', placement: 'background', exitCode: null, signal: null } as const;
const wanting = (kind: 'needs-secret' | 'needs-input' | 'serving' | 'quiet') => ({
  ...running,
  attention: { kind, ports: [] },
});

describe('attention', () => {
  it.each([
    ['needs-secret', 'Needs a secret', 'wait', true],
    ['needs-input', 'Needs input', 'wait', true],
    ['serving', 'Serving', 'run', false],
    ['quiet', 'In background', 'wait', false],
  ] as const)('%s', (kind, words, tone, isWanted) => {
    expect([stateWords(wanting(kind)), stateTone(wanting(kind)), needsPerson(wanting(kind))]).toEqual([
      words,
      tone,
      isWanted,
    ]);
  });

  it('a full disk comes first, and an ended command wants nothing', () => {
    expect(stateWords({ ...wanting('needs-input'), isBlocked: true })).toBe('Waits for disk');
    expect(needsPerson({ ...wanting('needs-input'), state: 'completed' })).toBe(false);
    expect(stateWords({ ...wanting('needs-input'), state: 'completed', exitCode: 0 })).toBe('Exited 0');
  });
});

describe('resources', () => {
  const resources = {
    cpuPercent: 187.4,
    memoryBytes: 887 * 1024 * 1024,
    processes: 3,
    ports: [],
    logBytes: 0,
  };
  it('are rounded, and a dash where they are not known', () => {
    expect([cpuWords({ resources }), memoryWords({ resources })]).toEqual(['187%', '887 MB']);
    expect([cpuWords({ resources: null }), memoryWords({ resources: null })]).toEqual(['-', '-']);
  });

  it('ports of the command and of what it left behind are one list', () => {
    const descendants = [{ pid: 1, name: 'node', ports: [3000, 8080] }];
    expect(portsOf({ attention: { kind: 'serving', ports: [8080] }, resources: null, descendants })).toEqual([
      3000, 8080,
    ]);
  });
});
