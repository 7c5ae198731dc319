const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/** `512 B`, `31 KB`, `4.1 MB`: one digit after the point below ten, in steps of 1,024. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  const text = unit > 1 && value < 10 ? value.toFixed(1) : String(Math.round(value));
  return `${text} ${UNITS[unit]}`;
}
