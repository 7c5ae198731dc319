import { z } from 'zod';
import type { CommandId, MessageId } from '../../shared/model/ids.ts';
import type { Message, RuntimeMessage, ToolCall, ToolMessage } from '../../shared/model/message.ts';
import { err, type Result, unreachable } from '../../shared/model/result.ts';
import type { SessionView } from '../../shared/model/session.ts';
import { addSpent, NOTHING_SPENT } from '../../shared/model/spent.ts';
import type { Spent } from '../../shared/model/usage.ts';
import { isAsked } from '../supervisor/approval-machine.ts';
import { newId } from '../supervisor/new-id.ts';
import type { CommandHost } from '../supervisor/ports.ts';
import { type GuardLook, look } from '../supervisor/quiet-guard.ts';
import { completionMessages } from '../supervisor/resume.ts';
import type { Session } from '../supervisor/sessions.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import type { ToolError } from '../supervisor/tool-error.ts';
import type { WaitRequest } from '../supervisor/wait-machine.ts';
import { AnswerRecord } from './answer-record.ts';
import type { Admit, Approvals } from './approvals/approvals.ts';
import { interrupted, openCalls, pairedMessages } from './conversation.ts';
import { type Provider, ProviderError, type ToolDescription } from './provider.ts';
import { callTool } from './tools/call-tool.ts';
import type { Tool, ToolSuccess } from './tools/tool.ts';
import {
  nextTurn,
  type StepOutcome,
  type TurnEvent,
  type TurnPhase,
  type TurnState,
  turnTakenUp,
} from './turn-machine.ts';

/** Messages of one page while a conversation is read for a turn. */
const PAGE = 200;

/** Told with a readout when the quiet guard advises. */
export const ADVISORY =
  'Nothing new has come for a while. Call wait to sleep until it ends at no cost, or stop_command if it hangs; more polls will not help.';

export interface TurnOptions {
  readonly supervisor: Supervisor;
  readonly host: CommandHost;
  readonly providers: Pick<ReadonlyMap<string, Provider>, 'get'>;
  readonly tools: ReadonlyMap<string, Tool>;
  /** What stands in front of every call. */
  readonly approvals: Approvals;
}

/** Makes what runs a turn: requests and tool calls by turns, until nothing more is asked, or the session is suspended. */
export function createTurnRunner(
  options: TurnOptions,
): (session: Session, signal: AbortSignal) => Promise<void> {
  const descriptions: ToolDescription[] = [...options.tools.values()].map((tool) => ({
    name: tool.name,
    description: tool.description,
    inputSchema: z.toJSONSchema(tool.input, { io: 'input' }),
  }));
  return async (session, signal) => {
    const turn = new Turn(options, descriptions, session, signal);
    try {
      await turn.run();
    } catch (error) {
      const notice =
        error instanceof ProviderError ? error.message : `The turn broke off: ${messageOf(error)}`;
      const failure =
        error instanceof ProviderError ? { code: error.code, provider: session.view.provider } : undefined;
      try {
        await options.supervisor.finishTurn(session, { kind: 'failed', notice, failure });
      } catch {
        options.supervisor.abandonTurn(session, notice);
      }
    }
  };
}

class Turn {
  readonly #o: TurnOptions;
  readonly #descriptions: readonly ToolDescription[];
  readonly #session: Session;
  readonly #signal: AbortSignal;
  #messages: Message[] = [];
  /** The newest message of a person that a request has carried. */
  #answered: MessageId | null = null;
  /** The session's provider when the turn began: a turn keeps its own. */
  #provider: Provider | undefined;
  #tellsCompaction = true;

  constructor(
    options: TurnOptions,
    descriptions: readonly ToolDescription[],
    session: Session,
    signal: AbortSignal,
  ) {
    this.#o = options;
    this.#descriptions = descriptions;
    this.#session = session;
    this.#signal = signal;
  }

  async run(): Promise<void> {
    const { limits } = this.#o.supervisor;
    for (let state = await this.#begin(); state.phase.kind !== 'ended'; ) {
      state = nextTurn(state, await this.#do(state.phase), limits);
    }
  }

  /** A turn that was asking when the app ended goes on with its calls; the first may have been made already. */
  async #begin(): Promise<TurnState> {
    const { approvals } = this.#session.view;
    if (approvals.length === 0) return turnTakenUp([]);
    await this.#readConversation();
    const [first, ...later] = openCalls(this.#messages);
    if (!first) return turnTakenUp([]);
    if (approvals.some((one) => one.toolCallId === first.id && isAsked(one)))
      return turnTakenUp([first, ...later]);
    await this.#saveResult(first, err(interrupted()), null);
    return turnTakenUp(later);
  }

  async #do(phase: TurnPhase): Promise<TurnEvent> {
    const { supervisor } = this.#o;
    switch (phase.kind) {
      case 'requesting': {
        await this.#drainInbox();
        await this.#readConversation();
        const calls = await this.#request();
        return this.#signal.aborted ? { type: 'stopped' } : { type: 'answered', calls };
      }
      case 'calling': {
        const step = await this.#runCalls(phase.calls);
        return this.#signal.aborted ? { type: 'stopped' } : { type: 'called', step };
      }
      case 'suspending':
        return this.#suspend(phase.wishes[0], phase.fired);
      case 'diagnosing':
        await this.#diagnose(phase.commandId, phase.packetsLeft);
        return { type: 'diagnosed' };
      case 'finishing': {
        const isOver = await supervisor.finishTurn(this.#session, {
          kind: 'done',
          hasNews: () => this.#hasNews(),
        });
        return { type: isOver ? 'finished' : 'news' };
      }
      case 'stopping':
        return this.#end('stopped', 'You stopped this turn. Commands whose handle was known run on.');
      case 'giving_up':
        return this.#end(
          'failed',
          'The turn was ended: the agent kept polling a quiet command that could not be handed off. The command runs on.',
        );
      case 'ended':
        return { type: 'finished' };
      default:
        return unreachable(phase);
    }
  }

  async #end(kind: 'stopped' | 'failed', notice: string): Promise<TurnEvent> {
    await this.#o.supervisor.finishTurn(this.#session, { kind, notice });
    return { type: 'finished' };
  }

  /** Completions go in before a request, never between a tool call and its result. */
  async #drainInbox(): Promise<void> {
    const { supervisor } = this.#o;
    if (this.#session.pending.length === 0) return;
    await this.#session.lock.run(async () => {
      const { pending } = this.#session;
      await supervisor.sessions.save(this.#session, {
        append: completionMessages(
          pending.map((entry) => entry.end),
          supervisor.clock.now(),
        ),
        inbox: pending.map((entry) => ({ ...entry, state: 'injected' })),
      });
    });
  }

  async #readConversation(): Promise<void> {
    const known = new Set(this.#messages.map((message) => message.id));
    const fresh: Message[] = [];
    let before: MessageId | undefined;
    for (;;) {
      const page = await this.#o.supervisor.sessions.messages(this.#session.view.id, PAGE, before);
      fresh.unshift(...page.messages.filter((message) => !known.has(message.id)));
      const first = page.messages[0];
      if (!page.hasMore || !first || known.has(first.id)) break;
      before = first.id;
    }
    this.#messages.push(...fresh);
  }

  /** A person's message, or a completion, that no request has carried. */
  #hasNews(): boolean {
    return this.#session.pending.length > 0 || this.#session.lastUserMessage !== this.#answered;
  }

  // ---- one request ----

  async #request(): Promise<readonly ToolCall[]> {
    const { supervisor, providers } = this.#o;
    const session = this.#session;
    this.#provider ??= providers.get(session.view.provider);
    const provider = this.#provider;
    if (!provider)
      throw new ProviderError(
        `The agent "${session.view.provider}" of this session is not set up any more. The conversation is kept. Choose another agent below the message.`,
        'provider_removed',
      );
    const last = this.#messages.findLast((message) => message.role === 'user');
    this.#answered = last?.id ?? this.#answered;
    session.lastUserMessage ??= this.#answered;
    const id = newId('m');
    const answer = new AnswerRecord(provider, this.#tellsCompaction);
    let failure: unknown = null;
    const request = {
      messages: pairedMessages(asSent(this.#messages)),
      tools: this.#descriptions,
      workspace: session.view.workspace,
      live: {
        commands: supervisor.commands.liveOf(session.view.id),
        wait: session.view.wait,
        now: supervisor.clock.now(),
      },
    };
    try {
      for await (const event of provider.stream(request, this.#signal)) {
        const streamed = answer.take(event);
        if (streamed) supervisor.sessions.stream(session, id, streamed.delta, streamed.of);
      }
    } catch (error) {
      failure = error;
    }
    this.#tellsCompaction = answer.tellsCompaction;
    const isWhole = failure === null && !this.#signal.aborted;
    const message = answer.message(id, supervisor.clock.now(), isWhole);
    await session.lock.run(() =>
      supervisor.sessions.save(session, {
        view: withRequest(session.view, answer.spent),
        append: message ? [message] : [],
      }),
    );
    session.streaming = null;
    if (message) this.#messages.push(message);
    if (failure !== null && !this.#signal.aborted) throw failure;
    return message?.toolCalls ?? [];
  }

  // ---- its tool calls ----

  async #runCalls(calls: readonly ToolCall[]): Promise<StepOutcome> {
    const step: { -readonly [K in keyof StepOutcome]: StepOutcome[K] } = {
      fired: null,
      waitFor: null,
      polledJob: null,
    };
    let isOnlyPolling = true;
    const admit = await this.#o.approvals.ask(this.#session, calls, this.#signal);
    for (const call of calls) {
      const outcome = await this.#runCall(call, admit);
      const advisory = outcome.ok && outcome.value.look ? this.#guard(outcome.value.look, step) : null;
      await this.#saveResult(call, outcome, advisory);
      if (outcome.ok && outcome.value.waitFor) step.waitFor = outcome.value.waitFor;
      if (outcome.ok && outcome.value.jobPoll) step.polledJob = outcome.value.jobPoll;
      else isOnlyPolling = false;
    }
    if (!isOnlyPolling) step.polledJob = null;
    return step;
  }

  async #runCall(call: ToolCall, admit: Admit): Promise<Result<ToolSuccess, ToolError>> {
    const { supervisor, tools, host } = this.#o;
    const admitted = await admit(call);
    if (!admitted.ok) return admitted;
    if (this.#signal.aborted) return notRun();
    return callTool(tools, call, {
      sessionId: this.#session.view.id,
      workspace: this.#session.view.workspace,
      commands: supervisor.commands,
      host,
      now: () => supervisor.clock.now(),
      limits: supervisor.limits,
      signal: this.#signal,
    });
  }

  #guard(seen: GuardLook, step: { fired: CommandId | null }): string | null {
    const verdict = look(this.#session.guard, seen, this.#o.supervisor.limits);
    this.#session.guard = verdict.state;
    // One handle is acted on a step: the first that fired.
    if (verdict.hasFired) step.fired ??= seen.commandId;
    return verdict.isAdvised ? ADVISORY : null;
  }

  async #saveResult(
    call: ToolCall,
    outcome: Result<ToolSuccess, ToolError>,
    advisory: string | null,
  ): Promise<void> {
    const { supervisor } = this.#o;
    const result = outcome.ok ? outcome.value.result : { error: outcome.error };
    const message: ToolMessage = {
      id: newId('m'),
      at: supervisor.clock.now(),
      role: 'tool',
      toolCallId: call.id,
      name: call.name,
      isError: !outcome.ok,
      result: advisory ? { ...result, advisory } : result,
    };
    const changes = outcome.ok ? outcome.value.changes : undefined;
    try {
      await supervisor.saveResult(this.#session, [message], changes);
    } finally {
      changes?.release();
    }
    this.#messages.push(message);
  }

  // ---- after the step ----

  async #suspend(wish: WaitRequest | undefined, fired: CommandId | null): Promise<TurnEvent> {
    const { supervisor } = this.#o;
    const isAsleep = wish && (await supervisor.suspendTurn(this.#session, wish, () => this.#hasNews()));
    if (isAsleep) return { type: 'suspended' };
    const hasMoved = this.#hasNews() || (fired !== null && supervisor.commands.hasEnded(fired));
    return { type: 'suspend_refused', hasMoved };
  }

  /** Where a handoff is not possible, a finite number of packets tell the model so. */
  async #diagnose(id: CommandId, packetsLeft: number): Promise<void> {
    const { supervisor } = this.#o;
    const packet: RuntimeMessage = {
      id: newId('m'),
      at: supervisor.clock.now(),
      role: 'runtime',
      kind: 'guard',
      text: `[System: ${id} is quiet and cannot be handed off. Stop polling it: do other work, stop it, or end the turn. ${packetsLeft} such notices are left before the turn is ended.]`,
      commandIds: [id],
      ends: [],
    };
    await this.#session.lock.run(() => supervisor.sessions.save(this.#session, { append: [packet] }));
  }
}

function withRequest(view: SessionView, spent: Spent | null): SessionView {
  const counted = { ...view, requests: view.requests + 1 };
  return spent ? { ...counted, spent: addSpent(view.spent ?? NOTHING_SPENT, spent) } : counted;
}

/** Without what is for people only: thinking and sums, and why an earlier request failed. */
function asSent(messages: readonly Message[]): Message[] {
  return messages.flatMap((message): Message[] => {
    if (message.role === 'runtime' && message.failure) return [];
    if (message.role !== 'assistant') return [message];
    const { reasoning: _, notes: _notes, spent: _spent, ...sent } = message;
    return [sent];
  });
}

function notRun(): Result<ToolSuccess, ToolError> {
  return {
    ok: true,
    value: { result: { status: 'not_run', note: 'The turn was stopped before this call.' } },
  };
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
