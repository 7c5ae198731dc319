import type { HostError } from '../../shared/protocol/host.ts';

/** An error as data. `errno` is the system's own name of the failure. */
export function hostError(code: HostError['code'], message: string, errno?: string): HostError {
  return errno === undefined ? { code, message } : { code, message, errno };
}
