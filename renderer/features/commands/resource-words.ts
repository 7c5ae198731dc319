import type { CommandView } from '../../../shared/model/command.ts';
import { formatBytes } from '../../ui/byte-size.ts';

/** What is not known, or no longer true. */
const NOTHING = '-';

/** Percent of one core: two busy cores are 200%. */
export function cpuWords({ resources }: Pick<CommandView, 'resources'>): string {
  return resources?.cpuPercent == null ? NOTHING : `${Math.round(resources.cpuPercent)}%`;
}

export function memoryWords({ resources }: Pick<CommandView, 'resources'>): string {
  return resources?.memoryBytes == null ? NOTHING : formatBytes(resources.memoryBytes);
}

/** Ports on which a command, or what it left behind, listens. */
export function portsOf(
  command: Pick<CommandView, 'attention' | 'resources' | 'descendants'>,
): readonly number[] {
  const left = command.descendants.flatMap(({ ports }) => ports);
  const own = command.attention?.ports ?? command.resources?.ports ?? [];
  return [...new Set([...own, ...left])].sort((a, b) => a - b);
}
