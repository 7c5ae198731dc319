import { z } from 'zod';
import {
  DEFAULT_LIMITS,
  MAX_CHARS_BYTES,
  MAX_COLS,
  MAX_COMMAND_BYTES,
  MAX_DEADLINE_MS,
  MAX_ROWS,
  MAX_TIMER_MS,
  MIN_LOG_QUOTA_BYTES,
} from '../limits.ts';
import { Attention } from '../model/attention.ts';
import { Descendant, StopBy } from '../model/command.ts';
import { CommandId } from '../model/ids.ts';
import { LogGap } from '../model/log-gap.ts';
import { CommandResources } from '../model/resources.ts';

/**
 * Control messages between the pty host and its clients: JSON on stream 0 of the socket.
 *
 *     client -> host   { hello: ClientHello }            first, once
 *     host -> client   { hello: HostHello }
 *     client -> host   { seq, op, ...input }                     one of `hostCalls`
 *     host -> client   { re: seq, ok: output } | { re: seq, error: HostError }
 *     host -> client   { event: HostEvent }
 *     host -> client   { resources: CommandResources[] }
 *
 * A host and its clients may be of different versions of the app: after an update the older host finishes its commands
 * beside the newer one. Both name the newest and the oldest protocol that they speak; the older of both newest is spoken.
 *
 * Without another number may be added: an optional field of an answer, of an event or of a hello (who does not know it
 * leaves it away), an event, a call (a host that does not know it answers `invalid_arguments`), an error code (read as
 * `internal`). Everything else that is on the wire needs another number: a field of a call's input, another value of an
 * existing enumeration, another meaning. Records on the disk (`CommandMeta`, `ExitRecord`) are read by every version:
 * fields are only ever added, with a default.
 */
export const HOST_PROTOCOL = 4;
/** The oldest protocol that this version still speaks. */
export const OLDEST_HOST_PROTOCOL = 4;

/** Exit status of a host that was to be of another version than its program on the disk is. */
export const OTHER_VERSION_STATUS = 3;

/** The protocols that a program speaks, from `oldest` to `protocol`. */
export interface SpokenProtocols {
  readonly protocol: number;
  readonly oldest: number;
}

/** The protocol that both speak; null when there is none. */
export function commonProtocol(a: SpokenProtocols, b: SpokenProtocols): number | null {
  const spoken = Math.min(a.protocol, b.protocol);
  return spoken >= Math.max(a.oldest, b.oldest) ? spoken : null;
}

/** How a command's tree is held: by the runner as sub-reaper, or by scanning the process table. */
export const SupervisionLevel = z.enum(['runner', 'scan']);
export type SupervisionLevel = z.infer<typeof SupervisionLevel>;

/** What the host can see of processes: `kernel`, or `none`, where attention is `quiet` at most and resources are sizes of logs. */
export const ProcessSight = z.enum(['kernel', 'none']);
export type ProcessSight = z.infer<typeof ProcessSight>;

export const ClientHello = z.object({
  token: z.string(),
  protocol: z.number().int(),
  oldest: z.number().int(),
  /** Of the app. A client of another version than the host's only visits: the host does not stay for its sake. */
  version: z.string(),
});
export type ClientHello = z.infer<typeof ClientHello>;

export const HostHello = z.object({
  pid: z.number().int(),
  protocol: z.number().int(),
  oldest: z.number().int(),
  version: z.string(),
  level: SupervisionLevel,
  sight: ProcessSight,
  /** Milliseconds since the epoch. */
  startedAt: z.number(),
});
export type HostHello = z.infer<typeof HostHello>;

/** Characters of an owner's name. */
export const MAX_OWNER_NAME = 200;

/** Everything that a command needs; checked whole before anything is made. */
export const SpawnSpec = z.strictObject({
  id: CommandId,
  /** Session that owns it. The host keeps it for the record and does not judge by it. */
  owner: z.string().min(1).max(200),
  /** What people call the owner: other clients of the host show the command under it. */
  ownerName: z.string().max(MAX_OWNER_NAME).default(''),
  cmd: z
    .string()
    .refine((text) => text.trim() !== '', 'the command is blank')
    .refine((text) => !text.includes('\0'), 'the command holds a NUL byte')
    .refine(
      (text) => new TextEncoder().encode(text).length <= MAX_COMMAND_BYTES,
      `the command is longer than ${MAX_COMMAND_BYTES} bytes`,
    ),
  shell: z.string().startsWith('/'),
  cwd: z
    .string()
    .startsWith('/')
    .refine((text) => !text.includes('\0'), 'the folder holds a NUL byte'),
  env: z.record(
    z.string().regex(/^[^=\0]+$/),
    z.string().refine((text) => !text.includes('\0'), 'a variable holds a NUL byte'),
  ),
  /** false: stdin is /dev/null, output goes through the PTY all the same. */
  tty: z.boolean(),
  cols: z.number().int().min(1).max(MAX_COLS),
  rows: z.number().int().min(1).max(MAX_ROWS),
  /** Milliseconds from spawn to the stop with reason timeout; null: none. */
  deadlineMs: z.number().int().min(1).max(MAX_DEADLINE_MS).nullable(),
  /** Milliseconds from SIGTERM to SIGKILL of every stop of this command. */
  stopGraceMs: z.number().int().min(0).max(MAX_TIMER_MS),
  /** Bytes of output that are kept: the beginning and the newest part of what is longer. */
  logQuotaBytes: z.number().int().min(MIN_LOG_QUOTA_BYTES).default(DEFAULT_LIMITS.logQuotaBytes),
  /** Milliseconds without output after which the command is called quiet. */
  quietAfterMs: z.number().int().min(1).max(MAX_TIMER_MS).default(DEFAULT_LIMITS.quietAfterMs),
});
export type SpawnSpec = z.output<typeof SpawnSpec>;
/** What a client says; what it leaves out has a default. */
export type SpawnRequest = z.input<typeof SpawnSpec>;

export const Spawned = z.object({
  pid: z.number().int(),
  generation: z.number().int().positive(),
  /** Milliseconds since the epoch. */
  startedAt: z.number(),
});
export type Spawned = z.infer<typeof Spawned>;

/** How a command ended. Written to exit.json and synced before anybody is told. */
export const ExitRecord = z.object({
  id: CommandId,
  /** `exited`: by itself, by code or signal. `stopped`, `timeout`: we ended it; first reason wins. `lost`: the end was not seen. */
  reason: z.enum(['exited', 'stopped', 'timeout', 'lost']),
  exitCode: z.number().int().nullable(),
  signal: z.string().nullable(),
  by: StopBy.nullable(),
  /** SIGKILL was needed. */
  wasForced: z.boolean(),
  startedAt: z.number(),
  endedAt: z.number(),
  /** Offset behind the last byte in the log at the end, and bytes that a full disk kept out of it. */
  bytes: z.number(),
  bytesLost: z.number(),
  gap: LogGap.nullable().default(null),
  /** Input that was never written to the program. */
  inputDropped: z.number(),
  descendants: z.array(Descendant),
  /** Of a stop: what could not be ended. */
  survivors: z.array(Descendant),
});
export type ExitRecord = z.infer<typeof ExitRecord>;

/** A command as the host knows it. */
export const HostCommand = z.object({
  id: CommandId,
  owner: z.string(),
  ownerName: z.string(),
  cmd: z.string(),
  cwd: z.string(),
  shell: z.string(),
  tty: z.boolean(),
  pid: z.number().int(),
  generation: z.number().int().positive(),
  startedAt: z.number(),
  bytes: z.number(),
  lastOutputAt: z.number().nullable(),
  tail: z.array(z.string()),
  stopping: StopBy.nullable(),
  exit: ExitRecord.nullable(),
  descendants: z.array(Descendant),
  gap: LogGap.nullable(),
  /** The disk is full, or nearly: it waits at its next write. */
  isBlocked: z.boolean(),
  attention: Attention.nullable(),
});
export type HostCommand = z.infer<typeof HostCommand>;

/** Closed union of what the host answers with instead of a result. */
export const HOST_ERROR_CODES = [
  'invalid_arguments',
  'workdir_missing',
  'spawn_failed',
  'unknown_handle',
  'command_ended',
  'input_full',
  'secret_input',
  'host_unavailable',
  'internal',
] as const;
export const HostError = z.object({
  code: z.enum(HOST_ERROR_CODES),
  message: z.string(),
  /** The system's own name of the failure, for instance ENOENT. */
  errno: z.string().optional(),
});
export type HostError = z.infer<typeof HostError>;

/** Limits that are not one command's. */
export const HostLimits = z.strictObject({
  /** Bytes of all ended commands' folders together; above it the oldest logs are removed. */
  totalLogBytes: z.number().int().min(0),
  /** Milliseconds after its end that a command's folder is kept. */
  logExpiryMs: z.number().int().min(0),
  /** Below so many free bytes commands block as on a full disk; 0: never. */
  freeSpaceFloorBytes: z.number().int().min(0),
});
export type HostLimits = z.infer<typeof HostLimits>;

const target = { id: CommandId };
/** Who types. While a secret is asked for an agent is refused with `secret_input`; U+0003 alone is no input. */
const InputBy = z.enum(['agent', 'user']).default('agent');
export type InputBy = z.infer<typeof InputBy>;

export const hostCalls = {
  /** Answers when the program was started, or with `spawn_failed` and the errno. */
  spawn: { input: SpawnSpec, output: Spawned },
  /** Bytes for the program, exactly. U+0003 reaches the terminal's line discipline, which interrupts the foreground group. */
  write: {
    input: z.strictObject({ ...target, chars: z.string().max(MAX_CHARS_BYTES), by: InputBy }),
    output: z.object({ bytes: z.number() }),
  },
  /** The terminal's end-of-file character. */
  eof: { input: z.strictObject({ ...target, by: InputBy }), output: z.null() },
  resize: {
    input: z.strictObject({
      ...target,
      cols: z.number().int().min(1).max(MAX_COLS),
      rows: z.number().int().min(1).max(MAX_ROWS),
    }),
    output: z.null(),
  },
  /** Begins the stop ladder, or escalates to SIGKILL when it was begun; the `exited` event tells the end. On an ended command it stops what that left behind. */
  stop: { input: z.strictObject({ ...target, by: StopBy }), output: z.null() },
  list: { input: z.strictObject({}), output: z.array(HostCommand) },
  /**
   * What became of these commands. One whose host died without a word of its end is thereby recorded as lost.
   * `elsewhere`: another living host has it; an `exited` event tells its end here too. What is in neither list never was.
   */
  find: {
    input: z.strictObject({ ids: z.array(CommandId) }),
    output: z.object({ commands: z.array(HostCommand), elsewhere: z.array(CommandId) }),
  },
  /** Ports on which processes of the command listen, ascending; empty where the system cannot tell. */
  ports: { input: z.strictObject(target), output: z.array(z.number().int()) },
  /** Drops an ended command from the host's memory; its folder stays. */
  forget: { input: z.strictObject(target), output: z.null() },
  /** Opens the bytes of a command as a stream of frames under the client's own number. Works for ended commands too. */
  open: {
    input: z.strictObject({
      ...target,
      stream: z.number().int().positive(),
      from: z.strictObject({ generation: z.number(), offset: z.number() }).nullable(),
    }),
    output: z.null(),
  },
  shut: { input: z.strictObject({ stream: z.number().int().positive() }), output: z.null() },
  /** Limits of all commands together, in force until the next call; those of one command are in its specification. */
  configure: { input: HostLimits, output: z.null() },
  /** Whether this client is told what living commands use. Off until it asks. */
  watchResources: { input: z.strictObject({ on: z.boolean() }), output: z.null() },
  /** Is answered at once: the sign that the host is well. */
  ping: { input: z.strictObject({}), output: z.null() },
  /** Ends the host at once when no command lives; otherwise answers false and stays. */
  quitIfIdle: { input: z.strictObject({}), output: z.boolean() },
} as const;
export type HostCallName = keyof typeof hostCalls;
export type HostCallRequest<N extends HostCallName> = z.input<(typeof hostCalls)[N]['input']>;
export type HostCallInput<N extends HostCallName> = z.output<(typeof hostCalls)[N]['input']>;
export type HostCallOutput<N extends HostCallName> = z.output<(typeof hostCalls)[N]['output']>;

export const HostEvent = z.discriminatedUnion('type', [
  /** A client has started it; all clients are told, its own one after the answer to `spawn`. */
  z.object({ type: z.literal('started'), id: CommandId, command: HostCommand }),
  /** New output is in the log up to `bytes`. `tail` only when it was worth a decode. */
  z.object({
    type: z.literal('progress'),
    id: CommandId,
    bytes: z.number(),
    at: z.number(),
    tail: z.array(z.string()).optional(),
  }),
  z.object({ type: z.literal('stopping'), id: CommandId, by: StopBy }),
  /** Once a command: reaped, drained, recorded. After a stop only when the tree is gone or its survivors are known. */
  z.object({ type: z.literal('exited'), id: CommandId, exit: ExitRecord, tail: z.array(z.string()) }),
  /** What an ended command left behind has changed. */
  z.object({ type: z.literal('descendants'), id: CommandId, descendants: z.array(Descendant) }),
  /** The disk is full, or below the floor of free space: the command blocks at its next write until there is space. */
  z.object({ type: z.literal('blocked'), id: CommandId, isBlocked: z.boolean() }),
  /** What the command wants of a person has changed. Not told after its end. */
  z.object({ type: z.literal('attention'), id: CommandId, attention: Attention.nullable() }),
  /** More of the output is gone from the log. `deleted`: somebody removed a file. `expired`: of an ended command, by age or for space. */
  z.object({
    type: z.literal('log_lost'),
    id: CommandId,
    gap: LogGap,
    reason: z.enum(['quota', 'deleted', 'expired']),
  }),
]);
export type HostEvent = z.infer<typeof HostEvent>;

/** What all living commands use, every RESOURCES_EVERY_MS, to the clients that asked for it by `watchResources`. */
export const ResourceReport = z.array(CommandResources);

/** What one command's folder holds: written before the spawn, rewritten in place once the pid is known. The text itself is command.sh. */
export const CommandMeta = z.object({
  id: CommandId,
  owner: z.string(),
  ownerName: z.string().max(MAX_OWNER_NAME).default(''),
  shell: z.string(),
  cwd: z.string(),
  tty: z.boolean(),
  deadlineMs: z.number().nullable(),
  createdAt: z.number(),
  /** Null until the program was started. `startTime` is the kernel's, in clock ticks since boot. */
  pid: z.number().int().nullable(),
  runnerPid: z.number().int().nullable(),
  startTime: z.number().nullable(),
  bootId: z.string().nullable(),
  /** The process that holds it, in the boot of `bootId`. Null in records of before. */
  host: z.object({ pid: z.number().int(), startTime: z.number() }).nullable().default(null),
  generation: z.number().int(),
  /** Value of the marker variable in the environment of everything that the command starts. */
  marker: z.string(),
});
export type CommandMeta = z.infer<typeof CommandMeta>;
/** Environment variable that marks every process of a command. */
export const MARKER_VARIABLE = 'SWITCHYARD_COMMAND';
