import type { HostError } from '../../shared/protocol/host.ts';

/** Everything that a tool can answer with instead of a result. */
export const TOOL_ERROR_CODES = [
  'invalid_arguments',
  'workdir_missing',
  'spawn_failed',
  'too_many_commands',
  'unknown_handle',
  'handle_forbidden',
  'command_ended',
  'stdin_not_open',
  'stdin_timeout',
  'awaiting_approval_denied',
  'host_unavailable',
] as const;
export type ToolErrorCode = (typeof TOOL_ERROR_CODES)[number];

export interface ToolError {
  readonly code: ToolErrorCode;
  /** A plain sentence: what was wrong, and what to do. */
  readonly message: string;
}

export const toolError = (code: ToolErrorCode, message: string): ToolError => ({ code, message });

/** What the host refused, in the tools' closed union. */
export function fromHostError(error: HostError): ToolError {
  switch (error.code) {
    case 'input_full':
      return toolError('stdin_timeout', error.message);
    case 'secret_input':
      return toolError('stdin_not_open', error.message);
    case 'internal':
      return toolError('host_unavailable', error.message);
    default:
      return toolError(error.code, error.message);
  }
}
