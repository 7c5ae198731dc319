import { describe, expect, it } from 'vitest';
import {
  LOADING_CHAT,
  reduceChats,
  withNewestPage,
  withOlderPage,
} from '../../../renderer/stores/chats-reducer.ts';
import { factsOf, reduceFacts } from '../../../renderer/stores/facts-reducer.ts';
import {
  NO_TABS,
  reduceView,
  type View,
  withSessionOpen,
  withTab,
} from '../../../renderer/stores/view-reducer.ts';
import type { AppEvent } from '../../../shared/model/event.ts';
import type { Message } from '../../../shared/model/message.ts';
import { DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import {
  agentMessage,
  command,
  commandId,
  messageId,
  session,
  sessionId,
  snapshot,
  userMessage,
} from './samples.ts';

/** One of each; the record makes the compiler ask for every type. */
const EACH: { [T in AppEvent['type']]: Extract<AppEvent, { type: T }> } = {
  'session.changed': { type: 'session.changed', session: session(1, { title: 'changed' }) },
  'session.suspended': { type: 'session.suspended', session: session(1, { status: 'suspended' }) },
  'approval.requested': { type: 'approval.requested', session: session() },
  'approval.settled': { type: 'approval.settled', session: session() },
  'session.resumed': { type: 'session.resumed', session: session(1, { status: 'running' }) },
  'message.appended': { type: 'message.appended', sessionId: sessionId(), message: userMessage(1) },
  'message.streaming': {
    type: 'message.streaming',
    sessionId: sessionId(),
    messageId: messageId(2),
    delta: 'x',
  },
  'command.started': { type: 'command.started', command: command() },
  'command.yielded': { type: 'command.yielded', command: command(1, { isAttached: false }) },
  'command.detached': { type: 'command.detached', command: command(1, { placement: 'background' }) },
  'command.handed_off': { type: 'command.handed_off', command: command(1, { placement: 'background' }) },
  'command.changed': { type: 'command.changed', command: command(1, { state: 'stopping' }) },
  'command.progress': {
    type: 'command.progress',
    id: commandId(),
    outputBytes: 7,
    lastOutputAt: 9,
    tail: ['a'],
  },
  'command.terminal': { type: 'command.terminal', command: command(1, { state: 'completed', exitCode: 0 }) },
  'commands.cleared': { type: 'commands.cleared', ids: [commandId()] },
  'session.chosen': { type: 'session.chosen', sessionId: sessionId() },
  'settings.changed': { type: 'settings.changed', settings: { ...DEFAULT_SETTINGS, theme: 'light' } },
  'update.changed': { type: 'update.changed', update: { kind: 'checking', isAsked: true } },
  'notice.raised': { type: 'notice.raised', text: 'A sentence.' },
  'host.changed': { type: 'host.changed', isConnected: false, message: 'away' },
};
const all = Object.values(EACH);

describe('reduceFacts', () => {
  const facts = factsOf(snapshot(1, { sessions: [session()], commands: [command()] }));

  it('takes every event', () => {
    for (const event of all) expect(() => reduceFacts(facts, event)).not.toThrow();
  });

  it('refuses what is no event', () => {
    expect(() => reduceFacts(facts, { type: 'unheard.of' } as unknown as AppEvent)).toThrow('unreachable');
  });

  it.each(['session.changed', 'session.suspended', 'session.resumed'] as const)(
    'keeps the session of %s',
    (type) => {
      expect(reduceFacts(facts, EACH[type]).sessions[sessionId()]).toBe(EACH[type].session);
    },
  );

  it.each([
    'command.started',
    'command.yielded',
    'command.detached',
    'command.handed_off',
    'command.changed',
    'command.terminal',
  ] as const)('keeps the command of %s', (type) => {
    expect(reduceFacts(facts, EACH[type]).commands[commandId()]).toBe(EACH[type].command);
  });

  it('adds progress, and keeps the last lines when none are told', () => {
    const after = reduceFacts(facts, EACH['command.progress']);
    expect(after.commands[commandId()]).toMatchObject({ outputBytes: 7, lastOutputAt: 9, tail: ['a'] });
    const { tail: _tail, ...without } = EACH['command.progress'];
    const later = reduceFacts(after, { ...without, outputBytes: 8 });
    expect(later.commands[commandId()]).toMatchObject({ outputBytes: 8, tail: ['a'] });
  });

  it('ignores progress of a command that it does not know', () => {
    expect(reduceFacts(facts, { ...EACH['command.progress'], id: commandId(99) })).toBe(facts);
  });

  it('marks what was cleared, and keeps it for its card', () => {
    const after = reduceFacts(facts, { type: 'commands.cleared', ids: [commandId(), commandId(99)] });
    expect(Object.keys(after.commands)).toEqual([commandId()]);
    expect(after.commands[commandId()]?.isCleared).toBe(true);
  });

  it('keeps settings and the state of the host', () => {
    expect(reduceFacts(facts, EACH['settings.changed']).settings.theme).toBe('light');
    expect(reduceFacts(facts, EACH['host.changed']).host).toEqual({ isConnected: false, message: 'away' });
  });

  it('never changes what it was given', () => {
    const before = structuredClone(facts);
    for (const event of all) reduceFacts(facts, event);
    expect(facts).toEqual(before);
  });
});

describe('reduceChats', () => {
  const ids = (messages: readonly Message[] | undefined) => messages?.map(({ id }) => id);
  const page = (messages: Message[], change = {}) => ({
    messages,
    hasMore: false,
    streaming: null,
    ...change,
  });
  const ready = withNewestPage(LOADING_CHAT, page([userMessage(1)]));
  const chats = { [sessionId()]: ready };
  const appended = (message: Message): AppEvent => ({
    type: 'message.appended',
    sessionId: sessionId(),
    message,
  });
  const streamed = (n: number, delta: string): AppEvent => ({
    type: 'message.streaming',
    sessionId: sessionId(),
    messageId: messageId(n),
    delta,
  });

  it('takes every event', () => {
    for (const event of all) expect(() => reduceChats(chats, event)).not.toThrow();
  });

  it('does not hold chats that were never opened', () => {
    const other = { ...EACH['message.appended'], sessionId: sessionId(2) };
    expect(reduceChats(chats, other)).toBe(chats);
  });

  it('appends, and replaces what comes again under the same id', () => {
    const once = reduceChats(chats, appended(agentMessage(2, 'a')));
    const twice = reduceChats(once, appended(agentMessage(2, 'b')));
    expect(ids(twice[sessionId()]?.messages)).toEqual([messageId(1), messageId(2)]);
    expect(twice[sessionId()]?.messages[1]).toMatchObject({ text: 'b' });
  });

  it('streams until the whole message is there', () => {
    let now = reduceChats(chats, streamed(2, 'Hel'));
    now = reduceChats(now, streamed(2, 'lo'));
    expect(now[sessionId()]?.streaming).toEqual({
      messageId: messageId(2),
      text: 'Hello',
      reasoning: '',
      notes: [],
    });
    now = reduceChats(now, appended(agentMessage(2, 'Hello.')));
    expect(now[sessionId()]?.streaming).toBeNull();
    expect(reduceChats(now, streamed(2, '!'))[sessionId()]?.streaming).toBeNull();
  });

  it('drops the half of a message whose turn was stopped', () => {
    const now = reduceChats(chats, streamed(2, 'Hel'));
    const after = reduceChats(now, { type: 'session.changed', session: session(1, { status: 'idle' }) });
    expect(after[sessionId()]?.streaming).toBeNull();
  });

  it('puts what arrived during the first fetch behind its page, once', () => {
    let now = reduceChats({ [sessionId()]: LOADING_CHAT }, appended(userMessage(2)));
    now = reduceChats(now, appended(userMessage(3)));
    const chat = withNewestPage(now[sessionId()] ?? LOADING_CHAT, page([userMessage(1), userMessage(2)]));
    expect(ids(chat.messages)).toEqual([1, 2, 3].map(messageId));
  });

  it('takes the text written so far from the page and not from early deltas', () => {
    let now = reduceChats({ [sessionId()]: LOADING_CHAT }, streamed(2, 'lo'));
    const chat = withNewestPage(
      now[sessionId()] ?? LOADING_CHAT,
      page([], { streaming: { messageId: messageId(2), text: 'Hello' } }),
    );
    now = reduceChats({ [sessionId()]: chat }, streamed(2, ', you'));
    expect(now[sessionId()]?.streaming?.text).toBe('Hello, you');
  });

  it('puts older pages in front without doubling', () => {
    const chat = withOlderPage({ ...ready, hasMore: true }, page([userMessage(0), userMessage(1)]));
    expect(ids(chat.messages)).toEqual([0, 1].map(messageId));
    expect(chat.hasMore).toBe(false);
  });
});

describe('reduceView', () => {
  const view: View = { openSessionId: sessionId(1), unread: {}, tabs: {} };
  const told = (n: number, message: Message): AppEvent => ({
    type: 'message.appended',
    sessionId: sessionId(n),
    message,
  });

  it('takes every event', () => {
    for (const event of all) expect(() => reduceView(view, event)).not.toThrow();
  });

  it('marks what arrives in a session that is not open, and what is opened as read', () => {
    expect(reduceView(view, told(1, agentMessage(1, 'a')))).toBe(view);
    expect(reduceView(view, told(2, userMessage(1)))).toBe(view);
    const after = reduceView(view, told(2, agentMessage(1, 'a')));
    expect(after.unread).toEqual({ [sessionId(2)]: true });
    expect(withSessionOpen(after, sessionId(2))).toMatchObject({ openSessionId: sessionId(2), unread: {} });
  });

  it('opens the newest command unless another one was pinned', () => {
    const started = (n: number): AppEvent => ({ type: 'command.started', command: command(n) });
    let now = reduceView(view, started(1));
    now = reduceView(now, started(2));
    expect(now.tabs[sessionId()]?.active).toBe(commandId(2));
    now = {
      ...now,
      tabs: { [sessionId()]: withTab(now.tabs[sessionId()] ?? NO_TABS, commandId(1), 'pin') },
    };
    now = reduceView(now, started(3));
    expect(now.tabs[sessionId()]).toMatchObject({ active: commandId(1), pinned: commandId(1) });
    expect(now.tabs[sessionId()]?.opened).toContain(commandId(3));
    now = reduceView(now, EACH['command.terminal']);
    expect(now.tabs[sessionId()]).toMatchObject({ active: commandId(1), pinned: null });
    now = reduceView(now, started(4));
    expect(now.tabs[sessionId()]?.active).toBe(commandId(4));
  });
});
