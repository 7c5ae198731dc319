import { z } from 'zod';
import { Attention } from './attention.ts';
import { COMMAND_STATES } from './command-state.ts';
import { CommandId, SessionId } from './ids.ts';
import { LogGap } from './log-gap.ts';
import { ResourceUse } from './resources.ts';

/** Who sent the signal that ended a command, if somebody here did. */
export const StopBy = z.enum(['user', 'agent', 'timeout', 'quit']);
export type StopBy = z.infer<typeof StopBy>;

export const CommandState = z.enum(COMMAND_STATES);
export type CommandState = z.infer<typeof CommandState>;
export { isTerminal, TERMINAL_STATES, type TerminalState } from './command-state.ts';

/** A process that outlived its command, or that a stop could not end. */
export const Descendant = z.object({
  pid: z.number().int(),
  name: z.string(),
  ports: z.array(z.number().int()),
});
export type Descendant = z.infer<typeof Descendant>;

/** Foreground from spawn until the command is detached, handed off, or its turn ends. */
export const Placement = z.enum(['foreground', 'background']);
export type Placement = z.infer<typeof Placement>;

/** What is known of a command beside its state. Orthogonal facts stay orthogonal. */
export const CommandView = z.object({
  id: CommandId,
  sessionId: SessionId,
  /** The tool call that started it. */
  toolCallId: z.string(),
  cmd: z.string(),
  cwd: z.string(),
  shell: z.string(),
  tty: z.boolean(),
  state: CommandState,
  placement: Placement,
  /** A tool call is waiting on it just now: only then can Detach free the chat at once. */
  isAttached: z.boolean(),
  /** Observed, never invented: null while it runs, after a signal, and when the end was not seen. */
  exitCode: z.number().int().nullable(),
  signal: z.string().nullable(),
  by: StopBy.nullable(),
  /** Milliseconds since the epoch. */
  startedAt: z.number(),
  endedAt: z.number().nullable(),
  lastOutputAt: z.number().nullable(),
  /** All that the command wrote so far; what the log does not hold any more of it is told by `gap`. */
  outputBytes: z.number(),
  gap: LogGap.nullable().default(null),
  /** The disk is full, or nearly: it waits at its next write until there is space. */
  isBlocked: z.boolean(),
  /** What it wants of a person; null where nothing is to be told or nothing can be seen, and after its end. */
  attention: Attention.nullable(),
  /** What it uses just now; null while nobody looks, and after its end. */
  resources: ResourceUse.nullable(),
  /** The last lines, cleaned of escape sequences. */
  tail: z.array(z.string()),
  pid: z.number().int().nullable(),
  /** Names this run of the terminal: offsets are absolute within one generation. */
  generation: z.number().int(),
  /** Alive after the exit (or after a failed stop). */
  descendants: z.array(Descendant),
  /** Hidden from the list by "Clear finished"; the chat keeps its card. */
  isCleared: z.boolean(),
});
export type CommandView = z.infer<typeof CommandView>;
