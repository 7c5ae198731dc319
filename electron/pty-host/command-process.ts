import type { Result } from '../../shared/model/result.ts';
import type { HostError, SupervisionLevel } from '../../shared/protocol/host.ts';
import type { PauseReason } from './terminal.ts';
import type { WaitStatus } from './wait-status.ts';

/** What is started, and in what. */
export interface Launch {
  readonly shell: string;
  /** File with the command's text, the shell's only argument. */
  readonly script: string;
  readonly cwd: string;
  /** Complete: nothing is added to it but the prelude's own needs. */
  readonly env: Readonly<Record<string, string>>;
  /** The variable in `env` that marks the tree, as `NAME=value`. */
  readonly mark: string;
  /** false: stdin is /dev/null. */
  readonly tty: boolean;
  readonly cols: number;
  readonly rows: number;
}

/** How a terminal treats what is typed. */
export interface TerminalModes {
  readonly echo: boolean;
  /** Input is given to the program line by line. */
  readonly lineMode: boolean;
}

/** In this order, each once, except `onBytes`, which may come at any time before `onClosed`. */
export interface CommandProcessEvents {
  onBytes(bytes: Uint8Array): void;
  /** The command was reaped, or its end can no longer be seen (null). `left` are the first pids of what it left behind. */
  onExited(status: WaitStatus | null, left: readonly number[]): void;
  /** All that the command wrote has come (or did not within DRAIN_MS). */
  onDrained(): void;
  /** Nothing of the tree is left. Not sent when something survives. */
  onEmpty(): void;
  /** The terminal is gone. */
  onClosed(): void;
}

/**
 * One command, its terminal and its process tree: the seam between what a command means and how the system holds it.
 * `RunnerProcess` holds the tree by a sub-reaper, `ScanProcess` finds it in the process table.
 */
export interface CommandProcess {
  readonly level: SupervisionLevel;
  /** The process that is ours to reap beside the command; null at level scan. */
  readonly runnerPid: number | null;
  /** The terminal's device file; null when there is none. */
  readonly terminalPath: string | null;
  /** Settles once: the command's pid, or why there is none. After an error no event follows but `onClosed`. */
  readonly started: Promise<Result<number, HostError>>;
  /** Bytes of input that never reached the command. */
  readonly inputDropped: number;
  /** Queues all of the bytes, or nothing of them and false. */
  write(bytes: Uint8Array): boolean;
  /**
   * Types the interrupt character. Input that waits before it is discarded, and when the terminal is full of what nobody
   * reads its foreground group is signalled instead. False after the exit.
   */
  interrupt(): boolean;
  /** False when the terminal is gone. */
  resize(cols: number, rows: number): boolean;
  pause(reason: PauseReason): void;
  resume(reason: PauseReason): void;
  /** Sends the signals, in order, to the whole tree. */
  signal(...signals: NodeJS.Signals[]): void;
  /** SIGKILL to the whole tree until it is gone. Resolves with the pids of what is left after about 3 s. */
  kill(): Promise<readonly number[]>;
  /** Pids of the living tree, the first of them at least. */
  tree(): Promise<readonly number[]>;
  /** Pids of the whole living tree as far as it can be walked cheaply; empty where it cannot. Signals are not for them. */
  members(): Promise<readonly number[]>;
  /** How the terminal stands just now; null when that cannot be told. */
  modes(): Promise<TerminalModes | null>;
  /** After `onDrained`: reads what is still under way, then lets the terminal go. What lives is not touched. */
  release(): void;
}
