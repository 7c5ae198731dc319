import { expect, test } from 'vitest';
import type { Provider } from '../../../electron/agent/provider.ts';
import type { Message } from '../../../shared/model/message.ts';
import { ModelApp } from '../../support/model/model-app.ts';
import { settled } from '../../support/model/virtual-clock.ts';

const MINUTE = 60_000;

/** Starts a command, polls it until the quiet guard takes it, and says "told" when it is told of the end. */
const provider: Provider = {
  id: 'scripted',
  name: 'Scripted',
  async *stream({ messages }) {
    const last = messages.at(-1);
    const handle = (
      messages.findLast((message) => message.role === 'tool' && 'session_id' in (message.result as object)) as
        | { result: { session_id: string } }
        | undefined
    )?.result.session_id;
    const call = (name: string, input: object) => ({
      type: 'tool_call' as const,
      call: { id: `${name}-${messages.length}`, name, input },
    });
    if (last?.role === 'user') yield call('exec_command', { cmd: 'job', yield_time_ms: 250 });
    else if (last?.role === 'tool' && 'polling' in (last.result as object))
      yield call('write_stdin', { session_id: handle, yield_time_ms: 20_000 });
    else
      yield { type: 'text', delta: last?.role === 'runtime' && last.kind === 'completion' ? 'told' : 'ok' };
    yield { type: 'done' };
  },
};

/** The main job from the message to the report, over whatever runs of the app it takes. */
async function play(world: ModelApp): Promise<void> {
  const ensure = async () => {
    if (!world.app) await world.start();
  };
  await ensure();
  const id = [...world.store.sessions.keys()][0] ?? (await world.app?.createSession('/work'))?.id;
  await ensure();
  const session = world.app?.session(String(id));
  if (session) void world.app?.send(session, 'go').catch(() => {});
  await settled();
  for (let i = 0; i < 12; i++) {
    await ensure();
    await world.clock.advance(20_000);
  }
  await ensure();
  for (const command of world.host.commands.keys()) {
    world.host.output(command, new TextEncoder().encode('background-finished'));
    world.host.end(command, { reason: 'exited', exitCode: 7, signal: null, by: null });
  }
  for (let i = 0; i < 10; i++) {
    await world.clock.advance(MINUTE);
    await ensure();
  }
}

const kinds = (messages: readonly Message[]) =>
  messages.flatMap((message) => (message.role === 'runtime' ? message.kind : []));

async function countSteps(): Promise<number> {
  const world = new ModelApp(provider);
  let steps = 0;
  world.store.onStep = () => steps++;
  await play(world);
  const messages = world.store.messages.map((row) => row.message);
  expect(kinds(messages)).toEqual(['background_exec_wait', 'resumed', 'completion']);
  return steps / 2;
}

test('a crash before or after each step of start, handoff, exit and resume ends in the same place, with the end told once', async () => {
  const steps = await countSteps();
  expect(steps).toBeGreaterThan(15);
  for (let step = 1; step < steps; step++) {
    for (const phase of ['before', 'after'] as const) {
      const world = new ModelApp(provider);
      let hasCrashed = false;
      world.store.onStep = (index, at) => {
        if (hasCrashed || index !== step || at !== phase) return;
        hasCrashed = true;
        world.crash();
      };
      await play(world);
      const where = `crash ${phase} save ${step} of ${steps}`;
      expect(hasCrashed, where).toBe(true);
      expect(world.isQuiet(), `${where}: at rest`).toBe(true);
      const messages = world.store.messages.map((row) => row.message);
      for (const [id, { facts }] of world.host.commands) {
        const record = world.store.commands.get(id);
        // Also when the app ended between the start and its save: the host knows it, and it is taken up.
        if (!record) throw new Error(`${where}: ${id} is not accounted for`);
        expect(record.exitCode, where).toBe(facts.exit?.exitCode ?? null);
        const told = messages.filter(
          (message) =>
            message.role === 'runtime' && message.kind === 'completion' && message.commandIds.includes(id),
        );
        const read = messages.filter(
          (message) => message.role === 'tool' && 'exit_code' in (message.result as object),
        );
        expect(told.length + read.length, `${where}: the end is told once`).toBe(1);
      }
      expect(
        kinds(messages).filter((kind) => kind === 'resumed').length,
        `${where}: one wake`,
      ).toBeLessThanOrEqual(1);
    }
  }
});
