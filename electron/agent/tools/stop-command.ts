import { z } from 'zod';
import { isTerminal } from '../../../shared/model/command.ts';
import { ok } from '../../../shared/model/result.ts';
import { TOOL_DESCRIPTIONS } from '../prompts/tool-descriptions.ts';
import { clampTokens } from './exec-command.ts';
import { readSuccess } from './results.ts';
import { defineTool } from './tool.ts';
import { sessionIdParameter } from './write-stdin.ts';

export const stopCommand = defineTool({
  name: 'stop_command',
  description: TOOL_DESCRIPTIONS.stop_command,
  input: z.strictObject({ session_id: sessionIdParameter }),
  run: async (input, context) => {
    const owned = context.commands.owned(input.session_id, context.sessionId);
    if (!owned.ok) return owned;
    const { id, state } = owned.value;
    const asked = await context.commands.stop(id, 'agent');
    if (!asked.ok) return asked;
    if (isTerminal(state))
      return ok({
        result: { status: state, note: 'It had ended; what it left running is being stopped.' },
      });
    const answer = await context.commands.read({
      isUntilEnd: true,
      commandId: id,
      toolCallId: context.toolCallId,
      yieldMs: context.limits.maxYieldMs,
      maxTokens: clampTokens(undefined),
      signal: context.signal,
    });
    return ok(readSuccess(answer, context.now(), false));
  },
});
