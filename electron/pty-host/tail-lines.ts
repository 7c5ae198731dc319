import { TAIL_LINES } from '../../shared/limits.ts';
import { firstCharacter } from '../../shared/text/boundary.ts';
import { lastLines, plainText } from '../../shared/text/plain-text.ts';

/** The last lines of an output as a person would see them, from its last bytes, which may begin anywhere. */
export function tailLines(bytes: Uint8Array): string[] {
  return lastLines(plainText(bytes.subarray(firstCharacter(bytes))), TAIL_LINES);
}
