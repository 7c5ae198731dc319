import { z } from 'zod';
import { MAX_PATTERN_CHARACTERS } from '../../../shared/limits.ts';
import type { CommandId } from '../../../shared/model/ids.ts';
import { ok } from '../../../shared/model/result.ts';
import type { WaitUntil } from '../../../shared/model/session.ts';
import type { CommandRecord } from '../../supervisor/records.ts';
import { TOOL_DESCRIPTIONS } from '../prompts/tool-descriptions.ts';
import { deadlineParameter } from './exec-command.ts';
import { defineTool } from './tool.ts';
import { sessionIdParameter } from './write-stdin.ts';

const MAX_PORT = 65_535;
const Until = z
  .union(
    [
      z.literal('exit'),
      z.strictObject({ match: z.string().min(1).max(MAX_PATTERN_CHARACTERS).refine(isPattern) }),
      z.strictObject({ port: z.number().int().min(1).max(MAX_PORT) }),
    ],
    {
      error: `must be "exit", {"match": a regular expression of at most ${MAX_PATTERN_CHARACTERS} characters} or {"port": 1 to ${MAX_PORT}}`,
    },
  )
  .describe(
    'What to wait for: "exit", {"match": a regular expression for a line of output}, or {"port": a number}.',
  );

export const wait = defineTool({
  name: 'wait',
  description: TOOL_DESCRIPTIONS.wait,
  input: z.strictObject({
    session_ids: z
      .array(sessionIdParameter, { error: 'must be a list of handles' })
      .min(1, 'must name at least one handle'),
    until: Until.default('exit'),
    deadline_ms: deadlineParameter,
  }),
  run: async (input, context) => {
    const records: CommandRecord[] = [];
    for (const id of input.session_ids) {
      const owned = context.commands.owned(id, context.sessionId);
      if (!owned.ok) return owned;
      records.push(owned.value);
    }
    const alive = records.filter((record) => !context.commands.hasEnded(record.id));
    if (alive.length === 0) {
      const note = 'All of them have ended already. write_stdin with empty chars reads how.';
      return ok({ result: { status: 'ended', note } });
    }
    const until = conditionOf(input.until, alive);
    const commandIds: CommandId[] = alive.map((record) => record.id);
    return ok({
      result: { status: 'waiting', session_ids: commandIds },
      waitFor: { commandIds, until, deadlineMs: input.deadline_ms ?? null },
    });
  },
});

/** A match looks at what the agent has not read yet: the line may have come before the call. */
function conditionOf(until: z.infer<typeof Until>, alive: readonly CommandRecord[]): WaitUntil {
  if (until === 'exit') return { kind: 'exit' };
  if ('port' in until) return { kind: 'port', port: until.port };
  return {
    kind: 'match',
    pattern: until.match,
    from: Object.fromEntries(alive.map(({ id, cursor }) => [id, cursor])),
  };
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text, 'u');
    return true;
  } catch {
    return false;
  }
}
