import { z } from 'zod';
import { CommandId, SessionId } from './ids.ts';

/** The durable record that a session sleeps until commands end. */
export const Wait = z.object({
  /** Counts the waits of a session: only the wait that a completion was meant for is cleared by it. */
  generation: z.number().int().positive(),
  commandIds: z.array(CommandId).min(1),
  registeredAt: z.number(),
  /** Bounds the wait, never the command. */
  leaseUntil: z.number(),
  /** The session's count of requests when the wait began: what was spent meanwhile can be told. */
  requestsAt: z.number().int().nonnegative(),
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
});
export type SessionView = z.infer<typeof SessionView>;
