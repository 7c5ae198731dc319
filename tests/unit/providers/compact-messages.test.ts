import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { LiveFacts } from '../../../electron/agent/provider.ts';
import { compactMessages, estimateTokens } from '../../../electron/agent/providers/compact-messages.ts';
import type { Message } from '../../../shared/model/message.ts';

let count = 0;
const base = () => ({ id: `m_${String(++count).padStart(16, '0')}`, at: count });
const user = (text: string): Message => ({ ...base(), role: 'user', text });

/** A step of an agent: text, calls, and a result behind each. */
function step(text: string, calls: number, output: string): Message[] {
  const toolCalls = Array.from({ length: calls }, () => ({
    id: `call_${++count}`,
    name: 'exec_command',
    input: { cmd: `command-${count}` },
  }));
  return [
    { ...base(), role: 'assistant', text, toolCalls },
    ...toolCalls.map(
      ({ id, name }): Message => ({
        ...base(),
        role: 'tool',
        toolCallId: id,
        name,
        result: { status: 'completed', exit_code: 0, output },
        isError: false,
      }),
    ),
  ];
}

const FACTS: LiveFacts = {
  commands: [
    {
      id: 'c_live000000000000',
      cmd: 'npm run dev',
      state: 'running',
      placement: 'background',
      startedAt: 1_000,
    },
  ],
  wait: {
    generation: 1,
    commandIds: ['c_live000000000000'],
    until: { kind: 'port', port: 5173 },
    deadlineAt: null,
    registeredAt: 2_000,
    leaseUntil: 9_000,
  },
  now: 61_000,
};

const sizeOf = (messages: readonly Message[]) => estimateTokens(JSON.stringify(messages));

/** Each result stands behind its call, and each call has its result. */
function isPaired(messages: readonly Message[]): boolean {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      if (open.shift() !== message.toolCallId) return false;
    } else if (open.length > 0) return false;
    else if (message.role === 'assistant') open = message.toolCalls.map(({ id }) => id);
  }
  return open.length === 0;
}

it('leaves what fits as it is', () => {
  const messages = [user('hello'), ...step('one', 2, 'out')];
  expect(compactMessages(messages, 10_000, FACTS)).toEqual({
    summary: null,
    messages,
    live: null,
    messagesLeftOut: 0,
  });
});

it('keeps the newest part, sums up the rest, and restates what is alive', () => {
  const messages = [
    user('Make the build green, and never touch the lock file.'),
    ...Array.from({ length: 30 }, (_, index) => step(`step ${index}`, 1, 'x'.repeat(400))).flat(),
    user('How far are you?'),
  ];
  const compacted = compactMessages(messages, 2_000, FACTS);
  expect(compacted.messagesLeftOut).toBeGreaterThan(30);
  expect(compacted.messages.at(-1)).toEqual(messages.at(-1));
  expect(compacted.summary).toContain('User: Make the build green, and never touch the lock file.');
  expect(compacted.summary).toMatch(
    /You called exec_command \{"cmd":"command-\d+"\} -> \{"status":"completed","exit_code":0\}/,
  );
  expect(compacted.summary).toContain('lines left out');
  expect(compacted.live).toBe(
    'Alive in this session (session_id | state | placement | age | command):\n' +
      'c_live000000000000 | running | background | 60 s | npm run dev\n' +
      'You wait for c_live000000000000 (until port 5173 is open) and will be woken.',
  );
});

it('says that nothing is alive when nothing is', () => {
  const { live } = compactMessages([user('x'.repeat(9_000)), user('y')], 1_000, {
    commands: [],
    wait: null,
    now: 0,
  });
  expect(live).toBe('No command of this session is alive.\nYou wait for nothing.');
});

it('cuts the texts of a step that is too long by itself, and keeps its form', () => {
  const huge = step('look', 2, `begin${'z'.repeat(200_000)}end`);
  const compacted = compactMessages([user('go'), ...huge], 3_000);
  expect(isPaired(compacted.messages)).toBe(true);
  const text = JSON.stringify(compacted.messages);
  expect(text).toContain('characters left out');
  expect(text).toContain('begin');
  expect(text).toContain('end');
  expect(sizeOf(compacted.messages)).toBeLessThan(3_000);
});

it('gives the same beginning while the conversation grows, until the budget is full again', () => {
  const messages: Message[] = [user('begin')];
  const beginnings: string[] = [];
  for (let index = 0; index < 60; index++) {
    messages.push(...step(`step ${index}`, 1, 'x'.repeat(300)));
    const { summary, messages: kept } = compactMessages(messages, 4_000, FACTS);
    beginnings.push(JSON.stringify([summary, kept[0]?.id]));
  }
  const changes = beginnings.filter((beginning, index) => index > 0 && beginning !== beginnings[index - 1]);
  expect(changes.length).toBeGreaterThan(1);
  expect(changes.length).toBeLessThan(8);
});

it('never parts a call from its results and stays near its budget, whatever was said', () => {
  const part = fc.oneof(
    fc.string({ maxLength: 2_000, size: 'max' }).map((text) => [user(text)]),
    fc
      .record({
        text: fc.string({ maxLength: 300 }),
        calls: fc.integer({ min: 0, max: 4 }),
        output: fc.string({ unit: 'grapheme', maxLength: 3_000, size: 'max' }),
      })
      .map(({ text, calls, output }) => step(text, calls, output)),
  );
  fc.assert(
    fc.property(
      fc.array(part, { minLength: 1, maxLength: 40, size: 'max' }),
      fc.integer({ min: 2_000, max: 9_000 }),
      (parts, budget) => {
        const messages = parts.flat();
        const compacted = compactMessages(messages, budget, FACTS);
        expect(isPaired(compacted.messages)).toBe(true);
        expect(compacted.messages.at(-1)?.id).toBe(messages.at(-1)?.id);
        if (compacted.messagesLeftOut === 0) return;
        expect(compacted.messages.length).toBe(messages.length - compacted.messagesLeftOut);
        expect(estimateTokens(compacted.summary ?? '')).toBeLessThanOrEqual(budget * 0.2 + 20);
      },
    ),
    // Shrinking texts of this length takes minutes.
    { numRuns: 40, endOnFailure: true },
  );
});
