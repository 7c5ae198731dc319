import { z } from 'zod';
import { isTerminal } from '../../../shared/model/command.ts';
import { ok } from '../../../shared/model/result.ts';
import type { CommandRecord } from '../../supervisor/records.ts';
import { TOOL_DESCRIPTIONS } from '../prompts/tool-descriptions.ts';
import { endFacts, idleMs } from './results.ts';
import { defineTool } from './tool.ts';

/** Of those that have ended only the newest: a long session has thousands. */
const ENDED_LISTED = 20;
const NO_PORTS = ok<number[]>([]);

export const listCommands = defineTool({
  name: 'list_commands',
  description: TOOL_DESCRIPTIONS.list_commands,
  input: z.strictObject({}),
  run: async (_input, context) => {
    const now = context.now();
    const all = context.commands.recordsOf(context.sessionId);
    const isAlive = (record: CommandRecord) => !isTerminal(record.state) || record.descendants.length > 0;
    const ended = all.filter((record) => !isAlive(record)).slice(-ENDED_LISTED);
    const commands = await Promise.all(
      [...ended, ...all.filter(isAlive)].map(async (record) => {
        const ports = isAlive(record) ? await context.host.ports(record.id) : NO_PORTS;
        return {
          session_id: record.id,
          command: record.cmd,
          placement: record.placement,
          output_bytes: record.outputBytes,
          ...(isTerminal(record.state)
            ? endFacts(record)
            : { status: record.state, age_ms: now - record.startedAt, idle_ms: idleMs(record, now) }),
          ...(ports.ok && ports.value.length > 0 ? { ports: ports.value } : {}),
        };
      }),
    );
    return ok({ result: { commands } });
  },
});
