import { z } from 'zod';
import { Approval } from './approval.ts';
import { CommandId, SessionId } from './ids.ts';
import { Spent } from './usage.ts';

/** What a wait is for. A match looks at the output from `from` on, a byte offset for each command. */
export const WaitUntil = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('exit') }),
  z.object({ kind: z.literal('match'), pattern: z.string(), from: z.record(CommandId, z.number()) }),
  z.object({ kind: z.literal('port'), port: z.number().int() }),
]);
export type WaitUntil = z.infer<typeof WaitUntil>;

/** The durable record that a session sleeps until commands end, or until one of them does what it waits for. */
export const Wait = z.object({
  /** Counts the waits of a session: only the wait that a completion was meant for is cleared by it. */
  generation: z.number().int().positive(),
  commandIds: z.array(CommandId).min(1),
  until: WaitUntil.default({ kind: 'exit' }),
  /** The agent's own limit; it is then told that the command runs on. */
  deadlineAt: z.number().nullable().default(null),
  registeredAt: z.number(),
  /** Bounds the wait, never the command. */
  leaseUntil: z.number(),
});
export type Wait = z.infer<typeof Wait>;

export const SessionStatus = z.enum(['idle', 'running', 'suspended']);
export type SessionStatus = z.infer<typeof SessionStatus>;

export const SessionView = z.object({
  id: SessionId,
  title: z.string(),
  workspace: z.string(),
  provider: z.string(),
  createdAt: z.number(),
  updatedAt: z.number(),
  status: SessionStatus,
  /** Why it is suspended. A user turn clears status and reason; the wait stays armed. */
  reason: z.literal('waiting_for_command').nullable(),
  wait: Wait.nullable(),
  /** Waits so far; the next wait's generation is one more. */
  waitCount: z.number().int().nonnegative(),
  /** Requests sent to the provider so far. */
  requests: z.number().int().nonnegative(),
  /** Commands that its agent wants to run and a person is asked about, in order, until their calls have results. */
  approvals: z.array(Approval).default([]),
  /** What its models have used; absent while none was asked. */
  spent: Spent.optional(),
});
export type SessionView = z.infer<typeof SessionView>;
