import path from 'node:path';
import { z } from 'zod';
import {
  DEFAULT_OUTPUT_TOKENS,
  MAX_COMMAND_BYTES,
  MAX_DEADLINE_MS,
  MAX_OUTPUT_TOKENS,
} from '../../../shared/limits.ts';
import { ok } from '../../../shared/model/result.ts';
import { TOOL_DESCRIPTIONS } from '../prompts/tool-descriptions.ts';
import { readSuccess } from './results.ts';
import { defineTool, type ToolContext } from './tool.ts';

export const yieldParameter = z.number({ error: 'must be a number of milliseconds' }).optional();
export const deadlineParameter = z
  .number({ error: 'must be a number of milliseconds' })
  .int('must be a whole number of milliseconds')
  .min(1, 'must be at least 1')
  .max(MAX_DEADLINE_MS, `must be at most ${MAX_DEADLINE_MS} (a day)`)
  .optional();
export const tokensParameter = z
  .number({ error: 'must be a number' })
  .int('must be a whole number')
  .min(1, 'must be at least 1')
  .optional();

/** A yield in the allowed range, whatever was asked for. */
export function clampYield(
  asked: number | undefined,
  fallback: number,
  limits: ToolContext['limits'],
): number {
  return Math.min(limits.maxYieldMs, Math.max(limits.minYieldMs, asked ?? fallback));
}

export const clampTokens = (asked: number | undefined) =>
  Math.min(MAX_OUTPUT_TOKENS, asked ?? DEFAULT_OUTPUT_TOKENS);

/** Bytes of UTF-8 in a text. */
export const byteLength = (text: string) => new TextEncoder().encode(text).length;

export const execCommand = defineTool({
  name: 'exec_command',
  description: TOOL_DESCRIPTIONS.exec_command,
  input: z.strictObject({
    cmd: z
      .string({ error: 'must be the text of a command' })
      .refine((text) => text.trim() !== '', 'must not be blank')
      .refine((text) => !text.includes('\0'), 'must not hold a NUL character')
      .refine((text) => byteLength(text) <= MAX_COMMAND_BYTES, `must be at most ${MAX_COMMAND_BYTES} bytes`),
    workdir: z.string({ error: 'must be a path' }).min(1, 'must not be empty').optional(),
    tty: z.boolean({ error: 'must be true or false' }).default(false),
    yield_time_ms: yieldParameter,
    max_output_tokens: tokensParameter,
    timeout_ms: deadlineParameter,
  }),
  run: async (input, context) => {
    const started = await context.commands.start({
      sessionId: context.sessionId,
      toolCallId: context.toolCallId,
      cmd: input.cmd,
      cwd: path.resolve(context.workspace, input.workdir ?? '.'),
      tty: input.tty,
      deadlineMs: input.timeout_ms ?? null,
    });
    if (!started.ok) return started;
    const answer = await context.commands.read({
      commandId: started.value.id,
      toolCallId: context.toolCallId,
      yieldMs: clampYield(input.yield_time_ms, context.limits.execYieldMs, context.limits),
      maxTokens: clampTokens(input.max_output_tokens),
      signal: context.signal,
    });
    // Nobody has its handle: after the abort no one could ever look after it.
    if (answer.end === 'aborted' && !answer.record.hasYielded && answer.record.placement === 'foreground') {
      await context.commands.stop(answer.record.id, 'user');
    }
    return ok(readSuccess(answer, context.now(), false));
  },
});
