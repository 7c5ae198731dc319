import fs from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { Approval, ApprovalAnswer, ApprovalRule } from '../../../shared/model/approval.ts';
import type { ApprovalMode } from '../../../shared/model/approval-mode.ts';
import type { ToolCall } from '../../../shared/model/message.ts';
import { err, ok, type Result } from '../../../shared/model/result.ts';
import { isAsked, nextApprovals } from '../../supervisor/approval-machine.ts';
import { newId } from '../../supervisor/new-id.ts';
import type { Clock } from '../../supervisor/ports.ts';
import type { Session, Sessions } from '../../supervisor/sessions.ts';
import { type ToolError, toolError } from '../../supervisor/tool-error.ts';
import { marksOf } from './marks.ts';
import { isWithin, type Place } from './paths.ts';
import { coverOf, suggestRules } from './rules.ts';

/** What is needed of a call that starts a command. What is wrong with the rest its tool says best. */
const CommandInput = z.object({ cmd: z.string(), workdir: z.string().optional() });

/** Where rules are kept. They are added by a checkpoint, together with the answer that made them. */
export interface RuleStore {
  /** Rules of a workspace, oldest first. */
  approvalRules(workspace: string): Promise<ApprovalRule[]>;
  deleteApprovalRule(id: string): Promise<void>;
}

export interface ApprovalsOptions {
  readonly sessions: Sessions;
  readonly store: RuleStore;
  readonly clock: Clock;
  readonly home: string;
  /** The mode in force for a session, whenever a command is judged. */
  readonly modeOf: (session: Session) => ApprovalMode;
}

/** What a person decided in the window. */
export type Decision =
  | { readonly kind: 'once' | 'always' }
  | { readonly kind: 'refuse'; readonly reason: string };

/** Resolves when a call may run, or with what it is answered instead. */
export type Admit = (call: ToolCall) => Promise<Result<null, ToolError>>;

/** A command as it would run. */
interface Wanted {
  readonly cmd: string;
  readonly cwd: string;
}

/**
 * The one gate in front of the commands of agents. What has to be asked for is saved before anything of the step runs,
 * and waits without end: only a person's answer, or the end of the turn, takes it away.
 */
export class Approvals {
  readonly #o: ApprovalsOptions;
  /** Turns that wait, to be told that an answer is saved. */
  readonly #waiting = new Map<Session, Set<() => void>>();

  constructor(options: ApprovalsOptions) {
    this.#o = options;
  }

  /** Asks for those calls of a step that need it, in one save, and returns what admits each call of it. */
  async ask(session: Session, calls: readonly ToolCall[], signal: AbortSignal): Promise<Admit> {
    const mode = this.#o.modeOf(session);
    const asked = new Map<ToolCall, Wanted>();
    const fresh: Approval[] = [];
    for (const call of calls) {
      const wanted = wantedBy(call, session.view.workspace);
      if (wanted === null) continue;
      const isKnown = session.view.approvals.some((one) => isFor(one, call, wanted));
      const approval = isKnown ? null : await this.#judge(session, call, wanted, mode);
      if (isKnown || approval) asked.set(call, wanted);
      if (approval) fresh.push(approval);
    }
    if (fresh.length > 0) await this.#saveAsked(session, fresh);
    return (call) => this.#admit(session, call, asked.get(call), signal);
  }

  async #saveAsked(session: Session, fresh: readonly Approval[]): Promise<void> {
    await session.lock.run(async () => {
      const approvals = nextApprovals(session.view.approvals, { type: 'asked', approvals: fresh });
      await this.#o.sessions.save(session, {
        view: { ...session.view, approvals: [...approvals] },
        event: 'approval.requested',
      });
    });
  }

  /** What to ask, or null when the command may run. */
  async #judge(
    session: Session,
    call: ToolCall,
    wanted: Wanted,
    mode: ApprovalMode,
  ): Promise<Approval | null> {
    if (mode === 'free') return null;
    const place = await this.#placeOf(session, wanted);
    const rules = mode === 'rules' ? await this.#o.store.approvalRules(session.view.workspace) : [];
    if (mode === 'rules' && (await isReallyCovered(rules, wanted.cmd, place))) return null;
    return {
      toolCallId: call.id,
      ...wanted,
      marks: marksOf(wanted.cmd, place),
      mode,
      suggestion: mode === 'rules' ? suggestRules(rules, wanted.cmd, place) : [],
      askedAt: this.#o.clock.now(),
      answer: null,
    };
  }

  async #placeOf(session: Session, { cwd }: Wanted): Promise<Place> {
    const [workspace, folder, home] = await Promise.all(
      [session.view.workspace, cwd, this.#o.home].map(realPath),
    );
    return { workspace: workspace ?? session.view.workspace, cwd: folder ?? cwd, home: home ?? this.#o.home };
  }

  async #admit(
    session: Session,
    call: ToolCall,
    wanted: Wanted | undefined,
    signal: AbortSignal,
  ): Promise<Result<null, ToolError>> {
    if (!wanted) return ok(null);
    for (;;) {
      const approval = session.view.approvals.find(({ toolCallId }) => toolCallId === call.id);
      // Another call of this step has the same id: the answer was for that one.
      if (!approval || !isFor(approval, call, wanted))
        return err(
          toolError('awaiting_approval_denied', 'Two calls had the same id, so this one was not run.'),
        );
      if (approval.answer) return verdict(approval.answer);
      if (signal.aborted)
        return err(
          toolError(
            'awaiting_approval_denied',
            'The turn was stopped before this command was allowed. It was not run.',
          ),
        );
      await this.#answered(session, signal);
    }
  }

  #answered(session: Session, signal: AbortSignal): Promise<void> {
    const waiting = this.#waiting.get(session) ?? new Set();
    this.#waiting.set(session, waiting);
    return new Promise((resolve) => {
      const done = () => {
        signal.removeEventListener('abort', done);
        waiting.delete(done);
        resolve();
      };
      signal.addEventListener('abort', done);
      waiting.add(done);
    });
  }

  /**
   * Takes a person's answer: saved, with the rules that it makes, before the turn goes on. False when it is not asked
   * any more.
   */
  async answer(session: Session, toolCallId: string, decision: Decision): Promise<boolean> {
    const isTaken = await session.lock.run(async () => {
      const { approvals, workspace } = session.view;
      const approval = approvals.find((one) => one.toolCallId === toolCallId && isAsked(one));
      const isAlways = decision.kind === 'always';
      if (!approval || !session.turn || (isAlways && approval.suggestion.length === 0)) return false;
      const rules = isAlways ? this.#rulesOf(approval, workspace) : [];
      const answer: ApprovalAnswer =
        decision.kind === 'refuse' ? { kind: 'refuse', reason: decision.reason } : { kind: 'allow' };
      const alike = isAlways ? await this.#nowCovered(session, rules) : [];
      const next = nextApprovals(approvals, {
        type: 'answered',
        toolCallIds: [toolCallId, ...alike],
        answer,
      });
      await this.#o.sessions.save(session, {
        view: { ...session.view, approvals: [...next] },
        event: 'approval.settled',
        rules,
      });
      return true;
    });
    if (isTaken) for (const wake of [...(this.#waiting.get(session) ?? [])]) wake();
    return isTaken;
  }

  #rulesOf({ suggestion }: Approval, workspace: string): ApprovalRule[] {
    const createdAt = this.#o.clock.now();
    return suggestion.map((words) => ({ ...words, id: newId('r'), workspace, createdAt }));
  }

  /** Others that are asked for just now, and that new rules cover. */
  async #nowCovered(session: Session, added: readonly ApprovalRule[]): Promise<string[]> {
    if (added.length === 0) return [];
    const rules = [...(await this.#o.store.approvalRules(session.view.workspace)), ...added];
    const covered: string[] = [];
    for (const one of session.view.approvals) {
      if (!isAsked(one) || one.mode !== 'rules') continue;
      if (await isReallyCovered(rules, one.cmd, await this.#placeOf(session, one)))
        covered.push(one.toolCallId);
    }
    return covered;
  }

  /** Rules of a workspace, oldest first. */
  rules(workspace: string): Promise<ApprovalRule[]> {
    return this.#o.store.approvalRules(workspace);
  }

  /** Takes a rule away. What it covered is asked for from then on. */
  deleteRule(id: string): Promise<void> {
    return this.#o.store.deleteApprovalRule(id);
  }
}

function wantedBy(call: ToolCall, workspace: string): Wanted | null {
  if (call.name !== 'exec_command') return null;
  const input = CommandInput.safeParse(call.input);
  if (!input.success) return null;
  return { cmd: input.data.cmd, cwd: path.resolve(workspace, input.data.workdir ?? '.') };
}

const isFor = (approval: Approval, call: ToolCall, wanted: Wanted): boolean =>
  approval.toolCallId === call.id && approval.cmd === wanted.cmd && approval.cwd === wanted.cwd;

function verdict(answer: ApprovalAnswer): Result<null, ToolError> {
  if (answer.kind === 'allow') return ok(null);
  const message =
    answer.reason === ''
      ? 'Refused by the user, and not run. No reason was given: ask before you try something else.'
      : `Refused by the user, and not run. The reason given: ${answer.reason}`;
  return err(toolError('awaiting_approval_denied', message));
}

/** Covered by the text, and the paths lead where the text says when links are followed. */
async function isReallyCovered(rules: readonly ApprovalRule[], cmd: string, place: Place): Promise<boolean> {
  const cover = coverOf(rules, cmd, place);
  if (cover === null) return false;
  const real = await Promise.all(cover.paths.map(realPath));
  return real.every((file) => file !== null && isWithin(place.workspace, file));
}

/** The path with its links followed as far as it exists. Null when that cannot be told. */
async function realPath(file: string): Promise<string | null> {
  try {
    return await fs.realpath(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return null;
    // A dangling link would be written through.
    const isThere = await fs.lstat(file).then(
      () => true,
      () => false,
    );
    const parent = path.dirname(file);
    if (isThere || parent === file) return null;
    const folder = await realPath(parent);
    return folder === null ? null : path.join(folder, path.basename(file));
  }
}
