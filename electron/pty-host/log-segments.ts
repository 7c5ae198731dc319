import fs from 'node:fs';
import path from 'node:path';
import type { LogGap } from '../../shared/model/log-gap.ts';
import type { LogPart } from '../../shared/model/log-part.ts';
import { errnoOf } from './system-names.ts';

/** One file of a log. The beginning is output.log, each later one is named by the offset of its first byte. */
export interface LogSegment {
  readonly offset: number;
  readonly size: number;
}

const HEAD = 'output.log';
const LATER = /^output\.([1-9]\d{0,15})\.log$/;
/** While the files are read the host may remove the oldest of the tail. */
const ATTEMPTS = 4;

/** File name of the segment that begins at `offset` bytes. */
export function segmentName(offset: number): string {
  return offset === 0 ? HEAD : `output.${offset}.log`;
}

/** Offset at which a segment of this name begins; null when it is not the name of one. */
export function segmentOffset(name: string): number | null {
  if (name === HEAD) return 0;
  const digits = LATER.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** The files of the log in a command's folder, in order. Rejects with the system's error when there is no folder. */
export async function listSegments(folder: string): Promise<LogSegment[]> {
  const segments: LogSegment[] = [];
  for (const name of await fs.promises.readdir(folder)) {
    const offset = segmentOffset(name);
    if (offset === null) continue;
    const found = await fs.promises.lstat(path.join(folder, name)).catch(() => null);
    if (found?.isFile()) segments.push({ offset, size: found.size });
  }
  return segments.sort((a, b) => a.offset - b.offset);
}

/** Offset behind the last byte of a log. */
export function segmentsEnd(segments: readonly LogSegment[]): number {
  return segments.reduce((end, { offset, size }) => Math.max(end, offset + size), 0);
}

/** What lies between the files of a log that reaches up to `end`; null when nothing is missing. */
export function gapBetween(segments: readonly LogSegment[], end: number): LogGap | null {
  let from: number | null = null;
  let to = 0;
  let seen = 0;
  let kept = 0;
  for (const { offset, size } of segments) {
    if (offset > seen) {
      from ??= seen;
      to = offset;
    }
    seen = offset + size;
    kept += size;
  }
  if (seen < end) {
    from ??= seen;
    to = end;
  }
  return from === null ? null : { from, to, droppedBytes: end - kept };
}

/**
 * Up to `length` bytes of the log in a command's folder, from the first byte at or after `offset` that is there, without
 * a gap inside; none at `offset` itself when nothing follows. Rejects with the system's error when there is no log.
 */
export async function readLogFiles(folder: string, offset: number, length: number): Promise<LogPart> {
  const whole = await readHead(folder, offset, length);
  if (whole !== null) return { from: offset, bytes: whole };
  for (let attempt = 1; ; attempt++) {
    try {
      return await readSegments(folder, await listSegments(folder), offset, length);
    } catch (error) {
      if (attempt === ATTEMPTS || errnoOf(error) !== 'ENOENT') throw error;
    }
  }
}

/** What was asked for, if all of it is in the first file: most logs have no other. */
async function readHead(folder: string, offset: number, length: number): Promise<Uint8Array | null> {
  const file = await open(path.join(folder, HEAD)).catch(() => null);
  if (file === null) return null;
  try {
    if (offset + length > (await file.stat()).size) return null;
    const bytes = new Uint8Array(length);
    return (await fill(file, bytes, offset)) === length ? bytes : null;
  } finally {
    await file.close();
  }
}

async function readSegments(
  folder: string,
  segments: readonly LogSegment[],
  offset: number,
  length: number,
): Promise<LogPart> {
  if (segments.length === 0) await fs.promises.access(path.join(folder, HEAD)); // its error says what is wrong
  const first = segments.findIndex((segment) => segment.offset + segment.size > offset);
  const begin = segments[first];
  if (begin === undefined || length <= 0) return { from: offset, bytes: new Uint8Array(0) };
  const from = Math.max(offset, begin.offset);
  let end = from;
  for (const segment of segments.slice(first)) {
    if (segment.offset > end) break;
    end = segment.offset + segment.size;
  }
  const bytes = new Uint8Array(Math.min(length, end - from));
  let have = 0;
  for (const segment of segments.slice(first)) {
    if (have === bytes.length) break;
    const file = await open(path.join(folder, segmentName(segment.offset)));
    try {
      const at = from + have - segment.offset;
      const wanted = bytes.subarray(have, have + Math.min(segment.size - at, bytes.length - have));
      const read = await fill(file, wanted, at);
      have += read;
      if (read < wanted.length) break; // it was cut by somebody
    } finally {
      await file.close();
    }
  }
  return { from, bytes: bytes.subarray(0, have) };
}

function open(file: string): Promise<fs.promises.FileHandle> {
  return fs.promises.open(file, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0));
}

/** How many of the wanted bytes there were. */
async function fill(file: fs.promises.FileHandle, bytes: Uint8Array, at: number): Promise<number> {
  let have = 0;
  while (have < bytes.length) {
    const { bytesRead } = await file.read(bytes, have, bytes.length - have, at + have);
    if (bytesRead === 0) break;
    have += bytesRead;
  }
  return have;
}
