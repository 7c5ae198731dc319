import fs from 'node:fs';
import path from 'node:path';
import { err, ok, type Result } from '../../shared/model/result.ts';
import type { HostError } from '../../shared/protocol/host.ts';
import type { CommandProcess, CommandProcessEvents, Launch, TerminalModes } from './command-process.ts';
import { defer } from './deferred.ts';
import { DrainLimit } from './drain-limit.ts';
import { EndMark } from './end-mark.ts';
import { hostError } from './host-error.ts';
import { MarkFilter } from './mark-filter.ts';
import { descendantsOf } from './process-children.ts';
import { processTable } from './process-table.ts';
import { errnoOf } from './system-names.ts';
import { ForkError, type PauseReason, Terminal } from './terminal.ts';
import { terminalModes } from './terminal-modes.ts';
import { freezeAndKill, signalTree, type TreeRoot } from './tree-scan.ts';
import type { WaitStatus } from './wait-status.ts';

const { O_RDWR, O_NOCTTY, O_NONBLOCK } = fs.constants;

// node-pty 1.1.0 leaks every master into later children; only a prelude in the child can close them. A redirection on
// the closing loop would make bash save descriptor 2 above 2, and the loop close it.
const PRELUDE =
  `for f in /dev/fd/*; do n=\${f##*/}; case $n in [0-2]) ;; *) eval "exec $n>&-";; esac; done; ` +
  'i=$1; shift; [ "$i" = null ] && exec </dev/null; exec "$@"';
const PRELUDE_SHELLS = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'];

/** What a stop waits for, and how long after a command's end its rest is looked for. */
const LOOK_EVERY_MS = 50;
const LOOK_SLOWLY_MS = 1_000;
const MARK_FIRST_WAIT_MS = 1;
const MARK_LONGEST_WAIT_MS = 32;

/**
 * A command without the runner. The host holds the slave open and writes the end mark through it after the reaped exit;
 * the tree is found by scanning. What this level cannot do: see TreeScan; the command is the session leader itself, so
 * at its end the kernel hangs up what it left in its own group ("sleep 600 &" dies, "nohup sleep 600 &" lives); a lost
 * host leaves the tree alive.
 */
export class ScanProcess implements CommandProcess {
  readonly level = 'scan';
  readonly runnerPid = null;
  readonly started: Promise<Result<number, HostError>>;
  readonly #launch: Launch;
  readonly #events: CommandProcessEvents;
  readonly #filter: MarkFilter;
  readonly #mark = new EndMark();
  readonly #drain = new DrainLimit();
  readonly #start = defer<Result<number, HostError>>();
  #terminal: Terminal | null = null;
  #slave = -1;
  #root: TreeRoot | null = null;
  #marksRead = 0;
  #lookTimer: NodeJS.Timeout | null = null;
  #isHurried = false;
  #hasExited = false;
  #hasDrained = false;
  #hasLingered = false;
  #isEmpty = false;
  #isClosed = false;

  /** Never throws: `started` tells. */
  constructor(launch: Launch, events: CommandProcessEvents) {
    this.#launch = launch;
    this.#events = events;
    this.started = this.#start.promise;
    this.#filter = new MarkFilter(
      (bytes) => events.onBytes(bytes),
      () => this.#onMark(),
    );
    const refusal = refuse(launch);
    if (refusal !== null) {
      this.#fail(refusal);
      return;
    }
    const { cwd, env, cols, rows } = launch;
    const [file = '', ...args] = commandLine(launch);
    try {
      this.#terminal = new Terminal(
        { file, args, env, cwd, cols, rows },
        {
          onBytes: (bytes) => this.#filter.feed(bytes),
          onExit: (status) => this.#onExit(status),
          onHangUp: () => this.#drained(),
        },
      );
      // Before anything is read: while this is open the master sees no hang-up, and the tail cannot be lost.
      this.#slave = fs.openSync(this.#terminal.slavePath, O_RDWR | O_NOCTTY | O_NONBLOCK);
    } catch (error) {
      const errno = error instanceof ForkError ? error.errno : errnoOf(error);
      const pid = this.#terminal?.pid;
      if (pid !== undefined) void freezeAndKill({ pid, startTime: null, mark: launch.mark, terminal: 0 });
      this.#fail(hostError('spawn_failed', 'No terminal was to be had.', errno));
      return;
    }
    void this.#identify(this.#terminal.pid);
  }

  get terminalPath(): string | null {
    return this.#terminal?.slavePath ?? null;
  }

  get inputDropped(): number {
    return this.#terminal?.input.dropped ?? 0;
  }

  write(bytes: Uint8Array): boolean {
    return !this.#hasExited && (this.#terminal?.input.push(bytes) ?? false);
  }

  interrupt(): boolean {
    if (this.#hasExited || this.#terminal === null) return false;
    if (!this.#terminal.input.interrupt()) void this.#interruptGroup(this.#terminal.pid);
    return true;
  }

  resize(cols: number, rows: number): boolean {
    return !this.#isClosed && (this.#terminal?.resize(cols, rows) ?? false);
  }

  pause(reason: PauseReason): void {
    this.#terminal?.pause(reason);
  }

  resume(reason: PauseReason): void {
    this.#terminal?.resume(reason);
  }

  signal(...signals: NodeJS.Signals[]): void {
    if (this.#root === null) return;
    this.#isHurried = true;
    void signalTree(this.#root, signals);
    this.#lookSoon();
  }

  async kill(): Promise<readonly number[]> {
    if (this.#root === null || this.#isEmpty) return [];
    const survivors = await freezeAndKill(this.#root);
    this.#isHurried = true;
    this.#lookSoon();
    return survivors.map(({ pid }) => pid);
  }

  async tree(): Promise<readonly number[]> {
    if (this.#root === null || this.#isEmpty) return [];
    return (await signalTree(this.#root, [])).map(({ pid }) => pid);
  }

  /** What was re-parented is not among them: a scan of all processes is too dear to be done again and again. */
  async members(): Promise<readonly number[]> {
    const pid = this.#root?.pid;
    if (process.platform !== 'linux' || pid === undefined || this.#hasExited) return [];
    return [pid, ...(await descendantsOf(pid))];
  }

  async modes(): Promise<TerminalModes | null> {
    return this.#isClosed || this.#slave < 0 ? null : terminalModes(this.#slave);
  }

  release(): void {
    if (this.#marksRead === 0 || !this.#hasLingered) {
      this.#close();
      return;
    }
    this.#writeMark(1);
    this.#drain.start(
      () => this.#terminal?.isPaused ?? false,
      () => this.#close(),
    );
  }

  async #identify(pid: number): Promise<void> {
    const found = await processTable.find(pid);
    this.#root = {
      pid,
      startTime: found?.startTime ?? null,
      mark: this.#launch.mark,
      terminal: fs.fstatSync(this.#slave).rdev,
    };
    this.#start.resolve(ok(pid));
  }

  async #interruptGroup(pid: number): Promise<void> {
    const leader = await processTable.find(pid);
    if (leader === null || leader.foreground <= 1) return;
    try {
      process.kill(-leader.foreground, 'SIGINT');
    } catch {
      // It has ended.
    }
  }

  #fail(error: HostError): void {
    this.#start.resolve(err(error));
    queueMicrotask(() => this.#close());
  }

  #onExit(status: WaitStatus): void {
    this.#hasExited = true;
    this.#terminal?.input.close();
    void this.#findRest(status);
  }

  async #findRest(status: WaitStatus): Promise<void> {
    const left = await this.tree();
    this.#hasLingered = left.length > 0;
    this.#events.onExited(status, left);
    this.#writeMark(0);
    this.#drain.start(
      () => this.#terminal?.isPaused ?? false,
      () => this.#drained(),
    );
  }

  #onMark(): void {
    if (this.#marksRead++ === 0) this.#drained();
    else this.#close();
  }

  #drained(): void {
    if (this.#hasDrained || !this.#hasExited) return;
    this.#hasDrained = true;
    this.#drain.clear();
    this.#events.onDrained();
    if (this.#hasLingered) this.#lookSoon();
    else this.#tellEmpty();
  }

  /** Nobody tells when a tree has ended: it is looked for, quickly while a stop waits for it. */
  #lookSoon(): void {
    if (this.#lookTimer !== null) clearTimeout(this.#lookTimer);
    this.#lookTimer = setTimeout(() => void this.#look(), this.#isHurried ? LOOK_EVERY_MS : LOOK_SLOWLY_MS);
  }

  async #look(): Promise<void> {
    const left = await this.tree();
    if (this.#isEmpty || this.#isClosed) return;
    if (this.#hasDrained && left.length === 0) this.#tellEmpty();
    else this.#lookSoon();
  }

  #tellEmpty(): void {
    if (this.#isEmpty) return;
    this.#isEmpty = true;
    if (this.#lookTimer !== null) clearTimeout(this.#lookTimer);
    this.#events.onEmpty();
  }

  /** Through the slave, behind everything that was written there. The terminal may be full: tried again until it is read. */
  #writeMark(index: number): void {
    const mark = this.#mark.bytes(index);
    this.#filter.expect(mark);
    let written = 0;
    let waitMs = MARK_FIRST_WAIT_MS;
    const push = (): void => {
      if (this.#isClosed) return;
      try {
        written += fs.writeSync(this.#slave, mark, written);
      } catch (error) {
        if (errnoOf(error) !== 'EAGAIN') return; // the drain limit ends the wait
      }
      if (written === mark.length) return;
      waitMs = Math.min(waitMs * 2, MARK_LONGEST_WAIT_MS);
      setTimeout(push, waitMs);
    };
    push();
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#drain.clear();
    if (this.#lookTimer !== null) clearTimeout(this.#lookTimer);
    this.#filter.flush();
    this.#terminal?.destroy();
    if (this.#slave >= 0) fs.closeSync(this.#slave);
    this.#events.onClosed();
  }
}

/** node-pty cannot tell why a start failed, so what can fail is tried beforehand. */
function refuse({ cwd, shell }: Launch): HostError | null {
  const folder = tryAccess(cwd, (found) => (found.isDirectory() ? null : 'ENOTDIR'));
  if (folder !== null)
    return hostError('workdir_missing', `The folder ${cwd} cannot be entered: ${folder}.`, folder);
  const program = tryAccess(shell, (found) => (found.isFile() ? null : 'EACCES'));
  if (program !== null)
    return hostError('spawn_failed', `The shell ${shell} cannot be started: ${program}.`, program);
  return null;
}

function tryAccess(file: string, check: (found: fs.Stats) => string | null): string | null {
  try {
    const wrong = check(fs.statSync(file));
    if (wrong === null) fs.accessSync(file, fs.constants.X_OK);
    return wrong;
  } catch (error) {
    return errnoOf(error) ?? 'EIO';
  }
}

function commandLine({ shell, script, tty }: Launch): string[] {
  const bash = PRELUDE_SHELLS.find((file) => fs.existsSync(file));
  if (bash === undefined || !fs.existsSync('/dev/fd')) return [shell, script];
  return [
    path.resolve(bash),
    '--norc',
    '--noprofile',
    '-c',
    PRELUDE,
    'prelude',
    tty ? 'tty' : 'null',
    shell,
    script,
  ];
}
