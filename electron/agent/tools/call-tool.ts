import type { ToolCall } from '../../../shared/model/message.ts';
import { err, type Result } from '../../../shared/model/result.ts';
import { type ToolError, toolError } from '../../supervisor/tool-error.ts';
import type { Tool, ToolContext, ToolSuccess } from './tool.ts';

/**
 * Runs a tool call for a session. Whoever calls saves the result, and then releases what it holds.
 */
export async function callTool(
  tools: ReadonlyMap<string, Tool>,
  call: ToolCall,
  context: Omit<ToolContext, 'toolCallId'>,
): Promise<Result<ToolSuccess, ToolError>> {
  const tool = tools.get(call.name);
  if (tool) return tool.run(call.input, { ...context, toolCallId: call.id });
  const names = [...tools.keys()].join(', ');
  return err(toolError('invalid_arguments', `There is no tool ${call.name}. There are: ${names}.`));
}
