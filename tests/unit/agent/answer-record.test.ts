import { expect, it } from 'vitest';
import { AnswerRecord } from '../../../electron/agent/answer-record.ts';
import type { Provider, ProviderEvent } from '../../../electron/agent/provider.ts';

const ID = 'm_0123456789abcdef';
const USAGE = { inputTokens: 1_000_000, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };
const paid = { priced: { kind: 'anthropic', model: 'claude-sonnet-4-5' } } as Provider;
const free = {} as Provider;
const call = { id: 'c', name: 'wait', input: {} };

function record(provider: Provider, events: ProviderEvent[], tells = true): AnswerRecord {
  const answer = new AnswerRecord(provider, tells);
  for (const event of events) answer.take(event);
  return answer;
}

it('keeps text and calls of a whole answer, and only the text of one that broke off', () => {
  const answer = record(free, [{ type: 'text', delta: 'Hi' }, { type: 'tool_call', call }, { type: 'done' }]);
  expect(answer.message(ID, 1, true)).toEqual({
    id: ID,
    at: 1,
    role: 'assistant',
    text: 'Hi',
    toolCalls: [call],
  });
  expect(answer.message(ID, 1, false)).toMatchObject({ text: 'Hi', toolCalls: [] });
  expect(record(free, [{ type: 'tool_call', call }]).message(ID, 1, false)).toBeNull();
});

it('sums what was used, and says so where nobody counted', () => {
  const counted = record(paid, [{ type: 'usage', model: 'm', usage: USAGE }]);
  expect(counted.spent).toEqual({ requests: 1, usage: USAGE, dollars: 3, unpricedRequests: 0 });
  expect(record(paid, [{ type: 'text', delta: 'a' }]).spent).toMatchObject({
    requests: 1,
    unpricedRequests: 1,
  });
  expect(record(paid, []).spent, 'a request that was refused').toBeNull();
  expect(record(free, [{ type: 'text', delta: 'a' }]).spent).toBeNull();
});

it('begins the thinking anew with another attempt, and tells each', () => {
  const answer = new AnswerRecord(paid, true);
  expect(answer.take({ type: 'reasoning', delta: 'first' })).toEqual({ of: 'reasoning', delta: 'first' });
  const again = { type: 'retry', attempt: 1, waitMs: 1, message: 'Trying again.' } as const;
  expect(answer.take(again)).toEqual({ of: 'note', delta: 'Trying again.' });
  answer.take({ type: 'reasoning', delta: 'second' });
  answer.take({ type: 'text', delta: 'a' });
  expect(answer.message(ID, 1, true)).toMatchObject({ reasoning: 'second', notes: ['Trying again.'] });
});

it('keeps no thinking without end', () => {
  const answer = record(paid, [
    { type: 'text', delta: 'a' },
    { type: 'reasoning', delta: 'x'.repeat(60_000) },
    { type: 'reasoning', delta: 'y'.repeat(60_000) },
  ]);
  expect(answer.message(ID, 1, true)?.reasoning).toHaveLength(64_000);
});

it('tells once a turn that the conversation was shortened', () => {
  const first = new AnswerRecord(paid, true);
  expect(first.take({ type: 'compacted', messagesLeftOut: 12 })?.delta).toMatch(
    /Its 12 oldest messages were/,
  );
  expect(first.tellsCompaction).toBe(false);
  expect(
    new AnswerRecord(paid, first.tellsCompaction).take({ type: 'compacted', messagesLeftOut: 14 }),
  ).toBeNull();
});
