import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { ToolError } from '../../supervisor/tool-error.ts';

/**
 * The result of a call, whole in both places: some clients give their model only the structured content, others only
 * the text.
 */
export function answer(result: Readonly<Record<string, unknown>>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: { ...result } };
}

/** What a tool answered instead of a result, in the same two places. */
export function errorAnswer({ code, message }: ToolError): CallToolResult {
  return { ...answer({ error: { code, message } }), isError: true };
}
