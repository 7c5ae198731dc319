import { describe, expect, it } from 'vitest';
import { matchShortcut } from '../../../renderer/app/shortcuts.ts';
import { isFollowing } from '../../../renderer/features/chat/sticking.ts';
import { buildTimeline } from '../../../renderer/features/chat/timeline.ts';
import { jobRows } from '../../../renderer/features/jobs/job-rows.ts';
import { groupSessions } from '../../../renderer/features/sessions/grouping.ts';
import { chooseVictims } from '../../../renderer/features/terminals/eviction.ts';
import { neighbourOf, tabStrip } from '../../../renderer/features/terminals/tabs.ts';
import { NO_TABS } from '../../../renderer/stores/view-reducer.ts';
import type { Message } from '../../../shared/model/message.ts';
import { agentMessage, command, commandId, messageId, session, userMessage } from './samples.ts';

describe('groupSessions', () => {
  const now = new Date(2026, 10, 30, 9, 0).getTime();
  const at = (day: number, hour: number) => new Date(2026, 10, day, hour).getTime();
  const sessions = [
    session(1, { updatedAt: at(30, 0) }),
    session(2, { updatedAt: at(30, 8), title: 'Fix CI' }),
    session(3, { updatedAt: at(29, 23) }),
    session(4, { updatedAt: at(29, 0) }),
    session(5, { updatedAt: at(28, 23) }),
  ];

  it('groups by the calendar, the last used first', () => {
    const groups = groupSessions(sessions, '', now).map(({ name, sessions: of }) => [
      name,
      of.map(({ id }) => Number(id.slice(2))),
    ]);
    expect(groups).toEqual([
      ['Today', [2, 1]],
      ['Yesterday', [3, 4]],
      ['Earlier', [5]],
    ]);
  });

  it('filters by title and folder and leaves out empty groups', () => {
    expect(groupSessions(sessions, ' fix ci ', now).map(({ name }) => name)).toEqual(['Today']);
    expect(groupSessions(sessions, 'atlas', now)).toHaveLength(3);
    expect(groupSessions(sessions, 'nothing', now)).toEqual([]);
  });
});

describe('jobRows', () => {
  const left = [{ pid: 1, name: 'node', ports: [3000] }];
  const commands = [
    command(1),
    command(2, { state: 'completed' }),
    command(3, { state: 'completed', descendants: left, isCleared: true }),
    command(4, { state: 'failed', isCleared: true }),
    command(5, { state: 'stopping' }),
    command(6, { state: 'failed' }),
  ];

  it('puts the living first, then the newest, and never hides what is alive', () => {
    const { rows, ...counts } = jobRows(commands);
    expect(rows.map(({ id }) => id)).toEqual([5, 1, 3, 6, 2].map(commandId));
    expect(counts).toEqual({ hidden: 0, running: 2, leftBehind: 1, finished: 2 });
  });

  it('says how many it does not show', () => {
    const { rows, hidden } = jobRows(commands, 2);
    expect(rows).toHaveLength(2);
    expect(hidden).toBe(3);
  });
});

describe('tabStrip', () => {
  const commands = [
    command(2, { state: 'completed' }),
    command(1, { state: 'failed' }),
    command(3),
    command(4),
  ];
  const ids = (of: readonly { id: string }[]) => of.map(({ id }) => id);

  it('shows the newest live command of a session that was not touched', () => {
    const { commands: tabs, active } = tabStrip(commands, undefined);
    expect(ids(tabs)).toEqual([3, 4].map(commandId));
    expect(active?.id).toBe(commandId(4));
  });

  it('shows the newest end when nothing is alive', () => {
    expect(tabStrip(commands.slice(0, 2), undefined).active?.id).toBe(commandId(2));
  });

  it('keeps ended commands that were opened', () => {
    const { commands: tabs, active } = tabStrip(commands, {
      ...NO_TABS,
      opened: [commandId(1)],
      active: commandId(1),
    });
    expect(ids(tabs)).toEqual([1, 3, 4].map(commandId));
    expect(active?.id).toBe(commandId(1));
  });

  it('stays empty after the last tab was closed', () => {
    expect(tabStrip(commands.slice(0, 2), NO_TABS)).toEqual({ commands: [], active: null });
  });

  it('knows the neighbour of a tab', () => {
    expect(neighbourOf(commands, commandId(2))).toBe(commandId(1));
    expect(neighbourOf(commands, commandId(4))).toBe(commandId(3));
    expect(neighbourOf([command(9)], commandId(9))).toBeNull();
  });
});

describe('chooseVictims', () => {
  const of = (id: string, lastShown: number, isEnded: boolean, isShown = false) => ({
    id,
    lastShown,
    isEnded,
    isShown,
  });

  it('gives up ended ones first, then the longest unseen, and never one that is shown', () => {
    const all = [
      of('a', 1, false),
      of('b', 2, true),
      of('c', 3, true),
      of('d', 4, false),
      of('e', 0, true, true),
    ];
    expect(chooseVictims(all, 5)).toEqual([]);
    expect(chooseVictims(all, 2)).toEqual(['b', 'c', 'a']);
    expect(chooseVictims(all, 0)).toEqual(['b', 'c', 'a', 'd']);
  });
});

describe('buildTimeline', () => {
  const poll = (n: number, chars = '') => ({
    id: `p${n}`,
    name: 'write_stdin',
    input: { session_id: commandId(), chars },
  });
  const cmds = { [commandId()]: 'make all' };
  const runtime = (
    n: number,
    kind: 'background_exec_wait' | 'completion' | 'resumed' | 'guard' | 'turn_ended',
  ): Message => ({
    id: messageId(n),
    at: n,
    role: 'runtime',
    kind,
    text: kind,
    commandIds: [],
    ends: [],
  });
  const failed = (id: string, result: unknown): Message => ({
    id: messageId(90),
    at: 90,
    role: 'tool',
    toolCallId: id,
    name: 'x',
    result,
    isError: true,
  });

  it('makes a card of a command and one count of its polls', () => {
    const items = buildTimeline(
      [
        userMessage(1),
        agentMessage(2, 'I run it.', [{ id: 'e', name: 'exec_command', input: { cmd: 'make all' } }]),
        ...[3, 4, 5].map((n) => agentMessage(n, '', [poll(n)])),
        agentMessage(6, 'Still runs.', [poll(6)]),
      ],
      null,
      cmds,
    );
    expect(items.map(({ kind }) => kind)).toEqual([
      'user',
      'assistant',
      'command',
      'polls',
      'assistant',
      'polls',
    ]);
    expect(items[2]).toMatchObject({ cmd: 'make all', toolCallId: 'e', result: null });
    expect(items[3]).toMatchObject({ count: 3 });
  });

  it('shows of what the runtime put in only wakes, early ends and guard notices', () => {
    const kinds = ['background_exec_wait', 'completion', 'resumed', 'guard', 'turn_ended'] as const;
    const items = buildTimeline(
      kinds.map((kind, n) => runtime(n, kind)),
      null,
      cmds,
    );
    expect(items.map(({ kind }) => kind)).toEqual(['resumed', 'notice', 'notice']);
  });

  it('tells in a line what was typed, and what a tool refused', () => {
    const items = buildTimeline(
      [
        agentMessage(1, '', [poll(1, 'y\n'), poll(2, '\x03'), poll(3)]),
        failed('p3', { error: { message: 'No such handle.' } }),
      ],
      null,
      cmds,
    );
    expect(items).toMatchObject([
      { kind: 'quiet', text: 'Typed y\\n into make all', isError: false },
      { kind: 'quiet', text: 'Interrupted make all', isError: false },
      { kind: 'quiet', text: 'No such handle.', isError: true },
    ]);
  });

  it('ends with what is being written', () => {
    const items = buildTimeline(
      [userMessage(1)],
      { messageId: messageId(2), text: 'Hel', reasoning: '', notes: [] },
      cmds,
    );
    expect(items.at(-1)).toMatchObject({ kind: 'assistant', text: 'Hel', isStreaming: true });
  });
});

describe('isFollowing', () => {
  const at = (scrollTop: number, scrollHeight = 1_000) => ({ scrollTop, scrollHeight, clientHeight: 400 });

  it('goes on when more was written before the event came', () => {
    expect(isFollowing(true, 600, at(600, 2_000))).toBe(true);
  });

  it('ends when the reader moves up, and begins again at the end', () => {
    expect(isFollowing(true, 600, at(500))).toBe(false);
    expect(isFollowing(false, 500, at(550))).toBe(false);
    expect(isFollowing(false, 550, at(590))).toBe(true);
  });
});

describe('matchShortcut', () => {
  const press = (
    key: string,
    modifiers: Partial<Record<'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey', boolean>> = {},
  ) => ({
    key,
    ctrlKey: false,
    metaKey: false,
    shiftKey: false,
    altKey: false,
    ...modifiers,
  });
  const inTerminal = { inTerminal: true, isMac: false };
  const elsewhere = { inTerminal: false, isMac: false };

  it('leaves every plain Ctrl+letter to a focused terminal', () => {
    for (const key of 'abcdefghijklmnopqrstuvwxyz')
      expect(matchShortcut(press(key, { ctrlKey: true }), inTerminal)).toBeNull();
  });

  it('makes a session by Ctrl+N, and in a terminal by Ctrl+Shift+N only', () => {
    expect(matchShortcut(press('n', { ctrlKey: true }), elsewhere)).toBe('session.new');
    expect(matchShortcut(press('N', { ctrlKey: true, shiftKey: true }), inTerminal)).toBe('session.new');
    expect(matchShortcut(press('n', { metaKey: true }), { inTerminal: true, isMac: true })).toBe(
      'session.new',
    );
    expect(matchShortcut(press('n', { ctrlKey: true }), { inTerminal: false, isMac: true })).toBeNull();
  });

  it('goes through the regions from anywhere, and finds in terminals only', () => {
    expect(matchShortcut(press('F6'), inTerminal)).toBe('region.next');
    expect(matchShortcut(press('F6', { shiftKey: true }), elsewhere)).toBe('region.previous');
    const find = press('F', { ctrlKey: true, shiftKey: true });
    expect(matchShortcut(find, inTerminal)).toBe('terminal.find');
    expect(matchShortcut(find, elsewhere)).toBeNull();
  });
});
