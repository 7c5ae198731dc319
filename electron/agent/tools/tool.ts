import type { z } from 'zod';
import type { CommandId, SessionId } from '../../../shared/model/ids.ts';
import { err, type Result } from '../../../shared/model/result.ts';
import type { CommandEvent } from '../../supervisor/command-machine.ts';
import type { Commands } from '../../supervisor/commands.ts';
import type { CommandHost } from '../../supervisor/ports.ts';
import type { GuardLook } from '../../supervisor/quiet-guard.ts';
import { type ToolError, toolError } from '../../supervisor/tool-error.ts';
import type { WaitRequest } from '../../supervisor/wait-machine.ts';

/** What a tool may use. It acts for one session and for nothing else. */
export interface ToolContext {
  readonly sessionId: SessionId;
  readonly toolCallId: string;
  readonly workspace: string;
  readonly commands: Commands;
  readonly host: CommandHost;
  readonly now: () => number;
  readonly limits: {
    readonly execYieldMs: number;
    readonly writeYieldMs: number;
    readonly pollYieldMs: number;
    readonly minYieldMs: number;
    readonly maxYieldMs: number;
  };
  readonly signal: AbortSignal;
}

/** What a result changes of a command. */
export interface ResultChanges {
  readonly commandId: CommandId;
  readonly events: readonly CommandEvent[];
  /** Lets the next readout of the command begin: when the result was saved, or could not be. */
  readonly release: () => void;
}

/** A successful call. A command that failed is a successful call that tells so. */
export interface ToolSuccess {
  readonly result: Readonly<Record<string, unknown>>;
  /** What the call changes of a command: saved together with the result, and only then true. */
  readonly changes?: ResultChanges;
  /** What the quiet guard is to look at. */
  readonly look?: GuardLook;
  /** An empty poll of a command in the background. */
  readonly jobPoll?: CommandId;
  /** The turn is to end, and the session to sleep until this. */
  readonly waitFor?: WaitRequest;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType;
  run(input: unknown, context: ToolContext): Promise<Result<ToolSuccess, ToolError>>;
}

/** Makes a tool of its schema and its body: unknown keys and wrong types are refused before the body sees them. */
export function defineTool<S extends z.ZodType>(spec: {
  readonly name: string;
  readonly description: string;
  readonly input: S;
  readonly run: (input: z.output<S>, context: ToolContext) => Promise<Result<ToolSuccess, ToolError>>;
}): Tool {
  return {
    name: spec.name,
    description: spec.description,
    input: spec.input,
    run: async (input, context) => {
      const parsed = spec.input.safeParse(input);
      if (!parsed.success) return err(invalidArguments(parsed.error));
      return spec.run(parsed.data, context);
    },
  };
}

/** The first thing wrong with the arguments, by the name of its parameter. */
export function invalidArguments(error: z.ZodError): ToolError {
  const issue = error.issues[0];
  if (!issue) return toolError('invalid_arguments', 'The arguments are not valid.');
  if (issue.code === 'unrecognized_keys') {
    return toolError('invalid_arguments', `${issue.keys.join(', ')}: there is no such parameter.`);
  }
  const name = issue.path.length > 0 ? issue.path.join('.') : 'arguments';
  return toolError('invalid_arguments', `${name}: ${issue.message}`);
}
