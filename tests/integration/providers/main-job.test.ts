import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Provider } from '../../../electron/agent/provider.ts';
import { type Gate, makeGate } from '../../support/gate.ts';
import {
  anthropicWire,
  completionsWire,
  type ModelAnswer,
  responsesWire,
  streamed,
} from '../../support/scripted-models/answers.ts';
import { ScriptedServer, type WireRequest } from '../../support/scripted-models/scripted-server.ts';
import { type Supervised, supervise } from '../../support/supervised.ts';
import { providerAt } from './support.ts';

/** A poll lasts at least 250 ms, so six of them are quiet for longer than this. */
const LIMITS = { quietAfterMs: 200 };

let gate: Gate;
let server: ScriptedServer;
let running: Supervised<Provider> | null = null;

beforeEach(async () => {
  gate = makeGate();
  server = await ScriptedServer.start();
});

afterEach(async () => {
  gate.open();
  await running?.close();
  running = null;
  await server.close();
  gate.release();
});

test.each([anthropicWire, completionsWire, responsesWire])(
  'the main job over the wire of $kind: handoff by the quiet guard, talk while waiting, one wake, exit 7, nothing spent asleep',
  async (wire) => {
    const provider = providerAt(wire, server.origin);
    const it = await supervise<Provider>(provider, LIMITS);
    running = it;
    const suspended = () =>
      it.until('the suspension', () =>
        it.session.view.status === 'suspended' && !it.session.turn ? it.session.view : undefined,
      );
    const say = (answer: ModelAnswer | ((request: WireRequest) => ModelAnswer)) =>
      server.goOn((request) => streamed(wire, typeof answer === 'function' ? answer(request) : answer));
    const handleOf = (request: WireRequest) => {
      const result = wire.results(request.body ?? {}).findLast((each) => 'session_id' in each);
      return result?.session_id as string;
    };

    say({
      text: 'I run it.',
      calls: [
        {
          id: 'call_run',
          name: 'exec_command',
          input: { cmd: `${gate.loop}; printf background-finished; exit 7`, yield_time_ms: 250 },
        },
      ],
    });
    say((request) => ({
      calls: Array.from({ length: 7 }, (_, index) => ({
        id: `call_poll_${index}`,
        name: 'write_stdin',
        input: { session_id: handleOf(request), yield_time_ms: 250 },
      })),
    }));
    await it.app.send(it.session, 'run it');
    const view = await suspended();
    expect(server.requests).toHaveLength(2);
    expect(view).toMatchObject({ reason: 'waiting_for_command', requests: 2 });
    const handle = view.wait?.commandIds[0] as string;
    expect(it.app.commands.record(handle)).toMatchObject({ state: 'running', placement: 'background' });
    expect((await it.results()).slice(1).filter((result) => 'advisory' in result)).toHaveLength(1);

    // Asleep: nothing comes over the wire.
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(server.requests).toHaveLength(2);

    // A person talks meanwhile, and is answered; the wait stays.
    say({ text: 'We can talk.' });
    await it.app.send(it.session, 'Talk while it runs.');
    await suspended();
    expect(server.requests).toHaveLength(3);
    expect(it.session.view.wait).toEqual(view.wait);
    const talk = JSON.stringify(server.body(2));
    expect(talk).toContain('Talk while it runs.');
    expect(wire.results(server.body(2))).toHaveLength(8);

    // The end: one wake, which carries exit code and tail, marked as no person's word.
    say({ text: 'It exited with 7.' });
    gate.open();
    await it.until('the wake', () =>
      it.session.view.status === 'idle' && !it.session.turn ? true : undefined,
    );
    expect(server.requests).toHaveLength(4);
    const told = JSON.stringify(server.body(3));
    expect(told).toContain('<switchyard about=\\"completion\\">');
    expect(told).toMatch(/exited 7 after/);
    expect(told).toContain('background-finished');
    const messages = await it.messages();
    expect(messages.at(-1)).toMatchObject({ role: 'assistant', text: 'It exited with 7.' });
    expect(
      messages.filter((message) => message.role === 'runtime' && message.kind === 'completion'),
    ).toMatchObject([
      { ends: [{ commandId: handle, exitCode: 7, state: 'failed', tail: 'background-finished' }] },
    ]);
    expect(it.events.filter(({ type }) => type === 'session.resumed')).toHaveLength(1);
    expect(it.session.view.requests).toBe(4);
  },
);

test('a stream that breaks off leaves the session intact: the text is kept, and the next message goes on', async () => {
  const it = await supervise<Provider>(providerAt(anthropicWire, server.origin), LIMITS);
  running = it;
  const half = anthropicWire.events({
    text: 'I begin.',
    calls: [{ id: 'call_a', name: 'exec_command', input: { cmd: 'touch never' } }],
  });
  server.goOn(
    () => ({ body: half.slice(0, -2).join(''), ending: 'cut' }),
    () => streamed(anthropicWire, { text: 'Going on.' }),
  );
  const atRest = () => it.until('the end of the turn', () => (it.session.turn ? undefined : true));
  await it.app.send(it.session, 'go');
  await atRest();
  await it.app.send(it.session, 'go on');
  await atRest();
  const messages = await it.messages();
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'runtime', 'user', 'assistant']);
  expect(messages[1]).toMatchObject({ text: 'I begin.', toolCalls: [] });
  expect(messages[2]).toMatchObject({
    kind: 'turn_ended',
    text: expect.stringContaining('What had come is kept.'),
  });
  expect(it.app.commands.recordsOf(it.session.view.id)).toEqual([]);
});
