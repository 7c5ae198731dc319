import fs from 'node:fs';
import path from 'node:path';
import type { CommandId } from '../../shared/model/ids.ts';
import { CommandMeta, ExitRecord } from '../../shared/protocol/host.ts';
import { FixedRecord, readFixedRecord } from './fixed-record.ts';
import { commandFiles } from './host-paths.ts';

/** Room for 32 descendants and 32 survivors with eight ports each and names that need escaping (11 KB). */
const EXIT_RECORD_BYTES = 16 * 1024;
/** What the rewritten meta record may be longer than the first: pids, start time, boot id. */
const META_GROWTH_BYTES = 512;
const BLOCK_BYTES = 4_096;

/** The folder of a command that is being run, 0700 with files 0600. Its log is made by the output. */
export class CommandFolder {
  readonly script: string;
  readonly log: string;
  readonly #path: string;
  readonly #meta: FixedRecord;
  readonly #exit: FixedRecord;

  /**
   * Creates folder, script and records. Throws the system's error and leaves nothing when that fails, EEXIST when the
   * id was used before.
   */
  constructor(folder: string, meta: CommandMeta, cmd: string) {
    this.#path = commandFiles.folder(folder, meta.id);
    this.script = commandFiles.script(folder, meta.id);
    this.log = commandFiles.log(folder, meta.id);
    fs.mkdirSync(path.dirname(this.#path), { recursive: true, mode: 0o700 });
    fs.mkdirSync(this.#path, { mode: 0o700 });
    try {
      fs.writeFileSync(this.script, cmd, { flag: 'wx', mode: 0o600 });
      const size = Buffer.byteLength(JSON.stringify(meta)) + META_GROWTH_BYTES;
      const blocks = Math.ceil(size / BLOCK_BYTES);
      this.#meta = new FixedRecord(commandFiles.meta(folder, meta.id), blocks * BLOCK_BYTES);
      this.#meta.write(meta);
      this.#exit = new FixedRecord(commandFiles.exit(folder, meta.id), EXIT_RECORD_BYTES);
    } catch (error) {
      fs.rmSync(this.#path, { recursive: true, force: true });
      throw error;
    }
  }

  /** Rewrites the record that was written before the spawn, for the last time. */
  completeMeta(meta: CommandMeta): void {
    this.#meta.write(meta);
  }

  /** Resolves when the record is on the disk. */
  async saveExit(exit: ExitRecord): Promise<void> {
    this.#exit.write(exit);
    await this.#exit.sync();
  }

  close(): void {
    this.#meta.close();
    this.#exit.close();
  }

  /** Closes and removes everything: the command was not started. */
  remove(): void {
    this.close();
    fs.rmSync(this.#path, { recursive: true, force: true });
  }
}

/** A command of a former host, from its folder. */
export interface FormerCommand {
  readonly meta: CommandMeta;
  readonly cmd: string;
  /** Null: no host has seen its end. */
  readonly exit: ExitRecord | null;
  readonly logBytes: number;
  readonly lastOutputAt: number | null;
}

/** Null when there is no such folder, or nothing legible in it. */
export async function readFormerCommand(folder: string, id: CommandId): Promise<FormerCommand | null> {
  const meta = CommandMeta.safeParse(await readFixedRecord(commandFiles.meta(folder, id)));
  if (!meta.success) return null;
  const exit = ExitRecord.safeParse(await readFixedRecord(commandFiles.exit(folder, id)));
  const cmd = await fs.promises.readFile(commandFiles.script(folder, id), 'utf8').catch(() => '');
  const log = await fs.promises.stat(commandFiles.log(folder, id)).catch(() => null);
  return {
    meta: meta.data,
    cmd,
    exit: exit.success ? exit.data : null,
    logBytes: log?.size ?? 0,
    lastOutputAt: log === null || log.size === 0 ? null : Math.round(log.mtimeMs),
  };
}

/** Writes the exit record of a command whose host is gone, in place. Rejects with the system's error. */
export async function saveFormerExit(folder: string, exit: ExitRecord): Promise<void> {
  const text = JSON.stringify(exit);
  const file = await fs.promises.open(
    commandFiles.exit(folder, exit.id),
    fs.constants.O_RDWR | fs.constants.O_CREAT,
    0o600,
  );
  try {
    const bytes = Buffer.alloc(EXIT_RECORD_BYTES, ' ');
    bytes.write(text);
    bytes[bytes.length - 1] = 0x0a;
    await file.write(bytes, 0, bytes.length, 0);
    await file.sync();
  } finally {
    await file.close();
  }
}
