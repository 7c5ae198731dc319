import type { Provider } from '../../electron/agent/provider.ts';
import { ScriptedProvider, type Supervised } from '../support/supervised.ts';
import { type Bench, check, same } from './fault.ts';
import { callTool } from './tools.ts';

/** What a command was seen to want from its start on, in order and without repetitions. */
export function wants(app: Supervised<Provider>, id: string): string[] {
  const kinds = app.events.flatMap((event) =>
    event.type === 'command.changed' && event.command.id === id
      ? [event.command.attention?.kind ?? 'nothing']
      : [],
  );
  return kinds.filter((kind, i) => kind !== (kinds[i - 1] ?? 'nothing'));
}

/** Starts a command in a terminal, and resolves with the milliseconds after which it was seen to want this. */
export async function untilItWants(
  app: Supervised<Provider>,
  cmd: string,
  kind: string,
): Promise<{ id: string; tookMs: number }> {
  const began = performance.now();
  const called = callTool(app, 'exec_command', { cmd, tty: true, yield_time_ms: 250 });
  const id = await app.until(
    'the command',
    () => app.app.commands.recordsOf(app.session.view.id).find((record) => record.cmd === cmd)?.id,
  );
  await app.until(`${kind} of ${cmd}`, () => (wants(app, id).includes(kind) ? true : undefined));
  const tookMs = performance.now() - began;
  await called;
  return { id, tookMs };
}

/** Plays a command that waits for input: it is noticed in time, and the agent is told. */
export async function isNoticedWithin(
  bench: Bench,
  cmd: string,
  limitMs: number,
): Promise<{ app: Supervised; id: string; note: string }> {
  const app = await bench.app(new ScriptedProvider());
  const { id, tookMs } = await untilItWants(app, cmd, 'needs-input');
  check(tookMs < limitMs, `it is noticed within ${limitMs / 1_000} s (${tookMs.toFixed(0)} ms)`);
  const poll = await callTool(app, 'write_stdin', { session_id: id, yield_time_ms: 250 });
  same('what the agent is told', poll.result?.attention, 'needs-input');
  return { app, id, note: `${tookMs.toFixed(0)} ms` };
}
