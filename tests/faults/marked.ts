import fs from 'node:fs';
import { MARKER_VARIABLE } from '../../shared/protocol/host.ts';
import { startTime } from '../support/host.ts';

/** Processes that carry the mark of a command, by its id. Zombies do not count. */
export function marked(): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const pid of fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    let env = '';
    try {
      env = fs.readFileSync(`/proc/${pid}/environ`, 'latin1');
    } catch {
      continue; // it has just ended, or is a stranger's
    }
    const id = new RegExp(`(?:^|\\0)${MARKER_VARIABLE}=(c_[a-z0-9]+)-`).exec(env)?.[1];
    if (id !== undefined && startTime(Number(pid)) !== null)
      found.set(id, [...(found.get(id) ?? []), Number(pid)]);
  }
  return found;
}
