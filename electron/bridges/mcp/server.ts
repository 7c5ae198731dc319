import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema, type Tool } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { TOOLS } from '../../agent/tools/index.ts';
import type { Clock } from '../../supervisor/ports.ts';
import { reportProgress } from './progress.ts';
import type { ToolCalls } from './tool-calls.ts';

const INSTRUCTIONS =
  'Commands run in terminals of their own and outlive a call: a result with a session_id means that the command runs ' +
  'on. Go on with other work and call wait for its end, for a line of its output or for a port; do not poll in a loop. ' +
  'Handles are known to this connection only. What is still running when it closes runs on until it ends by itself or ' +
  'is stopped in the Switchyard window.';

/** Here a call waits itself; there is no turn that could end. */
const WAIT_DESCRIPTION =
  'Waits inside this call until all of these commands have ended; or, with until, until one of them writes a line ' +
  'that matches, or listens on a port. Returns what happened. With deadline_ms it returns then at the latest; the ' +
  'commands run on. Cancelling it only ends the waiting.';

/** These may take long; the others answer at once. */
const WAITING_TOOLS = ['exec_command', 'write_stdin', 'wait', 'stop_command'];
const READING_TOOLS = ['wait', 'list_commands', 'read_output'];

/** The six tools as the protocol describes them. There are no output schemas: a result has one of several shapes. */
export const toolList: readonly Tool[] = [...TOOLS.values()].map((tool) => ({
  name: tool.name,
  description: tool.name === 'wait' ? WAIT_DESCRIPTION : tool.description,
  inputSchema: z.toJSONSchema(tool.input, { io: 'input' }) as Tool['inputSchema'],
  annotations: { readOnlyHint: READING_TOOLS.includes(tool.name) },
}));

/**
 * A server for one client. The low-level one: arguments are checked by the tools themselves, whose errors name the
 * parameter. `serveTools` gives it its tools; all that it has no handler for is answered with "method not found".
 */
export function createServer(version: string): Server {
  return new Server(
    { name: 'switchyard', title: 'Switchyard', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
}

/** Answers for the six tools. */
export function serveTools(server: Server, calls: ToolCalls, clock: Clock): void {
  let count = 0;
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...toolList] }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, _meta, sendNotification }) => {
    count += 1;
    const call = { id: `mcp-${count}`, name: params.name, input: params.arguments ?? {}, signal };
    const progressToken = _meta?.progressToken;
    const isReported = progressToken !== undefined && WAITING_TOOLS.includes(call.name);
    const stopReporting = isReported
      ? reportProgress(
          clock,
          () => calls.describe(call),
          (progress) => {
            const told = {
              method: 'notifications/progress' as const,
              params: { progressToken, ...progress },
            };
            sendNotification(told).catch(() => {}); // the client is gone, which is noticed elsewhere
          },
        )
      : () => {};
    try {
      return await calls.run(call);
    } finally {
      stopReporting();
    }
  });
}
