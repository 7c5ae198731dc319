import { z } from 'zod';
import { CommandId } from './ids.ts';

/** What a living command uses just now, all its processes together. */
export const ResourceUse = z.object({
  /** Percent of one core over the last interval: two busy cores are 200. Null until there was an interval, or where it cannot be seen. */
  cpuPercent: z.number().nullable(),
  /** Resident memory in bytes; pages that processes share count for each. Null where it cannot be seen. */
  memoryBytes: z.number().nullable(),
  /** Living processes, the runner not counted. Null where they cannot be seen. */
  processes: z.number().int().nullable(),
  /** Ports on which they listen, ascending. */
  ports: z.array(z.number().int()),
  /** Bytes of output that are kept. */
  logBytes: z.number(),
});
export type ResourceUse = z.infer<typeof ResourceUse>;

export const CommandResources = ResourceUse.extend({ id: CommandId });
export type CommandResources = z.infer<typeof CommandResources>;
