import type { CallError, CallErrorCode } from '../../shared/contract/calls.ts';
import { isTerminal } from '../../shared/model/command.ts';
import type { NumberedEvent, Snapshot } from '../../shared/model/event.ts';
import type { SessionId } from '../../shared/model/ids.ts';
import { err, ok, type Result } from '../../shared/model/result.ts';
import type { Settings, Theme } from '../../shared/model/settings.ts';
import type { UpdateState } from '../../shared/model/update.ts';
import type { Session } from '../supervisor/sessions.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import { type ApprovalDesk, createApprovalHandlers } from './approval-handlers.ts';
import type { Handlers } from './bind-calls.ts';
import type { EventHub } from './event-hub.ts';
import { createModelHandlers, type ModelDesk } from './model-handlers.ts';

/** A page that calls: events go back to it. */
export interface Page {
  readonly sendEvent: (event: NumberedEvent) => void;
}

/** What the handlers need of the system, and Electron does. */
export interface Desktop {
  readonly app: Snapshot['app'];
  readonly settings: () => Settings;
  /** What was found at the start of the app. */
  readonly notices: () => readonly string[];
  /** The session that is to be shown, once. */
  readonly takeChosen: () => SessionId | null;
  readonly updates: {
    readonly state: () => UpdateState;
    readonly check: () => Promise<UpdateState>;
    /** Takes the road out of the app. */
    readonly restart: () => void;
  };
  readonly setTheme: (theme: Theme) => Promise<Settings>;
  readonly models: ModelDesk;
  readonly approvals: ApprovalDesk;
  /** Null when the dialog was cancelled. */
  readonly chooseFolder: () => Promise<string | null>;
  readonly isFolder: (path: string) => Promise<boolean>;
  /** Shows a command's log in the file manager. */
  readonly showLog: (commandId: string) => void;
  /** False when the link is none that may be opened, or could not be. */
  readonly openLink: (url: string) => Promise<boolean>;
}

const fail = (code: CallErrorCode, message: string): Result<never, CallError> => err({ code, message });

/** What each call of the contract does, over the supervisor. */
export function createHandlers<S extends object>(
  supervisor: Supervisor,
  hub: EventHub,
  desktop: Desktop,
  pageOf: (sender: S) => Page,
): Handlers<S> {
  const withSession = async <T>(
    id: string,
    use: (session: Session) => Promise<T>,
  ): Promise<Result<T, CallError>> => {
    const session = supervisor.session(id);
    return session ? ok(await use(session)) : fail('unknown_session', 'There is no such session any more.');
  };

  return {
    ...createModelHandlers<S>(supervisor, desktop.models),
    ...createApprovalHandlers<S>(supervisor, desktop.approvals),
    'events.subscribe': (_input, sender) => {
      const page = pageOf(sender);
      const snapshot = (seq: number): Snapshot => ({
        seq,
        ...supervisor.views(),
        settings: desktop.settings(),
        update: desktop.updates.state(),
        notices: [...desktop.notices()],
        chosen: desktop.takeChosen(),
        app: desktop.app,
      });
      return ok(hub.subscribe(sender, page.sendEvent, snapshot));
    },
    'session.create': async ({ workspace = desktop.app.home }) => {
      if (!(await desktop.isFolder(workspace)))
        return fail('workdir_missing', `${workspace} is not a folder. Choose another one.`);
      return ok(await supervisor.createSession(workspace));
    },
    'session.rename': ({ sessionId, title }) =>
      withSession(sessionId, async (session) => {
        await supervisor.rename(session, title);
        return null;
      }),
    'session.messages': ({ sessionId, before, limit }) =>
      withSession(sessionId, async (session) => {
        const page = await supervisor.sessions.messages(sessionId, limit, before);
        return { ...page, streaming: session.streaming };
      }),
    'session.send': ({ sessionId, text }) =>
      withSession(sessionId, async (session) => ({ messageId: (await supervisor.send(session, text)).id })),
    'session.stopTurn': ({ sessionId }) =>
      withSession(sessionId, async (session) => {
        supervisor.stopTurn(session);
        return null;
      }),
    'session.stopWaiting': ({ sessionId }) =>
      withSession(sessionId, async (session) => {
        await supervisor.stopWaiting(session);
        return null;
      }),
    'command.detach': ({ commandId }) => {
      if (!supervisor.commands.record(commandId)) return unknownCommand();
      return ok({ isDetached: supervisor.detach(commandId) });
    },
    'command.stop': async ({ commandId }) => {
      const record = supervisor.commands.record(commandId);
      if (!record) return unknownCommand();
      if (isTerminal(record.state) && record.descendants.length === 0) return ok(null);
      const asked = await supervisor.commands.stop(commandId, 'user');
      return asked.ok ? ok(null) : fail('host_unavailable', asked.error.message);
    },
    'commands.stopAll': async () => ok({ count: await supervisor.stopAll() }),
    'commands.clearFinished': async () => ok({ count: (await supervisor.clearFinished()).length }),
    'command.showLog': ({ commandId }) => {
      if (!supervisor.commands.record(commandId)) return unknownCommand();
      desktop.showLog(commandId);
      return ok(null);
    },
    'settings.setTheme': async ({ theme }) => {
      const settings = await desktop.setTheme(theme);
      hub.publish({ type: 'settings.changed', settings });
      return ok(settings);
    },
    'updates.check': async () => ok(await desktop.updates.check()),
    'updates.restart': () => {
      desktop.updates.restart();
      return ok(null);
    },
    'workspace.choose': async () => ok(await desktop.chooseFolder()),
    'link.open': async ({ url }) =>
      (await desktop.openLink(url))
        ? ok(null)
        : fail('invalid_input', 'url: only http, https and mailto links can be opened'),
  };
}

const unknownCommand = () => fail('unknown_command', 'There is no such command any more.');
