import type { ApprovalRule } from '../../shared/model/approval.ts';
import type { ArtifactError, ArtifactRef } from '../../shared/model/artifact.ts';
import type { Descendant, StopBy } from '../../shared/model/command.ts';
import type { CommandId, SessionId } from '../../shared/model/ids.ts';
import type { LogPart } from '../../shared/model/log-part.ts';
import type { Message } from '../../shared/model/message.ts';
import type { CommandResources } from '../../shared/model/resources.ts';
import type { Result } from '../../shared/model/result.ts';
import type { SessionView } from '../../shared/model/session.ts';
import type {
  HostCommand,
  HostError,
  HostEvent,
  InputBy,
  Spawned,
  SpawnRequest,
} from '../../shared/protocol/host.ts';
import type { CommandRecord, InboxEntry } from './records.ts';

/** The pty host as the supervisor sees it. Implemented by host-client; never mocked at its own seam. */
export interface CommandHost {
  /** Resolves when the program was started; nothing is left behind by an error. */
  spawn(spec: SpawnRequest): Promise<Result<Spawned, HostError>>;
  /** Default: an agent, which is refused with `secret_input` while a secret is asked for. */
  write(id: CommandId, chars: string, by?: InputBy): Promise<Result<{ bytes: number }, HostError>>;
  sendEof(id: CommandId, by?: InputBy): Promise<Result<null, HostError>>;
  stop(id: CommandId, by: StopBy): Promise<Result<null, HostError>>;
  /** What is alive, and what has ended of late. */
  list(): Promise<Result<HostCommand[], HostError>>;
  /**
   * What became of commands that `list` does not name. `elsewhere`: alive, and out of reach; the end will be told. What is
   * in neither list is not known.
   */
  find(
    ids: readonly CommandId[],
  ): Promise<Result<{ commands: HostCommand[]; elsewhere: CommandId[] }, HostError>>;
  /** Ports on which processes of the command listen. */
  ports(id: CommandId): Promise<Result<number[], HostError>>;
  /** Bytes [from, to) of the command's log, fewer if the log is shorter. Reads the file; works without a host. */
  readLog(id: CommandId, from: number, to: number): Promise<Uint8Array>;
  /**
   * The same of a log that may have a gap: from the first byte of [from, to) that is there, up to the next gap; with no
   * byte the offset at which the log goes on, `to` at most. Rejects when there is no such log.
   */
  readLogRange(id: CommandId, from: number, to: number): Promise<LogPart>;
  /** Whether `onResources` is told anything. */
  watchResources(on: boolean): Promise<Result<null, HostError>>;
  /** What living commands use, now and then while that is watched. Returns the way out. */
  onResources(listener: (commands: CommandResources[]) => void): () => void;
  /** Events in the order in which the host sent them. Returns the way out. */
  onEvent(listener: (event: HostEvent) => void): () => void;
}

/** Durable state. Each method is one transaction: all of it is saved, or nothing is and it throws. */
export interface Store {
  load(): Promise<{ sessions: SessionView[]; commands: CommandRecord[]; inbox: InboxEntry[] }>;
  /** Saves the session as given and appends the messages, moves commands, settles inbox entries. */
  checkpoint(change: Checkpoint): Promise<void>;
  /** Oldest first; the page ends before the message `before`, or with the newest. */
  messages(
    sessionId: SessionId,
    limit: number,
    before?: string,
  ): Promise<{ messages: Message[]; hasMore: boolean }>;
}

export interface Checkpoint {
  readonly session?: SessionView;
  readonly append?: readonly { readonly sessionId: SessionId; readonly message: Message }[];
  readonly commands?: readonly CommandRecord[];
  /** Inserted unless an entry with the same id exists: a redelivery is a no-op. */
  readonly inbox?: readonly InboxEntry[];
  /** Added. A rule that its workspace has already is left out. */
  readonly rules?: readonly ApprovalRule[];
}

/** Keeps complete outputs as files. Safe to call again after a failure. */
export interface ArtifactStore {
  /** Keeps the first `bytes` of a command's log. Resolves when they are on the disk. */
  persist(output: {
    sessionId: SessionId;
    commandId: CommandId;
    bytes: number;
  }): Promise<Result<ArtifactRef, ArtifactError>>;
}

/** Looks for a line that a pattern matches. A pattern that cannot be tried in the time for it is `too_slow`. */
export type FindLine = (pattern: string, lines: readonly string[]) => { line: string } | 'none' | 'too_slow';

/** Draws an output that moves between lines, and tells what a person would see. */
export type RenderScreen = (bytes: Uint8Array) => Promise<string>;

/** Time, so that tests can hold it. Milliseconds. */
export interface Clock {
  /** Since the epoch. */
  now(): number;
  /** Calls back once after `ms`; returns the way out. */
  after(ms: number, callback: () => void): () => void;
}

export type { Descendant };
