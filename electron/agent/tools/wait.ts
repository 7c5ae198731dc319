import { z } from 'zod';
import type { CommandId } from '../../../shared/model/ids.ts';
import { ok } from '../../../shared/model/result.ts';
import { defineTool } from './tool.ts';
import { sessionIdParameter } from './write-stdin.ts';

export const wait = defineTool({
  name: 'wait',
  description:
    'Ends the turn and sleeps until all of these commands have ended. No request is spent while it sleeps; you are ' +
    'woken once, with how each ended.',
  input: z.strictObject({
    session_ids: z
      .array(sessionIdParameter, { error: 'must be a list of handles' })
      .min(1, 'must name at least one handle'),
    until: z.literal('exit', { error: 'must be "exit"' }).default('exit'),
  }),
  run: async (input, context) => {
    const ids: CommandId[] = [];
    for (const id of input.session_ids) {
      const owned = context.commands.owned(id, context.sessionId);
      if (!owned.ok) return owned;
      ids.push(owned.value.id);
    }
    const alive = ids.filter((id) => !context.commands.hasEnded(id));
    if (alive.length === 0) {
      return ok({
        result: {
          status: 'ended',
          note: 'All of them have ended already. write_stdin with empty chars reads how.',
        },
      });
    }
    return ok({ result: { status: 'waiting', session_ids: alive }, waitFor: alive });
  },
});
