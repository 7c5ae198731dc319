import { z } from 'zod';

/** What a person should see before they allow a command, beside its text. */
export const ApprovalMark = z.object({
  kind: z.enum([
    'deletes_outside',
    'changes_user',
    'kills_by_name',
    'opens_shell',
    'writes_outside',
    'rewrites_remote',
  ]),
  /** A plain sentence. */
  text: z.string(),
});
export type ApprovalMark = z.infer<typeof ApprovalMark>;

/** Which commands need no question: those whose words begin with these, or are exactly these. */
export const RuleWords = z.object({ words: z.array(z.string()).min(1), isExact: z.boolean() });
export type RuleWords = z.infer<typeof RuleWords>;

export const RuleId = z.string().regex(/^r_[a-z0-9]{16}$/);

/** A rule of one workspace. It covers commands that run in that folder or below it. */
export const ApprovalRule = RuleWords.extend({
  id: RuleId,
  workspace: z.string(),
  createdAt: z.number(),
});
export type ApprovalRule = z.infer<typeof ApprovalRule>;

/** What a person said. Only a person answers: nothing that the runtime does counts as a yes. */
export const ApprovalAnswer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('allow') }),
  /** Empty when no reason was given. */
  z.object({ kind: z.literal('refuse'), reason: z.string() }),
]);
export type ApprovalAnswer = z.infer<typeof ApprovalAnswer>;

/** A command that an agent wants to run, and that a person is asked about. It is kept until the call has its result. */
export const Approval = z.object({
  toolCallId: z.string(),
  cmd: z.string(),
  cwd: z.string(),
  marks: z.array(ApprovalMark),
  /** Why it is asked for: every command is, or no rule covers it. */
  mode: z.enum(['ask', 'rules']),
  /** Rules that would cover it, for "Always allow"; empty when none should. */
  suggestion: z.array(RuleWords),
  askedAt: z.number(),
  /** Null while it is asked. */
  answer: ApprovalAnswer.nullable(),
});
export type Approval = z.infer<typeof Approval>;
