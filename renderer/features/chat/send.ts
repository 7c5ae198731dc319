import { call } from '../../bridge/client.ts';
import { createSession } from '../sessions/session-actions.ts';

/** Sends a message of the user. Without a session one is made first. */
export async function sendMessage(sessionId: string | null, text: string): Promise<void> {
  await call('session.send', { sessionId: sessionId ?? (await createSession()), text });
}
