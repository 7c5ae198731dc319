import fs from 'node:fs';

const AT_PAGESZ = 6;
const AT_CLKTCK = 17;
const ENTRY_BYTES = 16;

/** What the kernel counts in. */
export interface SystemUnits {
  readonly pageBytes: number;
  readonly ticksPerSecond: number;
}

/** Linux: from the auxiliary vector that the kernel gave this process; the usual values where it cannot be read. */
export function readSystemUnits(): SystemUnits {
  let vector: Buffer;
  try {
    vector = fs.readFileSync('/proc/self/auxv');
  } catch {
    vector = Buffer.alloc(0);
  }
  return parseAuxiliaryVector(vector);
}

/** Pairs of 64-bit numbers, little endian: a type and its value. */
export function parseAuxiliaryVector(vector: Buffer): SystemUnits {
  const values = new Map<number, number>();
  for (let at = 0; at + ENTRY_BYTES <= vector.length; at += ENTRY_BYTES) {
    values.set(Number(vector.readBigUInt64LE(at)), Number(vector.readBigUInt64LE(at + 8)));
  }
  return { pageBytes: values.get(AT_PAGESZ) ?? 4_096, ticksPerSecond: values.get(AT_CLKTCK) ?? 100 };
}
