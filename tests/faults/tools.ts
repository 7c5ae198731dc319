import type { Provider } from '../../electron/agent/provider.ts';
import { callTool as call } from '../../electron/agent/tools/call-tool.ts';
import { TOOLS } from '../../electron/agent/tools/index.ts';
import type { Session } from '../../electron/supervisor/sessions.ts';
import type { ToolError } from '../../electron/supervisor/tool-error.ts';
import type { Supervised } from '../support/supervised.ts';

let calls = 0;

export interface Called {
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: ToolError;
}

/** Calls a tool as an agent of the session would, and saves what it changes. */
export async function callTool(
  { app, host, session }: Supervised<Provider>,
  name: string,
  input: object,
  of: Session = session,
): Promise<Called> {
  const outcome = await call(
    TOOLS,
    { id: `fault-${++calls}`, name, input },
    {
      sessionId: of.view.id,
      workspace: of.view.workspace,
      commands: app.commands,
      host: host.client,
      now: () => app.clock.now(),
      limits: app.limits,
      signal: new AbortController().signal,
    },
  );
  if (!outcome.ok) return { error: outcome.error };
  const { changes, result } = outcome.value;
  try {
    await app.saveResult(of, [], changes);
  } finally {
    changes?.release();
  }
  return { result };
}

/** Runs a command to its end as an agent would: the pieces of its output in order, and the last result. */
export async function runToEnd(
  app: Supervised<Provider>,
  input: { readonly cmd: string; readonly [name: string]: unknown },
): Promise<{ pieces: string[]; dropped: number; end: Readonly<Record<string, unknown>>; id: string }> {
  const limits = { yield_time_ms: 30_000, max_output_tokens: 8_192 };
  const pieces: string[] = [];
  let dropped = 0;
  let id = '';
  for (let next = await callTool(app, 'exec_command', { ...limits, ...input }); ; ) {
    const { result, error } = next;
    if (!result) throw new Error(`${error?.code}: ${error?.message}`);
    pieces.push(String(result.output ?? ''));
    dropped += Number(result.output_dropped_bytes ?? 0);
    if ('exit_code' in result) return { pieces, dropped, end: result, id: id || lastCommand(app) };
    id = String(result.session_id);
    next = await callTool(app, 'write_stdin', { ...limits, session_id: id });
  }
}

function lastCommand({ app, session }: Supervised<Provider>): string {
  return app.commands.recordsOf(session.view.id).at(-1)?.id ?? '';
}
