import { describe, expect, it } from 'vitest';
import { agentChoices, agentName } from '../../../renderer/features/agents/agent-names.ts';
import { buildTimeline } from '../../../renderer/features/chat/timeline.ts';
import { turnsInWords } from '../../../renderer/features/chat/turns-spent.ts';
import {
  fromUnit,
  inUnit,
  LIMIT_ROWS,
  type LimitRow,
} from '../../../renderer/features/settings/limit-rows.ts';
import { endpointId, SERVICES, serviceOf } from '../../../renderer/features/settings/services.ts';
import { LOADING_CHAT, reduceChats, withNewestPage } from '../../../renderer/stores/chats-reducer.ts';
import { DEFAULT_LIMITS } from '../../../shared/limits.ts';
import type { Message } from '../../../shared/model/message.ts';
import { EndpointId, ModelEndpoint } from '../../../shared/model/provider-settings.ts';
import { DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import { NOTHING_SPENT, spentInWords, tokensInWords } from '../../../shared/model/spent.ts';
import type { Spent } from '../../../shared/model/usage.ts';
import { agentMessage, messageId, sessionId, userMessage } from './samples.ts';

const spent = (change: Partial<Spent> = {}): Spent => ({
  requests: 3,
  usage: { inputTokens: 12_400, cachedInputTokens: 8_100, cacheWriteTokens: 0, outputTokens: 900 },
  dollars: 0.05,
  unpricedRequests: 0,
  ...change,
});

describe('what was spent, in words', () => {
  it('tells requests, tokens and money', () => {
    expect(spentInWords(spent())).toBe('3 requests · 12.4k in · 8.1k cached · 900 out · $0.05');
    expect(spentInWords(spent({ unpricedRequests: 3 }))).toMatch(/ · price not known$/);
    expect(spentInWords({ ...NOTHING_SPENT, requests: 1, unpricedRequests: 1 })).toBe(
      '1 request · price not known',
    );
  });

  it('rounds tokens', () => {
    expect([0, 999, 1_000, 999_949, 999_950, 2_340_000].map(tokensInWords)).toEqual(
      ['0', '999', '1.0k', '999.9k', '1.0M', '2.3M'],
    ); // biome-ignore format: a table
  });

  it('sums by turn', () => {
    const answer = (n: number): Message =>
      ({ ...agentMessage(n, 'a'), spent: spent({ requests: 1 }) }) as Message;
    const wake: Message = {
      id: messageId(6),
      at: 6,
      role: 'runtime',
      kind: 'resumed',
      text: 'Resumed',
      commandIds: [],
      ends: [],
    };
    const messages = [
      userMessage(1, 'first\nmore'),
      answer(2),
      answer(3),
      userMessage(4),
      agentMessage(5, 'free'),
    ];
    expect(turnsInWords([...messages, wake, answer(7)]).split('\n')).toEqual([
      expect.stringMatching(/^first: 2 requests · 24\.8k in/),
      expect.stringMatching(/^After the wake: 1 request · 12\.4k in/),
    ]);
  });
});

describe('the chat', () => {
  const chats = {
    [sessionId()]: withNewestPage(LOADING_CHAT, { messages: [], hasMore: false, streaming: null }),
  };
  const streamed = (delta: string, of?: 'reasoning' | 'note') =>
    ({
      type: 'message.streaming',
      sessionId: sessionId(),
      messageId: messageId(2),
      delta,
      ...(of ? { of } : {}),
    }) as const;

  it('streams thinking and notes beside the text', () => {
    const events = [
      streamed('hm', 'reasoning'),
      streamed('Trying again.', 'note'),
      streamed('so', 'reasoning'),
      streamed('Hi'),
    ];
    const chat = events.reduce(reduceChats, chats as Parameters<typeof reduceChats>[0])[sessionId()];
    expect(chat?.streaming).toEqual({
      messageId: messageId(2),
      text: 'Hi',
      reasoning: 'so',
      notes: ['Trying again.'],
    });
    expect(buildTimeline([], chat?.streaming ?? null, {})).toMatchObject([
      { kind: 'quiet', text: 'Trying again.' },
      { kind: 'thinking', text: 'so', isStreaming: false },
      { kind: 'assistant', text: 'Hi', isStreaming: true },
    ]);
  });

  it('offers another try only for the newest failure', () => {
    const failure = (n: number): Message => ({
      id: messageId(n),
      at: n,
      role: 'runtime',
      kind: 'turn_ended',
      text: 'It failed.',
      commandIds: [],
      ends: [],
      failure: { code: 'key_refused', provider: 'claude' },
    });
    const items = buildTimeline([userMessage(1), failure(2), userMessage(3), failure(4)], null, {});
    expect(items).toMatchObject([
      { kind: 'user' },
      { kind: 'failure', code: 'key_refused', provider: 'claude', isNewest: false },
      { kind: 'user' },
      { kind: 'failure', isNewest: true },
    ]);
  });
});

describe('agents', () => {
  const settings = {
    ...DEFAULT_SETTINGS,
    providers: {
      defaultProvider: 'claude',
      endpoints: [{ id: 'claude', kind: 'anthropic', name: 'Claude', model: 'm' } as ModelEndpoint],
    },
  };

  it('are the built-in one and what is set up; one that was removed has no name', () => {
    expect(agentChoices(settings).map(({ id }) => id)).toEqual(['built-in', 'claude']);
    expect(['built-in', 'claude', 'mcp', 'gone'].map((id) => agentName(id, settings))).toEqual(
      ['Built-in agent', 'Claude', 'Another program', null],
    ); // biome-ignore format: a table
  });

  it('get ids that the settings take', () => {
    const names = ['Claude Opus 5', 'Built-in', 'MCP', '模型', 'x'.repeat(60), '--', 'Claude Opus 5'];
    const ids: string[] = [];
    for (const name of names) ids.push(endpointId(name, ids));
    for (const id of ids) expect(EndpointId.safeParse(id).success).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids[0]).toBe('claude-opus-5');
  });

  it('come from services whose addresses the settings take', () => {
    for (const { kind, baseUrl, id, name } of SERVICES.filter(({ id }) => id !== 'compatible')) {
      const endpoint = { id, name, kind, model: 'm', ...(baseUrl === '' ? {} : { baseUrl }) };
      expect(serviceOf(ModelEndpoint.parse(endpoint)).id).toBe(id);
    }
    expect(serviceOf({ kind: 'compatible', baseUrl: 'http://10.0.0.7/v1' }).id).toBe('compatible');
  });
});

describe('limits', () => {
  const row = (name: string) => LIMIT_ROWS.find((each) => each.name === name) as LimitRow;

  it('are shown in units of people, and their defaults are in bounds', () => {
    expect(inUnit(row('foregroundMs'), 120_000)).toBe(120);
    expect(inUnit(row('logQuotaBytes'), DEFAULT_LIMITS.logQuotaBytes)).toBe(256);
    for (const each of LIMIT_ROWS)
      expect(fromUnit(each, String(inUnit(each, DEFAULT_LIMITS[each.name])))).toBe(DEFAULT_LIMITS[each.name]);
  });

  it.each(['', '0', '-1', 'soon', '1e9'])('refuse "%s"', (text) => {
    expect(fromUnit(row('foregroundMs'), text)).toBeNull();
  });

  it('take a comma as a point', () => expect(fromUnit(row('stopGraceMs'), '2,5')).toBe(2_500));
});
