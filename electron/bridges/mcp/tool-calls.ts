import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { CommandId } from '../../../shared/model/ids.ts';
import { callTool } from '../../agent/tools/call-tool.ts';
import { TOOLS } from '../../agent/tools/index.ts';
import type { ResultChanges } from '../../agent/tools/tool.ts';
import { ADVISORY } from '../../agent/turn.ts';
import type { CommandHost } from '../../supervisor/ports.ts';
import { look } from '../../supervisor/quiet-guard.ts';
import type { Session } from '../../supervisor/sessions.ts';
import type { Supervisor } from '../../supervisor/supervisor.ts';
import type { WaitRequest } from '../../supervisor/wait-machine.ts';
import { answer, errorAnswer } from './answer.ts';
import { type BlockingWaitOptions, blockingWait } from './blocking-wait.ts';
import type { Connection } from './connection.ts';
import { refuseWorkdir } from './roots.ts';
import { waitResult } from './wait-result.ts';

export interface ToolCallsOptions {
  readonly connection: Connection;
  readonly supervisor: Supervisor;
  readonly host: CommandHost;
  readonly findLine: BlockingWaitOptions['findLine'];
  readonly onTerminal: BlockingWaitOptions['onTerminal'];
}

/** A call under way. */
export interface Call {
  readonly name: string;
  readonly input: unknown;
  readonly signal: AbortSignal;
  /** Names the call among those of this connection. */
  readonly id: string;
}

const WithWorkdir = z.object({ workdir: z.string() });
const WithHandles = z.object({
  session_id: z.string().optional(),
  session_ids: z.array(z.string()).optional(),
});

/** Runs the calls of a connection as a turn runs those of its model. */
export class ToolCalls {
  readonly #o: ToolCallsOptions;
  readonly #running = new Set<Promise<unknown>>();

  constructor(options: ToolCallsOptions) {
    this.#o = options;
  }

  /** Resolves with the answer; that of an aborted call is given to nobody. Rejects when the result could not be saved. */
  run(call: Call): Promise<CallToolResult> {
    const running = this.#run(call).finally(() => this.#running.delete(running));
    this.#running.add(running);
    return running;
  }

  /** Settles when no call runs any more. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  /** The newest line of what a call is about, or else what it does. */
  describe({ id, name, input }: Call): string {
    const ids = handlesIn(input);
    const records = this.#o.supervisor.commands
      .views()
      .filter((command) => command.toolCallId === id || ids.includes(command.id))
      .sort((a, b) => (b.lastOutputAt ?? 0) - (a.lastOutputAt ?? 0));
    return records.flatMap(({ tail }) => tail.at(-1) ?? [])[0] || `${name} is under way`;
  }

  async #run({ id, name, input, signal }: Call): Promise<CallToolResult> {
    const { connection, supervisor, host } = this.#o;
    const session = await connection.session();
    const workspace = await connection.workspace();
    const asked = name === 'exec_command' ? WithWorkdir.safeParse(input) : null;
    const refusal = asked?.success
      ? await refuseWorkdir(asked.data.workdir, workspace, await connection.roots())
      : null;
    if (refusal) return errorAnswer(refusal);
    const startedAt = supervisor.clock.now();
    const outcome = await callTool(
      TOOLS,
      { id, name, input },
      {
        sessionId: session.view.id,
        workspace,
        commands: supervisor.commands,
        host,
        now: () => supervisor.clock.now(),
        limits: supervisor.limits,
        signal,
      },
    );
    if (!outcome.ok) return errorAnswer(outcome.error);
    const { result, changes, look: seen, waitFor } = outcome.value;
    try {
      // Nobody hears of an aborted call: what it read stays unread.
      if (signal.aborted) await this.#forsake(changes);
      else await supervisor.saveResult(session, [], changes);
    } finally {
      changes?.release();
    }
    if (name === 'wait')
      return answer(await this.#wait(session, handlesIn(input), waitFor, startedAt, signal));
    const verdict = seen && look(session.guard, seen, supervisor.limits);
    if (verdict) session.guard = verdict.state;
    return answer(verdict?.isAdvised ? { ...result, advisory: ADVISORY } : result);
  }

  /** The client will never learn the handle that this result would have given it, so it could never look after it. */
  async #forsake(changes: ResultChanges | undefined): Promise<void> {
    const { commands } = this.#o.supervisor;
    const record = changes && commands.record(changes.commandId);
    if (record?.state === 'running' && !record.hasYielded) await commands.stop(record.id, 'user');
  }

  /** The call waits itself, where a turn would end and its session sleep. */
  async #wait(
    session: Session,
    ids: readonly CommandId[],
    request: WaitRequest | undefined,
    startedAt: number,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> {
    const { supervisor, host, findLine, onTerminal } = this.#o;
    const { commands, clock, limits } = supervisor;
    const options = { commands, host, clock, limits, findLine, onTerminal };
    const end = request
      ? await blockingWait(session.view, request, signal, options)
      : ({ kind: 'ended' } as const);
    if (end === null) return {};
    const now = clock.now();
    const facts = { commands, pending: session.pending, now, elapsedMs: now - startedAt };
    const result = waitResult(end, [...new Set(ids)], facts);
    await session.lock.run(() => {
      const told = session.pending.filter((entry) => ids.includes(entry.commandId));
      const inbox = told.map((entry) => ({ ...entry, state: 'consumed' as const }));
      return supervisor.sessions.save(session, { inbox });
    });
    return result;
  }
}

function handlesIn(input: unknown): CommandId[] {
  const { data } = WithHandles.safeParse(input);
  return [data?.session_id ?? [], data?.session_ids ?? []].flat();
}
