/** How a log is laid out in files so that it stays within its quota. All sizes are bytes. */
export interface LogQuota {
  /** The beginning, which is always kept. */
  readonly headBytes: number;
  /** One file of what follows. */
  readonly segmentBytes: number;
  /** The newest output, which is kept in whole files. */
  readonly tailBytes: number;
}

const LARGEST_SEGMENT = 16 * 1024 * 1024;

/** A quarter for the beginning, the rest for a rotating set of files: the finer they are, the less is dropped at once. */
export function logQuota(bytes: number): LogQuota {
  const headBytes = Math.floor(bytes / 4);
  const segmentBytes = Math.max(1, Math.min(LARGEST_SEGMENT, Math.floor(bytes / 16)));
  return { headBytes, segmentBytes, tailBytes: bytes - headBytes };
}
