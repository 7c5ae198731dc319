import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Approvals } from '../../../electron/agent/approvals/approvals.ts';
import { TOOLS } from '../../../electron/agent/tools/index.ts';
import { createTurnRunner } from '../../../electron/agent/turn.ts';
import { systemClock } from '../../../electron/app/system-clock.ts';
import { guestProvider } from '../../../electron/bridges/mcp/guest-provider.ts';
import type { HostClient } from '../../../electron/host-client/host-client.ts';
import type { ThreadStore } from '../../../electron/store/store-client.ts';
import type { Session } from '../../../electron/supervisor/sessions.ts';
import type { Supervisor } from '../../../electron/supervisor/supervisor.ts';
import { DEFAULT_LIMITS } from '../../../shared/limits.ts';
import type { AppEvent } from '../../../shared/model/event.ts';
import { type Gate, makeGate } from '../../support/gate.ts';
import { connect, until } from '../../support/host.ts';
import { McpTest } from '../../support/mcp.ts';
import { openTestStore, realSupervisor } from '../../support/real-supervisor.ts';

let mcp: McpTest;
let gate: Gate;
const apps: App[] = [];

beforeEach(async () => {
  mcp = await McpTest.start();
  gate = makeGate();
});

afterEach(async () => {
  gate.release();
  for (const app of apps.splice(0)) await app.close();
  await mcp.close();
});

/** One run of the app, on the host of the MCP client. */
interface App {
  readonly supervisor: Supervisor;
  readonly store: ThreadStore;
  readonly host: HostClient;
  readonly events: AppEvent[];
  close(): Promise<void>;
}

async function startApp(): Promise<App> {
  const host = await connect(path.join(mcp.data, 'host'));
  const store = await openTestStore(mcp.data);
  const events: AppEvent[] = [];
  const supervisor = realSupervisor({
    host,
    store,
    folder: mcp.data,
    limits: {},
    provider: 'other',
    showsGuests: true,
    publish: (event) => events.push(event),
  });
  const providers = new Map([[guestProvider.id, guestProvider]]);
  const approvals = new Approvals({
    sessions: supervisor.sessions,
    store,
    clock: systemClock,
    home: mcp.data,
    modeOf: () => 'free',
  });
  supervisor.setTurnRunner(createTurnRunner({ supervisor, host, providers, tools: TOOLS, approvals }));
  await supervisor.restore();
  let isClosed = false;
  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    host.dispose();
    await store.close();
  };
  const app = { supervisor, store, host, events, close };
  apps.push(app);
  return app;
}

const viewOf = (app: App, id: string) =>
  until(`${id} in the app`, () =>
    app.events.some((event) => event.type === 'command.started' && event.command.id === id)
      ? app.supervisor.commands.view(id)
      : undefined,
  );

const sessionOf = (app: App, commandId: string) =>
  app.supervisor.session(app.supervisor.commands.record(commandId)?.sessionId ?? '') as Session;

test('what a client starts appears in the open app under a session of its name, and its end wakes nothing', async () => {
  const app = await startApp();
  const client = await mcp.connect({ name: 'a-coding-agent' });
  const handle = await client.begin(`echo begun; ${gate.loop}; exit 5`);
  expect(await viewOf(app, handle)).toMatchObject({
    cmd: `echo begun; ${gate.loop}; exit 5`,
    cwd: mcp.data,
    tty: false,
    state: 'running',
    placement: 'background',
    isAttached: false,
  });
  const session = sessionOf(app, handle);
  expect(session.view).toMatchObject({ title: 'a-coding-agent', provider: 'mcp', status: 'idle' });
  const told = app.events.map((event) => event.type);
  expect(told.indexOf('session.changed')).toBeLessThan(told.indexOf('command.started'));
  const second = await client.begin(gate.loop);
  expect((await viewOf(app, second)).sessionId).toBe(session.view.id);

  gate.open();
  expect(await client.call('wait', { session_ids: [handle, second] })).toMatchObject({ status: 'ended' });
  const view = await until('the end in the app', () =>
    app.events.some((event) => event.type === 'command.terminal' && event.command.id === handle)
      ? app.supervisor.commands.view(handle)
      : undefined,
  );
  expect(view).toMatchObject({ state: 'failed', exitCode: 5, tail: ['begun'] });
  await new Promise((resolve) => setTimeout(resolve, DEFAULT_LIMITS.wakeMergeMs + 100));
  expect(session).toMatchObject({ pending: [], turn: null, view: { status: 'idle', requests: 0 } });

  // The next start of the app knows it as ended, and is not woken by it either.
  await app.close();
  const next = await startApp();
  expect(next.supervisor.commands.record(handle)).toMatchObject({ state: 'failed', exitCode: 5 });
  expect(sessionOf(next, handle)).toMatchObject({
    pending: [],
    turn: null,
    view: { title: 'a-coding-agent' },
  });
});

test('an app that is opened later finds what runs, and its Stop is told to the client as the truth', async () => {
  const client = await mcp.connect();
  const handle = await client.begin(`echo early; ${gate.loop}`);
  await client.call('exec_command', { cmd: 'echo over' });
  const app = await startApp();
  expect(await viewOf(app, handle)).toMatchObject({ state: 'running', tail: ['early'] });
  expect(app.supervisor.views().commands).toHaveLength(1);

  const waiting = client.call('wait', { session_ids: [handle] });
  expect(await app.supervisor.commands.stop(handle, 'user')).toMatchObject({ ok: true });
  expect(await waiting).toMatchObject({
    status: 'ended',
    commands: [{ session_id: handle, status: 'stopped', by: 'user', exit_code: null }],
  });
  await until(
    'the stop in the app',
    () => app.supervisor.commands.view(handle)?.state === 'stopped' || undefined,
  );
});

test("a message to a session of a client is refused in words; commands of the app stay the app's own", async () => {
  const app = await startApp();
  const client = await mcp.connect();
  const handle = await client.begin(gate.loop);
  await viewOf(app, handle);
  const session = sessionOf(app, handle);
  await app.supervisor.send(session, 'hello');
  await until('the end of the turn', () => (session.turn ? undefined : true));
  const { messages } = await app.store.messages(session.view.id, 10);
  expect(messages.at(-1)).toMatchObject({
    kind: 'turn_ended',
    text: expect.stringMatching(/^This session belongs to another program/),
  });
  expect(session.view).toMatchObject({ status: 'idle', wait: null });

  const own = await app.supervisor.createSession(mcp.data);
  const started = await app.supervisor.commands.start({
    sessionId: own.id,
    toolCallId: 'call',
    cmd: gate.loop,
    cwd: mcp.data,
    tty: false,
    deadlineMs: null,
  });
  const id = started.ok ? started.value.id : '';
  expect(await client.call('list_commands')).toMatchObject({ commands: [{ session_id: handle }] });
  expect(await client.refusal('stop_command', { session_id: id })).toMatchObject({
    code: 'handle_forbidden',
  });
  expect(app.supervisor.commands.owned(handle, own.id)).toMatchObject({
    ok: false,
    error: { code: 'handle_forbidden' },
  });
  expect(app.supervisor.commands.record(id)).toMatchObject({ isUnawaited: false, state: 'running' });
});
