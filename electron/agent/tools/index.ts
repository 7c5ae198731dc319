import { execCommand } from './exec-command.ts';
import { listCommands } from './list-commands.ts';
import { readOutput } from './read-output.ts';
import { stopCommand } from './stop-command.ts';
import type { Tool } from './tool.ts';
import { wait } from './wait.ts';
import { writeStdin } from './write-stdin.ts';

/** The six tools that an agent has, by name. */
export const TOOLS: ReadonlyMap<string, Tool> = new Map(
  [execCommand, writeStdin, wait, listCommands, readOutput, stopCommand].map((tool) => [tool.name, tool]),
);
