const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000;

/** Code units (1 or 2) of the code point that begins at `at`. */
export function unitsAfter(text: string, at: number): 1 | 2 {
  return isHigh(text.charCodeAt(at)) && isLow(text.charCodeAt(at + 1)) ? 2 : 1;
}

/** Code units (1 or 2) of the code point that ends before `at`. */
export function unitsBefore(text: string, at: number): 1 | 2 {
  return isLow(text.charCodeAt(at - 1)) && isHigh(text.charCodeAt(at - 2)) ? 2 : 1;
}

/**
 * Bytes of UTF-8 of the code point that begins at `at`. A lone surrogate is encoded as U+FFFD, three bytes.
 */
export function bytesOfPoint(text: string, at: number): 1 | 2 | 3 | 4 {
  const unit = text.charCodeAt(at);
  if (unit < 0x80) return 1;
  if (unit < 0x800) return 2;
  return unitsAfter(text, at) === 2 ? 4 : 3;
}

/** Bytes of the text in UTF-8, counted without encoding it. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at += unitsAfter(text, at)) bytes += bytesOfPoint(text, at);
  return bytes;
}

/** The longest beginning of the text that has at most `bytes` bytes of UTF-8, cut at a code point. */
export function headOfBytes(text: string, bytes: number): string {
  let at = 0;
  for (let left = bytes; at < text.length; at += unitsAfter(text, at)) {
    left -= bytesOfPoint(text, at);
    if (left < 0) break;
  }
  return text.slice(0, at);
}

/** The longest end of the text that has at most `bytes` bytes of UTF-8, cut at a code point. */
export function tailOfBytes(text: string, bytes: number): string {
  let at = text.length;
  let left = bytes;
  while (at > 0) {
    const start = at - unitsBefore(text, at);
    left -= bytesOfPoint(text, start);
    if (left < 0) break;
    at = start;
  }
  return text.slice(at);
}

export function countPoints(text: string): number {
  let points = 0;
  for (let at = 0; at < text.length; at += unitsAfter(text, at)) points += 1;
  return points;
}

/** Code units of the first `points` code points, or of all when there are fewer. */
export function unitsOfPoints(text: string, points: number): number {
  let at = 0;
  for (let left = points; left > 0 && at < text.length; left -= 1) at += unitsAfter(text, at);
  return at;
}

/** The last `points` code points of the text. */
export function tailOfPoints(text: string, points: number): string {
  let at = text.length;
  for (let left = points; left > 0 && at > 0; left -= 1) at -= unitsBefore(text, at);
  return text.slice(at);
}
