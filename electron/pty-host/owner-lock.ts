import fs from 'node:fs';
import path from 'node:path';
import { bootId } from './boot-id.ts';
import { ownIdentity } from './host-identity.ts';
import { isAlive } from './process-table.ts';
import { errnoOf } from './system-names.ts';

/**
 * Makes one host the only one of its version in a folder. The lock is a folder with one file in it whose name is the owner's identity.
 * It is taken by a rename, which succeeds only while there is none or an empty one, and broken by removing exactly the
 * file of an owner that was seen dead: two that break it at once cannot remove each other's.
 */
export class OwnerLock {
  readonly #file: string;

  private constructor(file: string) {
    this.#file = file;
  }

  /** Takes the folder `lock`. Null when a living process has it. Rejects with the system's error. */
  static async acquire(lock: string): Promise<OwnerLock | null> {
    const name = await ownName();
    const fresh = `${lock}.${process.pid}`;
    fs.rmSync(fresh, { recursive: true, force: true });
    fs.mkdirSync(fresh, { mode: 0o700 });
    fs.writeFileSync(path.join(fresh, name), '', { mode: 0o600 });
    for (;;) {
      try {
        fs.renameSync(fresh, lock);
        return new OwnerLock(path.join(lock, name));
      } catch (error) {
        const errno = errnoOf(error);
        if (errno !== 'ENOTEMPTY' && errno !== 'EEXIST') throw error;
      }
      for (const owner of ownersIn(lock)) {
        if (await isLiving(owner)) {
          fs.rmSync(fresh, { recursive: true, force: true });
          return null;
        }
        fs.rmSync(path.join(lock, owner), { force: true });
      }
    }
  }

  release(): void {
    fs.rmSync(this.#file, { force: true });
    try {
      fs.rmdirSync(path.dirname(this.#file)); // only while it is empty: nobody has it
    } catch {
      // Another one has taken it.
    }
  }
}

async function ownName(): Promise<string> {
  const { pid, startTime } = await ownIdentity();
  return `${pid}_${startTime}_${bootId ?? ''}`;
}

/** Nobody, when it was just released. */
function ownersIn(lock: string): string[] {
  try {
    return fs.readdirSync(lock);
  } catch {
    return [];
  }
}

async function isLiving(owner: string): Promise<boolean> {
  const [pid, startTime, boot] = owner.split('_');
  if (boot !== (bootId ?? '')) return false;
  return isAlive({ pid: Number(pid), startTime: Number(startTime) });
}
