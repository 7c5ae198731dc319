import type { CommandView } from '../../../shared/model/command.ts';
import type { Snapshot } from '../../../shared/model/event.ts';
import type { Message } from '../../../shared/model/message.ts';
import type { SessionView } from '../../../shared/model/session.ts';
import { DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';

const padded = (prefix: string, n: number): string => `${prefix}_${String(n).padStart(16, '0')}`;
export const sessionId = (n = 1): string => padded('s', n);
export const commandId = (n = 1): string => padded('c', n);
export const messageId = (n = 1): string => padded('m', n);

/** A session as main would send it. */
export const session = (n = 1, change: Partial<SessionView> = {}): SessionView => ({
  id: sessionId(n),
  title: `Session ${n}`,
  workspace: '/home/ada/atlas-api',
  provider: 'builtin',
  createdAt: 1_000,
  updatedAt: 1_000,
  status: 'idle',
  reason: null,
  wait: null,
  waitCount: 0,
  requests: 0,
  approvals: [],
  ...change,
});

/** A running command in the foreground. */
export const command = (n = 1, change: Partial<CommandView> = {}): CommandView => ({
  id: commandId(n),
  sessionId: sessionId(),
  toolCallId: `call-${n}`,
  cmd: `make target-${n}`,
  cwd: '/home/ada/atlas-api',
  shell: '/bin/bash',
  tty: false,
  state: 'running',
  placement: 'foreground',
  isAttached: true,
  exitCode: null,
  signal: null,
  by: null,
  startedAt: 1_000 * n,
  endedAt: null,
  lastOutputAt: null,
  outputBytes: 0,
  tail: [],
  pid: 4_000 + n,
  generation: 1,
  descendants: [],
  isCleared: false,
  gap: null,
  isBlocked: false,
  attention: null,
  resources: null,
  ...change,
});

/** A message of the user. */
export const userMessage = (n: number, text = `message ${n}`): Message => ({
  id: messageId(n),
  at: n,
  role: 'user',
  text,
});

/** A message of the agent, with the tool calls given. */
export const agentMessage = (
  n: number,
  text: string,
  toolCalls: { id: string; name: string; input: unknown }[] = [],
): Message => ({ id: messageId(n), at: n, role: 'assistant', text, toolCalls });

/** A snapshot that knows nothing but its number. */
export const snapshot = (seq: number, change: Partial<Snapshot> = {}): Snapshot => ({
  seq,
  sessions: [],
  commands: [],
  settings: DEFAULT_SETTINGS,
  notices: [],
  chosen: null,
  update: { kind: 'idle', checkedAt: null },
  app: { version: '0.1.0', home: '/home/ada', platform: 'linux' },
  ...change,
});
