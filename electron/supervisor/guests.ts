import { SessionId } from '../../shared/model/ids.ts';
import type { SessionView } from '../../shared/model/session.ts';
import type { HostCommand } from '../../shared/protocol/host.ts';
import type { Commands } from './commands.ts';
import type { CommandRecord } from './records.ts';
import type { Sessions } from './sessions.ts';

/** Provider of sessions that another program drives: an MCP client. */
export const GUEST_PROVIDER = 'mcp';

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

  /** Takes up a command of another program, unless it is known or nothing of it is alive. */
  take(command: HostCommand): void {
    const { sessions, commands, log } = this.#o;
    const owner = SessionId.safeParse(command.owner);
    const isOver = command.exit !== null && command.descendants.length === 0;
    if (!owner.success || isOver || commands.isKnown(command.id)) return;
    // Before anything is saved: no event of the command may come before its record.
    const session = sessions.get(owner.data) ?? sessions.adopt(sessionOf(command), []);
    commands.adopt(recordOf(command));
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
    title: command.ownerName.trim() || 'MCP client',
    workspace: command.cwd,
    provider: GUEST_PROVIDER,
    createdAt: command.startedAt,
    updatedAt: command.startedAt,
    status: 'idle',
    reason: null,
    wait: null,
    waitCount: 0,
    requests: 0,
  };
}

function recordOf(command: HostCommand): CommandRecord {
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
    // Its own program is told of the end, and keeps it: nothing is pending here, now or after a restart.
    isEndRead: true,
    isEndSaved: true,
    artifact: null,
    isUnawaited: true,
  };
}
