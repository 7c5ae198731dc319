const MAX_CHARACTERS = 200;
/** A run of this many characters that also stands in the request is taken as an echo of it. */
const ECHO_CHARACTERS = 24;
/** What begins like a key, and long runs without a space: keys, tokens, ids; nothing to read. */
const TOKEN = /\bsk-[\w-]+|[A-Za-z0-9_\-+/=.]{24,}/g;
const SECRET_WORDS = /(?:authorization|bearer|api[-_ ]?key|x-api-key|cookie|secret|password)/i;

/**
 * What a service says about an error, fit to be shown: one short line, and nothing at all when it speaks of keys or
 * repeats what was sent. An error text must never carry a key, a header or a conversation.
 */
export function quote(message: string | undefined, key: string | null, sent: string): string | null {
  const line = message?.replace(/\s+/g, ' ').trim() ?? '';
  if (line === '' || SECRET_WORDS.test(line) || (key !== null && key !== '' && line.includes(key)))
    return null;
  if (isEcho(line, sent)) return null;
  const characters = Array.from(line.replace(TOKEN, '…'));
  return characters.length > MAX_CHARACTERS
    ? `${characters.slice(0, MAX_CHARACTERS).join('')}…`
    : characters.join('');
}

function isEcho(line: string, sent: string): boolean {
  for (let at = 0; at + ECHO_CHARACTERS <= line.length; at++)
    if (sent.includes(line.slice(at, at + ECHO_CHARACTERS))) return true;
  return false;
}
