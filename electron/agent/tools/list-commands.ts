import { z } from 'zod';
import { isTerminal } from '../../../shared/model/command.ts';
import { ok } from '../../../shared/model/result.ts';
import { TOOL_DESCRIPTIONS } from '../prompts/tool-descriptions.ts';
import { endFacts, idleMs } from './results.ts';
import { defineTool } from './tool.ts';

export const listCommands = defineTool({
  name: 'list_commands',
  description: TOOL_DESCRIPTIONS.list_commands,
  input: z.strictObject({}),
  run: async (_input, context) => {
    const now = context.now();
    const commands = context.commands.recordsOf(context.sessionId).map((record) => ({
      session_id: record.id,
      command: record.cmd,
      placement: record.placement,
      output_bytes: record.outputBytes,
      ...(isTerminal(record.state)
        ? endFacts(record)
        : { status: record.state, age_ms: now - record.startedAt, idle_ms: idleMs(record, now) }),
    }));
    return ok({ result: { commands } });
  },
});
