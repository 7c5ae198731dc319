import { z } from 'zod';
import { MAX_CHARS_BYTES } from '../../../shared/limits.ts';
import { isTerminal } from '../../../shared/model/command.ts';
import { err, ok } from '../../../shared/model/result.ts';
import type { CommandRecord } from '../../supervisor/records.ts';
import { type ToolError, toolError } from '../../supervisor/tool-error.ts';
import { TOOL_DESCRIPTIONS } from '../prompts/tool-descriptions.ts';
import { byteLength, clampTokens, clampYield, tokensParameter, yieldParameter } from './exec-command.ts';
import { readSuccess } from './results.ts';
import { defineTool } from './tool.ts';

/** Exactly this interrupts the foreground process group, also of a command whose stdin is not open. */
const INTERRUPT = '\u0003';

export const sessionIdParameter = z
  .string({ error: 'must be the handle of a command' })
  .min(1, 'must not be empty');

export const writeStdin = defineTool({
  name: 'write_stdin',
  description: TOOL_DESCRIPTIONS.write_stdin,
  input: z.strictObject({
    session_id: sessionIdParameter,
    chars: z
      .string({ error: 'must be text' })
      .refine((text) => byteLength(text) <= MAX_CHARS_BYTES, `must be at most ${MAX_CHARS_BYTES} bytes`)
      .default(''),
    eof: z.boolean({ error: 'must be true or false' }).default(false),
    yield_time_ms: yieldParameter,
    max_output_tokens: tokensParameter,
  }),
  run: async (input, context) => {
    const { commands, limits } = context;
    const owned = commands.owned(input.session_id, context.sessionId);
    if (!owned.ok) return owned;
    const record = owned.value;
    const isEmptyPoll = input.chars === '' && !input.eof;
    if (isTerminal(record.state) && (record.isEndRead || !isEmptyPoll)) return err(commandEnded(record));
    if (!isEmptyPoll && !record.tty && !(input.chars === INTERRUPT && !input.eof)) {
      return err(
        toolError(
          'stdin_not_open',
          `chars: ${record.id} was started without a terminal for input. Start it with tty: true to type into it.`,
        ),
      );
    }
    if (input.chars !== '') {
      const written = await commands.write(record.id, input.chars);
      if (!written.ok) return written;
    }
    if (input.eof) {
      const sent = await commands.sendEof(record.id);
      if (!sent.ok) return sent;
    }
    const answer = await commands.read({
      commandId: record.id,
      toolCallId: context.toolCallId,
      yieldMs: clampYield(
        input.yield_time_ms,
        isEmptyPoll ? limits.pollYieldMs : limits.writeYieldMs,
        limits,
      ),
      maxTokens: clampTokens(input.max_output_tokens),
      signal: context.signal,
    });
    return ok(readSuccess(answer, context.now(), isEmptyPoll));
  },
});

/** Says how it ended, with its last lines. */
export function commandEnded(record: CommandRecord): ToolError {
  const how =
    record.signal ?? (record.exitCode === null ? 'exit not observed' : `exit code ${record.exitCode}`);
  const lines = record.tail.length > 0 ? ` Its last lines:\n${record.tail.join('\n')}` : ' It wrote nothing.';
  return toolError('command_ended', `session_id: ${record.id} has ended (${record.state}, ${how}).${lines}`);
}
