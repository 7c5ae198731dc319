import fs from 'node:fs';

function read(): string | null {
  try {
    return fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return null;
  }
}

/** Names this run of the system: pids and start times of another one mean nothing. Null where there is no such name. */
export const bootId = read();
