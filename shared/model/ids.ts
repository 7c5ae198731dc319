import { z } from 'zod';

/** Ids are opaque, unguessable and safe as file names: a handle names its command's folder. */
export const SessionId = z.string().regex(/^s_[a-z0-9]{16}$/);
export type SessionId = z.infer<typeof SessionId>;

/** The opaque handle of a command; tools call it `session_id`. */
export const CommandId = z.string().regex(/^c_[a-z0-9]{16}$/);
export type CommandId = z.infer<typeof CommandId>;

export const MessageId = z.string().regex(/^m_[a-z0-9]{16}$/);
export type MessageId = z.infer<typeof MessageId>;
