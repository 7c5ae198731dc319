import { focusRegion } from '../../app/regions.ts';
import { call } from '../../bridge/client.ts';
import { useFacts } from '../../stores/facts.ts';
import { attempt } from '../../stores/notices.ts';
import { useView } from '../../stores/view.ts';

/** Makes a session and opens it. The answer is shown at once; its event follows. */
export async function createSession(workspace?: string): Promise<string> {
  const session = await call('session.create', workspace === undefined ? {} : { workspace });
  const facts = useFacts.getState();
  if (facts.sessions[session.id] === undefined) facts.apply([{ type: 'session.changed', session }]);
  useView.getState().openSession(session.id);
  return session.id;
}

/** The button and the shortcut. The new session is where the open one is. */
export const newSession = (): void => {
  const { openSessionId } = useView.getState();
  const open = openSessionId === null ? undefined : useFacts.getState().sessions[openSessionId];
  void attempt(() => createSession(open?.workspace)).then(focusChat);
};

/** What is written next belongs to the new session. Its composer is there with the next frame. */
const focusChat = (): void => void requestAnimationFrame(() => focusRegion('Chat'));

/** Asks for a folder and makes a session in it. */
export const newSessionInFolder = (): void =>
  void attempt(async () => {
    const workspace = await call('workspace.choose', {});
    if (workspace === null) return;
    await createSession(workspace);
    focusChat();
  });

/** Gives a session another title. */
export const renameSession = (sessionId: string, title: string): void =>
  void attempt(() => call('session.rename', { sessionId, title }));
