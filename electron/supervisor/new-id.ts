const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';
const LENGTH = 16;

/** An unguessable id: the prefix, an underscore, and 16 characters (about 82 bits). */
export function newId(prefix: 's' | 'c' | 'm' | 'r'): string {
  let id = `${prefix}_`;
  while (id.length < LENGTH + 2) {
    for (const byte of crypto.getRandomValues(new Uint8Array(LENGTH * 2))) {
      // 252 is the largest multiple of 36 in a byte: above it the first letters would be likelier.
      if (byte < 252 && id.length < LENGTH + 2) id += ALPHABET[byte % 36];
    }
  }
  return id;
}
