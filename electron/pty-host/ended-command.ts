import { TAIL_BYTES } from '../../shared/limits.ts';
import type { LogPart } from '../../shared/model/log-part.ts';
import type { ExitRecord, HostCommand } from '../../shared/protocol/host.ts';
import type { FormerCommand } from './command-folder.ts';
import { commandFiles } from './host-paths.ts';
import { readLogFiles } from './log-segments.ts';
import { tailLines } from './tail-lines.ts';
import { type FrameSink, type OutputPosition, type OutputSource, Viewer } from './viewer.ts';

/** A command of which only the folder is left. */
export class EndedCommand implements OutputSource {
  readonly isFinal = true;
  readonly #folder: string;
  readonly #view: HostCommand;
  readonly exit: ExitRecord;

  constructor(folder: string, view: HostCommand, exit: ExitRecord) {
    this.#folder = folder;
    this.#view = { ...view, exit, stopping: null, descendants: [], isBlocked: false, attention: null };
    this.exit = exit;
  }

  /** From the folder of a command of a former host. */
  static async fromFolder(folder: string, former: FormerCommand, exit: ExitRecord): Promise<EndedCommand> {
    const { meta, cmd, logBytes, lastOutputAt } = former;
    const from = Math.max(0, logBytes - TAIL_BYTES);
    const path = commandFiles.folder(folder, meta.id);
    const tail = await readLogFiles(path, from, logBytes - from).then(
      ({ bytes }) => bytes,
      () => new Uint8Array(0),
    );
    const view: HostCommand = {
      id: meta.id,
      owner: meta.owner,
      ownerName: meta.ownerName,
      cmd,
      cwd: meta.cwd,
      shell: meta.shell,
      tty: meta.tty,
      pid: meta.pid ?? 0,
      generation: meta.generation,
      startedAt: exit.startedAt,
      bytes: logBytes,
      lastOutputAt,
      tail: tailLines(tail),
      stopping: null,
      exit,
      descendants: [],
      gap: former.gap,
      isBlocked: false,
      attention: null,
    };
    return new EndedCommand(folder, view, exit);
  }

  get generation(): number {
    return this.#view.generation;
  }

  get bytes(): number {
    return this.#view.bytes;
  }

  view(): HostCommand {
    return this.#view;
  }

  read(offset: number, length: number): Promise<LogPart> {
    return readLogFiles(commandFiles.folder(this.#folder, this.#view.id), offset, length);
  }

  open(sink: FrameSink, from: OutputPosition | null): Viewer {
    return new Viewer(this, sink, from);
  }
}
