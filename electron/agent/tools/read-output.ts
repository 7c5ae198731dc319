import { z } from 'zod';
import type { LogPart } from '../../../shared/model/log-part.ts';
import { ok } from '../../../shared/model/result.ts';
import { completeLength, firstCharacter } from '../../../shared/text/boundary.ts';
import { plainText } from '../../../shared/text/plain-text.ts';
import { modelText } from '../../supervisor/model-text.ts';
import { TOOL_DESCRIPTIONS } from '../prompts/tool-descriptions.ts';
import { screenText } from '../screen-text.ts';
import { defineTool, type ToolContext } from './tool.ts';
import { sessionIdParameter } from './write-stdin.ts';

const DEFAULT_PAGE_BYTES = 8 * 1024;
const MAX_PAGE_BYTES = 32 * 1024;
const SEARCH_CHUNK_BYTES = 256 * 1024;
const MAX_MATCHES = 50;
/** A line longer than this is shown by its beginning. */
const MAX_MATCH_CHARACTERS = 300;

export const readOutput = defineTool({
  name: 'read_output',
  description: TOOL_DESCRIPTIONS.read_output,
  input: z.strictObject({
    session_id: sessionIdParameter,
    offset: z
      .number({ error: 'must be a byte offset' })
      .int('must be a whole number')
      .min(0, 'must not be negative')
      .optional(),
    limit: z
      .number({ error: 'must be a number of bytes' })
      .int('must be a whole number')
      .min(1, 'must be at least 1')
      .max(MAX_PAGE_BYTES, `must be at most ${MAX_PAGE_BYTES}`)
      .optional(),
    search: z.string({ error: 'must be text' }).min(1, 'must not be empty').optional(),
  }),
  run: async (input, context) => {
    const owned = context.commands.owned(input.session_id, context.sessionId);
    if (!owned.ok) return owned;
    const { id, outputBytes } = owned.value;
    const offset = input.offset ?? 0;
    if (input.search !== undefined) {
      const found = await search(context, id, offset, outputBytes, input.search);
      return ok({ result: { ...found, total_bytes: outputBytes } });
    }
    if (input.offset === undefined && input.limit === undefined) {
      return ok({ result: await context.commands.snapshot(id) });
    }
    const to = Math.min(outputBytes, offset + (input.limit ?? DEFAULT_PAGE_BYTES));
    const { from, bytes } = await readPart(context, id, offset, Math.max(offset, to));
    const begin = offset > 0 ? firstCharacter(bytes) : 0;
    const whole = to >= outputBytes ? bytes.length : completeLength(bytes);
    const end = whole > begin ? whole : bytes.length;
    const { text } = await modelText(bytes.subarray(begin, end), screenText);
    return ok({
      result: {
        output: text,
        offset: from,
        ...(from > offset ? { missing_bytes: from - offset } : {}),
        next_offset: from + end,
        total_bytes: outputBytes,
      },
    });
  },
});

/** What is there of [from, to): of a log with a gap it begins behind that, and of one that was removed nothing is left. */
function readPart(context: ToolContext, id: string, from: number, to: number): Promise<LogPart> {
  return context.host.readLogRange(id, from, to).catch(() => ({ from: to, bytes: new Uint8Array(0) }));
}

/**
 * Lines that contain the text, from the offset on, each with its offset and its number in the output, from 1. Reads in
 * chunks from the beginning, so that lines can be counted: memory does not grow with the log.
 */
async function search(context: ToolContext, id: string, from: number, to: number, text: string) {
  const matches: { offset: number; line_number: number; line: string }[] = [];
  let at = 0;
  let lineNumber = 0;
  while (at < to && matches.length < MAX_MATCHES) {
    const chunkEnd = Math.min(to, at + SEARCH_CHUNK_BYTES);
    const { from: begun, bytes } = await readPart(context, id, at, chunkEnd);
    if (bytes.length === 0 && begun === at) break;
    at = begun;
    const isLast = at + bytes.length < chunkEnd || at + bytes.length >= to;
    const lastBreak = bytes.lastIndexOf(10);
    const used = isLast || lastBreak < 0 ? bytes.length : lastBreak + 1;
    for (let begin = 0; begin < used && matches.length < MAX_MATCHES; ) {
      lineNumber++;
      const newline = bytes.indexOf(10, begin);
      const end = newline < 0 || newline >= used ? used : newline;
      const part = bytes.subarray(begin, end);
      if (at + begin >= from && plainText(part).includes(text)) {
        const line = (await modelText(part, screenText)).text;
        matches.push({
          offset: at + begin,
          line_number: lineNumber,
          line: line.slice(0, MAX_MATCH_CHARACTERS),
        });
      }
      begin = end + 1;
    }
    at += used;
  }
  return { matches, next_offset: Math.min(at, to) };
}
