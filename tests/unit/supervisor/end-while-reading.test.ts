import { expect, test } from 'vitest';
import type { Session } from '../../../electron/supervisor/sessions.ts';
import { AnsweringProvider } from '../../support/answering-provider.ts';
import { ModelApp } from '../../support/model/model-app.ts';

test('a command that ends while the readout of a detach is read tells its end and its last output in the next one', async () => {
  const world = new ModelApp(new AnsweringProvider());
  await world.start();
  const { app, host } = world;
  if (!app) throw new Error('it did not start');
  const { id: sessionId } = await app.createSession('/work');
  const request = { sessionId, toolCallId: 'call-1', cmd: 'job', cwd: '/work', tty: false, deadlineMs: null };
  const started = await app.commands.start(request);
  if (!started.ok) throw new Error(started.error.message);
  const { id } = started.value;
  const { signal } = new AbortController();
  const read = (toolCallId: string) =>
    app.commands.read({ commandId: id, toolCallId, yieldMs: 1_000, maxTokens: 2_000, signal });

  const attached = read('call-1');
  await Promise.resolve();
  app.detach(id);
  // In the middle of the readout: its range is fixed, its bytes are not there yet.
  host.output(id, new TextEncoder().encode('last words'));
  host.end(id, { reason: 'exited', exitCode: 3, signal: null, by: null });
  const first = await attached;
  expect(first).toMatchObject({ newBytes: 0, record: { state: 'running' } });
  const events = [{ type: 'read' as const, cursor: first.cursor }, { type: 'yielded' as const }];
  await app.saveResult(app.session(sessionId) as Session, [], { commandId: id, events });
  first.release();
  const second = await read('call-2');
  second.release();
  expect(second).toMatchObject({ text: 'last words', record: { state: 'failed', exitCode: 3 } });
});
