import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import type { ArtifactError, ArtifactRef } from '../../shared/model/artifact.ts';
import { CommandId, SessionId } from '../../shared/model/ids.ts';
import type { LogPart } from '../../shared/model/log-part.ts';
import { err, ok, type Result } from '../../shared/model/result.ts';
import type { ArtifactStore } from '../supervisor/ports.ts';

/** Names that are tried before it is given up: a collision of two is already unheard of. */
const ATTEMPTS = 32;
const PIECE_BYTES = 256 * 1024;

/**
 * Keeps complete outputs as files below `folder`, one folder a session: made anew, never over another file and never
 * through a link, on the disk before the reference is given out.
 *
 * @param readLog bytes of [from, to) of a command's log, up to a gap or from behind it
 */
export function artifactFiles(
  folder: string,
  readLog: (id: CommandId, from: number, to: number) => Promise<LogPart>,
): ArtifactStore {
  return {
    persist: async ({ sessionId, commandId, bytes }) => {
      if (!SessionId.safeParse(sessionId).success || !CommandId.safeParse(commandId).success) {
        return pathInvalid('its names are not those of a session and a command');
      }
      const own = path.join(folder, sessionId);
      try {
        await fs.mkdir(own, { recursive: true, mode: 0o700 });
        // A link in the place of the folder would lead the file elsewhere.
        if (!(await fs.lstat(own)).isDirectory()) return pathInvalid('its folder is not a folder');
        return await writeNew(own, commandId, bytes, readLog);
      } catch (error) {
        return failed(error);
      }
    },
  };
}

async function writeNew(
  folder: string,
  commandId: CommandId,
  bytes: number,
  readLog: (id: CommandId, from: number, to: number) => Promise<LogPart>,
): Promise<Result<ArtifactRef, ArtifactError>> {
  const temporary = path.join(folder, `.${commandId}-${randomBytes(8).toString('hex')}.part`);
  try {
    const { size, sha256 } = await copy(temporary, commandId, bytes, readLog);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const file = path.join(folder, `${commandId}-${randomBytes(4).toString('hex')}.log`);
      try {
        // A link fails where a name is taken; a rename would replace what is there.
        await fs.link(temporary, file);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
        throw error;
      }
      await syncFolder(folder);
      return ok({
        path: file.replaceAll('\\', '/'),
        media_type: 'text/plain',
        encoding: 'utf-8',
        size_bytes: size,
        sha256,
      });
    }
    return pathInvalid(`${ATTEMPTS} names were taken`);
  } finally {
    await fs.rm(temporary, { force: true });
  }
}

async function copy(
  file: string,
  commandId: CommandId,
  bytes: number,
  readLog: (id: CommandId, from: number, to: number) => Promise<LogPart>,
): Promise<{ size: number; sha256: string }> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  const handle = await fs.open(file, flags, 0o600);
  const hash = createHash('sha256');
  let size = 0;
  const add = async (piece: Uint8Array) => {
    hash.update(piece);
    await handle.writeFile(piece);
    size += piece.length;
  };
  try {
    for (let at = 0; at < bytes; ) {
      const part = await readLog(commandId, at, Math.min(bytes, at + PIECE_BYTES));
      if (part.bytes.length === 0 && part.from === at) break;
      if (part.from > at) await add(gapNotice(part.from - at));
      await add(part.bytes);
      at = part.from + part.bytes.length;
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { size, sha256: hash.digest('hex') };
}

/** What stands in the file for bytes that the log did not keep. */
function gapNotice(bytes: number): Uint8Array {
  return new TextEncoder().encode(`\n[${bytes} bytes of output are not kept]\n`);
}

/** The new name is durable only with its folder. Where folders cannot be opened (Windows) there is nothing to do. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await fs.open(folder, 'r').catch(() => null);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

const pathInvalid = (why: string): Result<never, ArtifactError> =>
  err({ code: 'artifact_path_invalid', message: `The complete output could not be kept as a file: ${why}.` });

function failed(error: unknown): Result<never, ArtifactError> {
  const reason = (error as NodeJS.ErrnoException).code ?? String(error);
  return err({
    code: 'artifact_persist_failed',
    message: `The complete output could not be kept as a file (${reason}). It stays in the log, and the next read tries again.`,
  });
}
