import { randomBytes } from 'node:crypto';
import os from 'node:os';
import { err, ok, type Result } from '../../shared/model/result.ts';
import type { HostError } from '../../shared/protocol/host.ts';
import type { CommandProcess, CommandProcessEvents, Launch, TerminalModes } from './command-process.ts';
import { type Deferred, defer, within } from './deferred.ts';
import { DrainLimit } from './drain-limit.ts';
import { EndMark } from './end-mark.ts';
import { hostError } from './host-error.ts';
import { MarkFilter } from './mark-filter.ts';
import { descendantsOf } from './process-children.ts';
import type { RunnerConnection, RunnerServer } from './runner-server.ts';
import { errnoName } from './system-names.ts';
import { ForkError, type PauseReason, Terminal } from './terminal.ts';
import { freezeAndKill, type TreeRoot } from './tree-scan.ts';
import { decodeWaitStatus, type WaitStatus } from './wait-status.ts';

/** From the fork to "started" or "error": the runner has nothing to do but to enter the folder. */
const START_MS = 10_000;
/** The runner answers a kill after 2 s at the latest; beyond this it is stopped or stuck. */
const KILL_ANSWER_MS = 2_600;
const TREE_ANSWER_MS = 1_000;
/** Beyond this the runner is stopped: input must not wait for it. */
const MODES_ANSWER_MS = 250;
/** After the runner was lost: what was written before is read until the hang-up, at most this long. */
const HANG_UP_MS = 500;
/** The longest text of a runner that never reached us, kept for the error. */
const COMPLAINT_BYTES = 1_000;

/** A command held by the runner: exact end, complete output, and a tree that cannot outrun its killer. */
export class RunnerProcess implements CommandProcess {
  readonly level = 'runner';
  readonly runnerPid: number | null;
  readonly started: Promise<Result<number, HostError>>;
  readonly #launch: Launch;
  readonly #events: CommandProcessEvents;
  readonly #terminal: Terminal | null;
  readonly #mark = new EndMark();
  readonly #filter: MarkFilter;
  readonly #drain = new DrainLimit();
  readonly #start = defer<Result<number, HostError>>();
  readonly #hangUp = defer<void>();
  #connection: RunnerConnection | null = null;
  #startTimer: NodeJS.Timeout | null = null;
  #killAnswer: Deferred<readonly number[]> | null = null;
  #treeAnswer: Deferred<readonly number[]> | null = null;
  /** One an answer, in order. */
  readonly #modesAnswers: Deferred<TerminalModes | null>[] = [];
  #complaint = '';
  #marksRead = 0;
  #hasStarted = false;
  #hasFailed = false;
  #hasExited = false;
  #hasDrained = false;
  /** Something outlived the command, so output may have come after the first mark. */
  #hasLingered = false;
  #isEmpty = false;
  #toldEmpty = false;
  #isReleased = false;

  /** `runner` is the program's path. Never throws: `started` tells. */
  constructor(runners: RunnerServer, runner: string, launch: Launch, events: CommandProcessEvents) {
    this.#launch = launch;
    this.#events = events;
    this.started = this.#start.promise;
    this.#filter = new MarkFilter(
      (bytes) => this.#onBytes(bytes),
      () => this.#onMark(),
    );
    this.#filter.expect(this.#mark.bytes(0));
    const token = randomBytes(16).toString('hex');
    const forget = runners.expect(token, {
      onHello: (connection) => {
        this.#connection = connection;
      },
      onLine: (verb, words) => this.#onLine(verb, words),
    });
    const { cwd, shell, script, env, cols, rows } = launch;
    const args = [runners.path, token, this.#mark.nonce, launch.tty ? 't' : 'n', cwd, shell, script];
    let terminal: Terminal | null = null;
    try {
      // In '/': a missing folder must be the runner's errno, not a line of text and exit code 1.
      terminal = new Terminal(
        { file: runner, args, env, cwd: '/', cols, rows },
        {
          onBytes: (bytes) => this.#filter.feed(bytes),
          onExit: () => {
            forget();
            void this.#onRunnerGone();
          },
          onHangUp: () => this.#hangUp.resolve(),
        },
      );
    } catch (error) {
      forget();
      this.#fail(
        hostError(
          'spawn_failed',
          'No terminal was to be had.',
          error instanceof ForkError ? error.errno : undefined,
        ),
      );
      queueMicrotask(() => events.onClosed());
    }
    this.#terminal = terminal;
    this.runnerPid = terminal?.pid ?? null;
    if (terminal !== null) {
      this.#startTimer = setTimeout(() => {
        this.#fail(hostError('spawn_failed', 'The command did not start within 10 s.', 'ETIMEDOUT'));
        void freezeAndKill(this.#root());
      }, START_MS);
    }
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
    if (!this.#terminal.input.interrupt()) this.#connection?.say('interrupt');
    return true;
  }

  resize(cols: number, rows: number): boolean {
    return !this.#isReleased && (this.#terminal?.resize(cols, rows) ?? false);
  }

  pause(reason: PauseReason): void {
    this.#terminal?.pause(reason);
  }

  resume(reason: PauseReason): void {
    this.#terminal?.resume(reason);
  }

  signal(...signals: NodeJS.Signals[]): void {
    for (const signal of signals) this.#connection?.say(`sig ${os.constants.signals[signal]}`);
  }

  async kill(): Promise<readonly number[]> {
    if (this.#isEmpty || this.#isReleased) return [];
    this.#killAnswer ??= defer();
    this.#connection?.say('kill');
    const answer = await within(this.#killAnswer.promise, KILL_ANSWER_MS, null);
    if (answer !== null || this.#isReleased) return answer ?? [];
    // The runner is stopped or stuck: it carries the mark too, and goes with the rest.
    return (await freezeAndKill(this.#root())).map(({ pid }) => pid);
  }

  async tree(): Promise<readonly number[]> {
    if (this.#isEmpty || this.#isReleased) return [];
    this.#treeAnswer ??= defer();
    this.#connection?.say('tree');
    return within(this.#treeAnswer.promise, TREE_ANSWER_MS, []);
  }

  async members(): Promise<readonly number[]> {
    if (this.#isEmpty || this.#isReleased || this.runnerPid === null) return [];
    return process.platform === 'linux' ? descendantsOf(this.runnerPid) : [];
  }

  async modes(): Promise<TerminalModes | null> {
    if (this.#isReleased || this.#connection === null) return null;
    const answer = defer<TerminalModes | null>();
    this.#modesAnswers.push(answer);
    this.#connection.say('modes');
    return within(answer.promise, MODES_ANSWER_MS, null);
  }

  release(): void {
    if (this.#isReleased) return;
    // Nothing was written after the first mark, or it never came and so neither would a second.
    if (this.#marksRead === 0 || !this.#hasLingered) {
      this.#letGo();
      return;
    }
    this.#filter.expect(this.#mark.bytes(1));
    this.#connection?.say('mark 1');
    this.#drain.start(
      () => this.#terminal?.isPaused ?? false,
      () => this.#letGo(),
    );
  }

  #root(): TreeRoot {
    return { pid: this.runnerPid ?? 0, startTime: null, mark: this.#launch.mark, terminal: 0 };
  }

  #onBytes(bytes: Uint8Array): void {
    if (!this.#hasStarted && this.#connection === null && this.#complaint.length < COMPLAINT_BYTES) {
      this.#complaint += Buffer.from(bytes).toString('utf8');
    }
    this.#events.onBytes(bytes);
  }

  #onMark(): void {
    if (this.#marksRead++ === 0) this.#tryDrained();
    else this.#letGo();
  }

  #onLine(verb: string, words: readonly string[]): void {
    const numbers = words.map(Number);
    const [first = 0, ...pids] = numbers;
    switch (verb) {
      case 'started':
        this.#hasStarted = true;
        this.#settleStart(ok(first));
        break;
      case 'error':
        this.#fail(this.#failureOf(words[0], Number(words[1])));
        this.#letGo();
        break;
      case 'exit': {
        const [raw = 0, count = 0, ...left] = numbers;
        this.#hasLingered = count > 0;
        this.#exited(decodeWaitStatus(raw), left);
        break;
      }
      case 'empty':
        this.#isEmpty = true;
        this.#tryEmpty();
        break;
      case 'killed':
        this.#killAnswer?.resolve([]);
        this.#killAnswer = null;
        break;
      case 'survivors':
        this.#killAnswer?.resolve(pids);
        this.#killAnswer = null;
        break;
      case 'modes':
        this.#modesAnswers.shift()?.resolve({ echo: (first & 1) !== 0, lineMode: (first & 2) !== 0 });
        break;
      case 'tree':
        this.#treeAnswer?.resolve(pids);
        this.#treeAnswer = null;
        break;
      // "stopped" and "continued" change nothing: a command that ^Z stopped is alive.
    }
  }

  #failureOf(stage: string | undefined, number: number): HostError {
    const errno = errnoName(number);
    const { cwd, shell } = this.#launch;
    if (stage === 'chdir')
      return hostError('workdir_missing', `The folder ${cwd} cannot be entered: ${errno}.`, errno);
    if (stage === 'exec')
      return hostError('spawn_failed', `The shell ${shell} cannot be started: ${errno}.`, errno);
    return hostError('spawn_failed', `The command could not be started (${stage}): ${errno}.`, errno);
  }

  #exited(status: WaitStatus | null, left: readonly number[]): void {
    if (this.#hasExited) return;
    this.#hasExited = true;
    this.#terminal?.input.close(); // no input after this, and the mark is now due
    this.#events.onExited(status, left);
    this.#drain.start(
      () => this.#terminal?.isPaused ?? false,
      () => this.#drained(),
    );
    this.#tryDrained();
  }

  /** The mark can be read before the runner's line arrives: both are needed, in either order. */
  #tryDrained(): void {
    if (this.#hasExited && this.#marksRead > 0) this.#drained();
  }

  #drained(): void {
    if (this.#hasDrained) return;
    this.#hasDrained = true;
    this.#drain.clear();
    this.#events.onDrained();
    this.#tryEmpty();
  }

  #tryEmpty(): void {
    if (!this.#isEmpty || !this.#hasDrained || this.#toldEmpty) return;
    this.#toldEmpty = true;
    this.#events.onEmpty();
  }

  #fail(error: HostError): void {
    this.#hasFailed = true;
    this.#settleStart(err(error));
  }

  #settleStart(result: Result<number, HostError>): void {
    if (this.#startTimer !== null) clearTimeout(this.#startTimer);
    this.#startTimer = null;
    this.#start.resolve(result);
  }

  #letGo(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#drain.clear();
    this.#terminal?.input.close();
    this.#connection?.say('release');
  }

  /** After a release this is the end. Otherwise somebody killed the runner: what is left is found by the mark. */
  async #onRunnerGone(): Promise<void> {
    this.#connection?.close();
    if (!this.#isReleased) {
      this.#isReleased = true;
      if (!this.#hasStarted && !this.#hasFailed) this.#fail(this.#neverStarted());
      const survivors = (await freezeAndKill(this.#root())).map(({ pid }) => pid);
      this.#killAnswer?.resolve(survivors);
      this.#treeAnswer?.resolve(survivors);
      if (!this.#hasFailed) {
        await within(this.#hangUp.promise, HANG_UP_MS, undefined);
        this.#filter.flush();
        this.#exited(null, survivors);
        this.#drained();
        this.#isEmpty ||= survivors.length === 0;
        this.#tryEmpty();
      }
    }
    this.#filter.flush();
    this.#drain.clear();
    this.#terminal?.destroy();
    this.#events.onClosed();
  }

  #neverStarted(): HostError {
    const complaint = this.#complaint.trim();
    return hostError('spawn_failed', `The runner did not start${complaint === '' ? '.' : `: ${complaint}`}`);
  }
}
