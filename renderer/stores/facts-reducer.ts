import type { CommandView } from '../../shared/model/command.ts';
import type { AppEvent, Snapshot } from '../../shared/model/event.ts';
import { unreachable } from '../../shared/model/result.ts';
import type { SessionView } from '../../shared/model/session.ts';
import type { Settings } from '../../shared/model/settings.ts';
import type { UpdateState } from '../../shared/model/update.ts';

/** What main has told: small facts keyed by id. Never output, never a terminal. */
export interface Facts {
  readonly sessions: Readonly<Record<string, SessionView>>;
  readonly commands: Readonly<Record<string, CommandView>>;
  readonly settings: Settings;
  readonly update: UpdateState;
  readonly app: Snapshot['app'];
  /** The last change of the pty host that a person should know of; null when there is none. */
  readonly host: { readonly isConnected: boolean; readonly message: string } | null;
}

const byId = <T extends { id: string }>(items: readonly T[]): Record<string, T> =>
  Object.fromEntries(items.map((item) => [item.id, item]));

/** The facts of a snapshot. */
export function factsOf(snapshot: Snapshot): Facts {
  return {
    sessions: byId(snapshot.sessions),
    commands: byId(snapshot.commands),
    settings: snapshot.settings,
    update: snapshot.update,
    app: snapshot.app,
    host: null,
  };
}

const withSession = (facts: Facts, session: SessionView): Facts => ({
  ...facts,
  sessions: { ...facts.sessions, [session.id]: session },
});

const withCommand = (facts: Facts, command: CommandView): Facts => ({
  ...facts,
  commands: { ...facts.commands, [command.id]: command },
});

/** The facts after one event. Pure; gives the same object when nothing changed. */
export function reduceFacts(facts: Facts, event: AppEvent): Facts {
  switch (event.type) {
    case 'session.changed':
    case 'session.suspended':
    case 'session.resumed':
    case 'approval.requested':
    case 'approval.settled':
      return withSession(facts, event.session);
    case 'command.started':
    case 'command.yielded':
    case 'command.detached':
    case 'command.handed_off':
    case 'command.changed':
    case 'command.terminal':
      return withCommand(facts, event.command);
    case 'command.progress': {
      const command = facts.commands[event.id];
      if (command === undefined) return facts;
      const { outputBytes, lastOutputAt } = event;
      return withCommand(facts, { ...command, outputBytes, lastOutputAt, tail: event.tail ?? command.tail });
    }
    case 'commands.cleared': {
      const commands = { ...facts.commands };
      for (const id of event.ids) {
        const command = commands[id];
        if (command !== undefined) commands[id] = { ...command, isCleared: true };
      }
      return { ...facts, commands };
    }
    case 'settings.changed':
      return { ...facts, settings: event.settings };
    case 'update.changed':
      return { ...facts, update: event.update };
    case 'host.changed':
      return { ...facts, host: { isConnected: event.isConnected, message: event.message } };
    case 'message.appended':
    case 'message.streaming':
    case 'session.chosen':
    case 'notice.raised':
      return facts;
    default:
      return unreachable(event);
  }
}
