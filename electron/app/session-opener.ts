import { GUEST_PROVIDER } from '../../shared/model/guest-provider.ts';
import type { SessionId } from '../../shared/model/ids.ts';
import type { Session } from '../supervisor/sessions.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import type { StartRequest } from './start-request.ts';

export interface SessionOpenerOptions {
  readonly supervisor: Supervisor;
  /** Folder of a new session when none is named. */
  readonly home: string;
  readonly isFolder: (path: string) => Promise<boolean>;
  /** Has the page show a session, once it has asked for the first time. */
  readonly show: (id: SessionId) => void;
  /** Tells the person, in the window. */
  readonly report: (sentence: string) => void;
  readonly log: (line: string) => void;
}

/** Does what starts of the app ask for, one after the other: of two at the same time the second sees what the first made. */
export class SessionOpener {
  readonly #o: SessionOpenerOptions;
  #last: Promise<void> = Promise.resolve();
  /** Of a start whose page is not there yet. */
  #chosen: SessionId | null = null;
  #isPageThere = false;

  constructor(options: SessionOpenerOptions) {
    this.#o = options;
  }

  /** Resolves when the session is to be shown, or when it was said why none is. */
  open(request: StartRequest): Promise<void> {
    const { log, report } = this.#o;
    this.#last = this.#last
      .then(() => this.#open(request))
      .catch((error: unknown) => {
        log(`a session could not be opened: ${String(error)}`);
        report('The session could not be opened, since it could not be saved.');
      });
    return this.#last;
  }

  /** The page is there, and asks which session was chosen before; null: none. Later ones it is told. */
  takeChosen(): SessionId | null {
    const chosen = this.#chosen;
    this.#chosen = null;
    this.#isPageThere = true;
    return chosen;
  }

  async #open({ folder, isNew }: StartRequest): Promise<void> {
    const { supervisor, home, isFolder, report } = this.#o;
    if (folder === null && !isNew) return;
    const workspace = folder ?? home;
    if (!(await isFolder(workspace))) {
      report(`${workspace} is not a folder, so no session was opened there.`);
      return;
    }
    const unused = isNew ? undefined : await this.#unused(workspace);
    this.#show(unused?.view.id ?? (await supervisor.createSession(workspace)).id);
  }

  #show(id: SessionId): void {
    if (this.#isPageThere) this.#o.show(id);
    else this.#chosen = id;
  }

  /** The newest session of the folder that nothing was said in, so that opening a folder again makes no other one. */
  async #unused(workspace: string): Promise<Session | undefined> {
    const { sessions } = this.#o.supervisor;
    const candidates = sessions
      .all()
      .filter(({ view, turn }) => view.workspace === workspace && view.provider !== GUEST_PROVIDER && !turn)
      .sort((a, b) => b.view.createdAt - a.view.createdAt);
    for (const session of candidates) {
      const { messages } = await sessions.messages(session.view.id, 1);
      if (messages.length === 0 && session.view.status === 'idle') return session;
    }
    return undefined;
  }
}
