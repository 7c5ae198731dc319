import { GUEST_PROVIDER } from '../../shared/model/guest-provider.ts';
import { SessionId } from '../../shared/model/ids.ts';
import type { SessionView } from '../../shared/model/session.ts';
import type { HostCommand } from '../../shared/protocol/host.ts';
import type { Commands } from './commands.ts';
import type { CommandRecord } from './records.ts';
import type { Sessions } from './sessions.ts';

export interface GuestsOptions {
  readonly sessions: Sessions;
  readonly commands: Commands;
  readonly log: (message: string) => void;
}

/**
 * Commands that other programs run on the same host: they are shown and can be stopped like any other, under the
 * session that owns them. What they come to is told to their own program, and wakes nothing here.
 */
export class Guests {
  readonly #o: GuestsOptions;

  constructor(options: GuestsOptions) {
    this.#o = options;
  }

  /**
   * Takes up a command that is not known: of another program, while anything of it is alive; or of one of our own
   * sessions, when the app ended between its start and the save. The latter is told to its session like any other.
   */
  take(command: HostCommand): void {
    const { sessions, commands, log } = this.#o;
    const owner = SessionId.safeParse(command.owner);
    if (!owner.success || commands.isKnown(command.id)) return;
    const known = sessions.get(owner.data);
    const isOwn = known !== undefined && known.view.provider !== GUEST_PROVIDER;
    const isOver = command.exit !== null && command.descendants.length === 0;
    if (isOver && !isOwn) return;
    // Before anything is saved: no event of the command may come before its record.
    const session = known ?? sessions.adopt(sessionOf(command), []);
    commands.adopt(recordOf(command, isOwn));
    if (command.exit) commands.noteExit(command.id, command.exit, command.tail);
    session.lock
      .run(async () => {
        const record = commands.record(command.id);
        await sessions.save(session, { view: session.view, commands: record ? [record] : [] });
        commands.tellStarted(command.id);
      })
      .catch((error) => log(`${command.id} of ${command.ownerName} could not be saved: ${String(error)}`));
  }
}

function sessionOf(command: HostCommand): SessionView {
  return {
    id: command.owner,
    title: command.ownerName.trim() || 'Another program',
    workspace: command.cwd,
    provider: GUEST_PROVIDER,
    createdAt: command.startedAt,
    updatedAt: command.startedAt,
    status: 'idle',
    reason: null,
    wait: null,
    waitCount: 0,
    requests: 0,
    approvals: [],
  };
}

function recordOf(command: HostCommand, isOwn: boolean): CommandRecord {
  return {
    id: command.id,
    sessionId: command.owner,
    toolCallId: '',
    cmd: command.cmd,
    cwd: command.cwd,
    shell: command.shell,
    tty: command.tty,
    state: command.stopping ? 'stopping' : 'running',
    // No chat of ours waits for it.
    placement: 'background',
    exitCode: null,
    signal: null,
    by: command.stopping,
    startedAt: command.startedAt,
    endedAt: null,
    lastOutputAt: command.lastOutputAt,
    outputBytes: command.bytes,
    tail: command.tail,
    pid: command.pid,
    generation: command.generation,
    descendants: command.descendants,
    gap: command.gap,
    isCleared: false,
    cursor: 0,
    hasYielded: true,
    // Another program is told of the end by itself, and keeps it: nothing is pending here, now or after a restart.
    isEndRead: !isOwn,
    isEndSaved: !isOwn,
    artifact: null,
    isUnawaited: !isOwn,
  };
}
