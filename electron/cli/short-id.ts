import type { CommandId } from '../../shared/model/ids.ts';

const PREFIX = 'c_';
/** Shorter ones would soon be taken by another command. */
const SHORTEST = 4;

/** For each id the shortest beginning that no other of them has; without the prefix that all have. */
export function shortIds(ids: readonly CommandId[]): Map<CommandId, string> {
  return new Map(ids.map((id) => [id, shortest(id, ids)]));
}

function shortest(id: CommandId, ids: readonly CommandId[]): string {
  const bare = id.slice(PREFIX.length);
  for (let length = SHORTEST; length < bare.length; length++) {
    const isShared = ids.some((other) => other !== id && other.startsWith(PREFIX + bare.slice(0, length)));
    if (!isShared) return bare.slice(0, length);
  }
  return bare;
}

/** The ids that begin as a person wrote, with or without the prefix. One: it is meant. */
export function idsThatBegin(written: string, ids: readonly CommandId[]): CommandId[] {
  const bare = written.startsWith(PREFIX) ? written.slice(PREFIX.length) : written;
  return bare === '' ? [] : ids.filter((id) => id.startsWith(PREFIX + bare));
}
