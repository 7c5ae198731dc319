/** States that are final; the others are `running`, `stopping` and `unknown`. Free of zod: the window uses it too. */
export const TERMINAL_STATES = ['completed', 'failed', 'timeout', 'stopped', 'lost'] as const;
export const COMMAND_STATES = ['running', 'stopping', 'unknown', ...TERMINAL_STATES] as const;
export type TerminalState = (typeof TERMINAL_STATES)[number];

export const isTerminal = (state: (typeof COMMAND_STATES)[number]): state is TerminalState =>
  (TERMINAL_STATES as readonly string[]).includes(state);
