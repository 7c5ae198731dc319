import { expect, test } from 'vitest';
import { pairedMessages } from '../../../electron/agent/conversation.ts';
import type { Message } from '../../../shared/model/message.ts';

let count = 0;
const id = () => `m_${String(count++).padStart(16, '0')}`;
const user = (text: string): Message => ({ id: id(), at: 0, role: 'user', text });
const assistant = (...calls: string[]): Message => ({
  id: id(),
  at: 0,
  role: 'assistant',
  text: '',
  toolCalls: calls.map((call) => ({ id: call, name: 'exec_command', input: {} })),
});
const tool = (call: string): Message => ({
  id: id(),
  at: 0,
  role: 'tool',
  toolCallId: call,
  name: 'exec_command',
  result: {},
  isError: false,
});
const shape = (messages: Message[]) =>
  messages.map((message) =>
    message.role === 'tool'
      ? `tool:${message.toolCallId}${message.isError ? '!' : ''}`
      : message.role === 'user'
        ? message.text
        : message.role,
  );

test('what came between a call and its result follows the results', () => {
  expect(
    shape(pairedMessages([user('a'), assistant('1', '2'), tool('1'), user('b'), tool('2'), assistant()])),
  ).toEqual(['a', 'assistant', 'tool:1', 'tool:2', 'b', 'assistant']);
});

test('results stand in call order', () => {
  expect(shape(pairedMessages([assistant('1', '2'), tool('2'), tool('1')]))).toEqual([
    'assistant',
    'tool:1',
    'tool:2',
  ]);
});

test('a call whose result was never saved gets one that says so', () => {
  expect(shape(pairedMessages([assistant('1', '2'), tool('1'), user('later')]))).toEqual([
    'assistant',
    'tool:1',
    'tool:2!',
    'later',
  ]);
  expect(shape(pairedMessages([assistant('1'), user('a'), assistant()]))).toEqual([
    'assistant',
    'tool:1!',
    'a',
    'assistant',
  ]);
});
