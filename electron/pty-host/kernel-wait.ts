/** What a thread sleeps in, as far as it may concern a descriptor that can be read. */
export type KernelWait =
  | { readonly kind: 'read'; readonly fd: number }
  /** An array of `count` pollfd at `address` in its memory. */
  | { readonly kind: 'poll'; readonly address: number; readonly count: number }
  /** A set of descriptors below `limit` at `address` in its memory. */
  | { readonly kind: 'select'; readonly address: number; readonly limit: number }
  | { readonly kind: 'epoll'; readonly fd: number }
  | { readonly kind: 'other' };

/** More than a program polls beside its terminal: what is larger is not looked through. */
const POLLED_MAX = 4_096;
const POLLIN = 1;
const POLLFD_BYTES = 8;

type Kind = Exclude<KernelWait['kind'], 'other'>;

/** System calls by number, for the processors that the app is built for. */
const CALLS: Readonly<Partial<Record<NodeJS.Architecture, Readonly<Record<number, Kind>>>>> = {
  x64: {
    0: 'read',
    19: 'read', // readv
    7: 'poll',
    271: 'poll', // ppoll
    23: 'select',
    270: 'select', // pselect6
    232: 'epoll',
    281: 'epoll', // epoll_pwait
    441: 'epoll', // epoll_pwait2
  },
  arm64: { 63: 'read', 65: 'read', 73: 'poll', 72: 'select', 22: 'epoll', 441: 'epoll' },
};

/** Whether the system calls of this processor are known. */
export const canReadCalls = CALLS[process.arch] !== undefined;

/** Reads a line of /proc/PID/syscall: number, six arguments, stack and instruction pointer; or `running`. */
export function parseSyscall(line: string, arch: NodeJS.Architecture = process.arch): KernelWait {
  const [number = '', ...words] = line.trim().split(' ');
  const kind = /^\d+$/.test(number) ? CALLS[arch]?.[Number(number)] : undefined;
  // A descriptor is an int: what stands in the upper half of the register means nothing.
  const int = (index: number) => Number(BigInt(words[index] ?? '0x0') & 0x7fff_ffffn);
  const address = (index: number) => Number(BigInt(words[index] ?? '0x0'));
  switch (kind) {
    case undefined:
      return { kind: 'other' };
    case 'poll':
      return { kind, address: address(0), count: Math.min(int(1), POLLED_MAX) };
    case 'select':
      return { kind, limit: Math.min(int(0), POLLED_MAX), address: address(1) };
    default:
      return { kind, fd: int(0) };
  }
}

/** Descriptors that an epoll instance watches for input, from /proc/PID/fdinfo/FD. */
export function parseEpoll(text: string): number[] {
  const fds: number[] = [];
  for (const [, fd = '', events = ''] of text.matchAll(/^tfd:\s*(\d+)\s+events:\s*([0-9a-f]+)/gm)) {
    if ((Number.parseInt(events, 16) & POLLIN) !== 0) fds.push(Number(fd));
  }
  return fds;
}

/** Descriptors that an array of pollfd asks input of. */
export function parsePollFds(memory: Buffer): number[] {
  const fds: number[] = [];
  for (let at = 0; at + POLLFD_BYTES <= memory.length; at += POLLFD_BYTES) {
    const fd = memory.readInt32LE(at);
    if (fd >= 0 && (memory.readInt16LE(at + 4) & POLLIN) !== 0) fds.push(fd);
  }
  return fds;
}

/** Bytes of an array of pollfd, and of a set of descriptors. */
export const pollFdsSize = (count: number) => count * POLLFD_BYTES;
export const fdSetSize = (limit: number) => Math.ceil(limit / 64) * 8;

/** Descriptors in a set, of which those below `limit` count. */
export function parseFdSet(memory: Buffer, limit: number): number[] {
  const fds: number[] = [];
  for (let fd = 0; fd < limit && fd >> 3 < memory.length; fd++) {
    if (((memory[fd >> 3] ?? 0) & (1 << (fd & 7))) !== 0) fds.push(fd);
  }
  return fds;
}
