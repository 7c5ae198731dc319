import fs from 'node:fs';
import path from 'node:path';
import type { CommandId } from '../../shared/model/ids.ts';
import type { LogGap } from '../../shared/model/log-gap.ts';
import { CommandMeta, ExitRecord } from '../../shared/protocol/host.ts';
import { FixedRecord, readFixedRecord } from './fixed-record.ts';
import { commandFiles } from './host-paths.ts';
import { gapBetween, listSegments, segmentName, segmentsEnd } from './log-segments.ts';

/** Room for 32 descendants and 32 survivors with eight ports each and names that need escaping (11 KB). */
const EXIT_RECORD_BYTES = 16 * 1024;
/** What the rewritten meta record may be longer than the first: pids, start time, boot id. */
const META_GROWTH_BYTES = 512;
const BLOCK_BYTES = 4_096;

/** What is kept of a command beside its output. */
interface Records {
  readonly meta: FixedRecord;
  readonly exit: FixedRecord;
}

/** The folder of a command that is being run, 0700 with files 0600. Its log is made by the output. */
export class CommandFolder {
  readonly path: string;
  readonly script: string;
  readonly #hostFolder: string;
  readonly #cmd: string;
  #meta: CommandMeta;
  #exit: ExitRecord | null = null;
  #records: Records;

  /**
   * Creates folder, script and records. Throws the system's error and leaves nothing when that fails, EEXIST when the
   * id was used before.
   */
  constructor(folder: string, meta: CommandMeta, cmd: string) {
    this.#hostFolder = folder;
    this.#meta = meta;
    this.#cmd = cmd;
    this.path = commandFiles.folder(folder, meta.id);
    this.script = commandFiles.script(folder, meta.id);
    this.#records = this.#create();
  }

  /** Rewrites the record that was written before the spawn, for the last time. */
  completeMeta(meta: CommandMeta): void {
    this.#meta = meta;
    this.#records.meta.write(meta);
  }

  /** Resolves when the record is on the disk. */
  async saveExit(exit: ExitRecord): Promise<void> {
    this.#exit = exit;
    this.#records.exit.write(exit);
    await this.#records.exit.sync();
  }

  /** Makes the folder again if somebody has removed it: the end must be on record. Throws the system's error. */
  restore(): void {
    if (fs.existsSync(this.path)) return;
    const records = this.#create();
    if (this.#exit !== null) records.exit.write(this.#exit);
    this.close();
    this.#records = records;
  }

  #create(): Records {
    const { id } = this.#meta;
    fs.mkdirSync(path.dirname(this.path), { recursive: true, mode: 0o700 });
    fs.mkdirSync(this.path, { mode: 0o700 });
    try {
      fs.writeFileSync(this.script, this.#cmd, { flag: 'wx', mode: 0o600 });
      const size = Buffer.byteLength(JSON.stringify(this.#meta)) + META_GROWTH_BYTES;
      const blocks = Math.ceil(size / BLOCK_BYTES);
      const meta = new FixedRecord(commandFiles.meta(this.#hostFolder, id), blocks * BLOCK_BYTES);
      meta.write(this.#meta);
      const exit = new FixedRecord(commandFiles.exit(this.#hostFolder, id), EXIT_RECORD_BYTES);
      return { meta, exit };
    } catch (error) {
      fs.rmSync(this.path, { recursive: true, force: true });
      throw error;
    }
  }

  close(): void {
    this.#records.meta.close();
    this.#records.exit.close();
  }

  /** Closes and removes everything: the command was not started. */
  remove(): void {
    this.close();
    fs.rmSync(this.path, { recursive: true, force: true });
  }
}

/** A command of a former host, from its folder. */
export interface FormerCommand {
  readonly meta: CommandMeta;
  readonly cmd: string;
  /** Null: no host has seen its end. */
  readonly exit: ExitRecord | null;
  /** Offset behind the last byte of its log, also when the log itself was removed. */
  readonly logBytes: number;
  /** What its log does not hold any more. */
  readonly gap: LogGap | null;
  readonly lastOutputAt: number | null;
}

/** Null when there is no such folder, or nothing legible in it. */
export async function readMeta(folder: string, id: CommandId): Promise<CommandMeta | null> {
  const meta = CommandMeta.safeParse(await readFixedRecord(commandFiles.meta(folder, id)));
  return meta.success ? meta.data : null;
}

/** Null when there is no such folder, or nothing legible in it. */
export async function readFormerCommand(folder: string, id: CommandId): Promise<FormerCommand | null> {
  const meta = await readMeta(folder, id);
  if (meta === null) return null;
  const exit = ExitRecord.safeParse(await readFixedRecord(commandFiles.exit(folder, id)));
  const cmd = await fs.promises.readFile(commandFiles.script(folder, id), 'utf8').catch(() => '');
  const segments = await listSegments(commandFiles.folder(folder, id)).catch(() => []);
  const end = segmentsEnd(segments);
  const logBytes = exit.success ? Math.max(end, exit.data.bytes) : end;
  return {
    meta,
    cmd,
    exit: exit.success ? exit.data : null,
    logBytes,
    gap: gapBetween(segments, logBytes),
    lastOutputAt: end === 0 ? null : await changedAt(folder, id, segments.at(-1)?.offset ?? 0),
  };
}

/** Milliseconds since the epoch; null when the file is gone. */
async function changedAt(folder: string, id: CommandId, offset: number): Promise<number | null> {
  const file = path.join(commandFiles.folder(folder, id), segmentName(offset));
  const found = await fs.promises.stat(file).catch(() => null);
  return found === null ? null : Math.round(found.mtimeMs);
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
