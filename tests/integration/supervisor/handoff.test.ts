import { afterEach, beforeEach, expect, test } from 'vitest';
import { untilEnded } from '../../../electron/supervisor/wait-machine.ts';
import type { Message } from '../../../shared/model/message.ts';
import { type Gate, makeGate } from '../../support/gate.ts';
import { ScriptedProvider, type Supervised, supervise } from '../../support/supervised.ts';

/** A poll lasts at least 250 ms, so six of them are quiet for longer than this. */
const LIMITS = { quietAfterMs: 200 };

let gate: Gate;
const running: Supervised[] = [];

beforeEach(() => {
  gate = makeGate();
});

afterEach(async () => {
  gate.open();
  for (const it of running.splice(0)) await it.close();
  gate.release();
});

async function start(provider: ScriptedProvider): Promise<Supervised> {
  const it = await supervise(provider, LIMITS);
  running.push(it);
  return it;
}

const mainJob = () => `${gate.loop}; printf background-finished; exit 7`;
const exec = () => ({
  calls: [['exec_command', { cmd: mainJob(), yield_time_ms: 250 }]] as [string, object][],
});
const handleIn = (messages: readonly Message[]): string => {
  const found = messages.findLast(
    (message) => message.role === 'tool' && 'session_id' in (message.result as object),
  );
  return (found as { result: { session_id: string } }).result.session_id;
};
const polls =
  (count: number) =>
  ({ messages }: { messages: readonly Message[] }) => ({
    calls: Array.from(
      { length: count },
      () => ['write_stdin', { session_id: handleIn(messages), yield_time_ms: 250 }] as [string, object],
    ),
  });

const suspended = (it: Supervised) =>
  it.until('the suspension', () =>
    it.session.view.status === 'suspended' && !it.session.turn ? it.session.view : undefined,
  );
const atRest = (it: Supervised) =>
  it.until('the end of the turn', () => (it.session.turn ? undefined : it.session.view));

test('the handoff costs no provider request and asks no one; talking leaves the wait armed; one wake tells the end', async () => {
  const provider = new ScriptedProvider(exec, polls(8));
  const it = await start(provider);
  await it.app.send(it.session, 'run it');
  const view = await suspended(it);
  expect(provider.requests).toBe(2);
  const handle = handleIn(await it.messages());
  expect(view.wait?.commandIds).toEqual([handle]);
  expect(view.reason).toBe('waiting_for_command');
  const kinds = (await it.messages()).flatMap((message) => (message.role === 'runtime' ? message.kind : []));
  expect(kinds).toEqual(['background_exec_wait']);
  expect(it.app.commands.record(handle)).toMatchObject({ state: 'running', placement: 'background' });
  // The third quiet readout was advised, and each of them told what the model needs to know.
  const readouts = (await it.results()).slice(1);
  expect(readouts.filter((result) => 'advisory' in result)).toHaveLength(1);
  expect(readouts[0]).toMatchObject({
    status: 'running',
    session_id: handle,
    output: '',
    polling: { exit_observed: false },
  });

  // A user turn: answered, and the wait of the same generation stays.
  provider.goOn(() => ({ text: 'We can continue discussing the next step.' }));
  await it.app.send(it.session, 'Discuss the next step while that command runs.');
  await suspended(it);
  expect(provider.requests).toBe(3);
  expect(it.session.view.wait).toEqual(view.wait);
  expect((await it.messages()).filter((message) => message.role === 'runtime')).toHaveLength(1);

  // The end: exactly one turn, which is told exit code and tail.
  provider.goOn(({ messages }) => ({ text: JSON.stringify(messages.at(-1)) }));
  gate.open();
  await it.until('the wake', () => (provider.requests === 4 && !it.session.turn ? true : undefined));
  expect(it.session.view).toMatchObject({ status: 'idle', wait: null });
  const told = (await it.messages()).filter(
    (message) => message.role === 'runtime' && message.kind === 'completion',
  );
  expect(told).toHaveLength(1);
  expect(told[0]).toMatchObject({
    ends: [{ commandId: handle, exitCode: 7, state: 'failed', tail: 'background-finished' }],
  });
  expect(it.events.filter((event) => event.type === 'session.resumed')).toHaveLength(1);

  // A later read returns exactly that output, once; after it the command is known as ended.
  provider.goOn(polls(2), () => ({ text: 'read' }));
  await it.app.send(it.session, 'read it');
  await it.until('the read', () => (provider.requests === 6 && !it.session.turn ? true : undefined));
  const [first, second] = (await it.results()).slice(-2);
  expect(first).toMatchObject({ status: 'failed', exit_code: 7, output: 'background-finished' });
  expect(first).not.toHaveProperty('session_id');
  expect(second).toMatchObject({ error: { code: 'command_ended' } });
});

test('a failed checkpoint leaves the session as it was, sends no event, frees the reservation, and the command lives', async () => {
  const provider = new ScriptedProvider(exec, polls(1), () => ({ text: 'done' }));
  const it = await start(provider);
  await it.app.send(it.session, 'run it');
  const view = await suspended(it);
  await it.app.stopWaiting(it.session);
  const handle = view.wait?.commandIds[0] as string;
  it.store.rejects = (change) => change.session?.status === 'suspended';
  const before = JSON.stringify([it.session.view, await it.messages()]);
  const events = it.events.length;
  await expect(
    it.session.lock.run(() => it.app.handoff.suspend(it.session, untilEnded([handle]))),
  ).rejects.toThrow('controlled');
  expect(JSON.stringify([it.session.view, await it.messages()])).toBe(before);
  expect(it.events.length).toBe(events);
  expect(it.app.commands.isReserved(handle)).toBe(false);
  expect(it.app.commands.record(handle)?.state).toBe('running');

  // Another session cannot hand it off, and nothing changes for that one either.
  const other = it.app.session((await it.app.createSession(it.host.folder)).id) as typeof it.session;
  const otherBefore = JSON.stringify(other.view);
  expect(await other.lock.run(() => it.app.handoff.suspend(other, untilEnded([handle])))).toBe(false);
  expect(JSON.stringify(other.view)).toBe(otherBefore);

  // With a store that works again the very same handoff succeeds.
  it.store.rejects = () => false;
  expect(await it.session.lock.run(() => it.app.handoff.suspend(it.session, untilEnded([handle])))).toBe(
    true,
  );
  provider.goOn(() => ({ text: 'told' }));
  gate.open();
  await it.until('the wake', () => (provider.requests === 4 ? true : undefined));
  await atRest(it);
});

test('when the handoff of a turn cannot be saved the turn says so, and the end of the command still comes', async () => {
  const provider = new ScriptedProvider(exec, polls(8));
  const it = await start(provider);
  it.store.rejects = (change) => change.session?.status === 'suspended';
  await it.app.send(it.session, 'run it');
  await atRest(it);
  expect(it.session.view.status).toBe('idle');
  it.store.rejects = () => false;
  await it.until('the repair', () => (it.session.view.status === 'suspended' ? true : undefined));
  const notices = (await it.messages()).filter(
    (message) => message.role === 'runtime' && message.kind === 'turn_ended',
  );
  expect(notices.length).toBeGreaterThanOrEqual(1);
  provider.goOn(() => ({ text: 'told' }));
  gate.open();
  await it.until('the wake', () => (provider.requests === 3 && !it.session.turn ? true : undefined));
  expect(it.session.view.status).toBe('idle');
});

test('a foreign handle is refused before any effect', async () => {
  const provider = new ScriptedProvider(exec, () => ({ text: 'ok' }));
  const it = await start(provider);
  await it.app.send(it.session, 'run it');
  await suspended(it);
  const handle = handleIn(await it.messages());
  const before = JSON.stringify(it.app.commands.record(handle));
  const other = it.app.session((await it.app.createSession(it.host.folder)).id) as typeof it.session;
  const foreign = { session_id: handle };
  provider.goOn(
    () => ({
      calls: [
        ['write_stdin', { ...foreign, chars: '\u0003' }],
        ['stop_command', foreign],
        ['wait', { session_ids: [handle] }],
        ['read_output', foreign],
        ['write_stdin', { session_id: 'c_nothing' }],
      ],
    }),
    () => ({ text: 'refused' }),
  );
  await it.app.send(other, 'take it');
  await it.until('the refusals', () => (provider.requests === 4 && !other.turn ? true : undefined));
  const { messages } = await it.store.messages(other.view.id, 50);
  const codes = messages.flatMap((message) =>
    message.role === 'tool' ? (message.result as { error: { code: string } }).error.code : [],
  );
  expect(codes).toEqual([
    'handle_forbidden',
    'handle_forbidden',
    'handle_forbidden',
    'handle_forbidden',
    'unknown_handle',
  ]);
  expect(JSON.stringify(it.app.commands.record(handle))).toBe(before);
  provider.goOn(() => ({ text: 'told' }));
});
