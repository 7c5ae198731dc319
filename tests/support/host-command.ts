import type { HostCommand } from '../../shared/protocol/host.ts';

/** A command as a host tells of it that was just started, but for what is named. */
export function hostCommand(changes: Partial<HostCommand> & Pick<HostCommand, 'id'>): HostCommand {
  return {
    owner: 's_0000000000000000',
    ownerName: 'terminal',
    cmd: 'sleep 9',
    cwd: '/',
    shell: '/bin/sh',
    tty: false,
    pid: 1,
    generation: 1,
    startedAt: 0,
    bytes: 0,
    lastOutputAt: null,
    tail: [],
    stopping: null,
    exit: null,
    descendants: [],
    gap: null,
    isBlocked: false,
    attention: null,
    ...changes,
  };
}
