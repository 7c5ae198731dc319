const SCHEMES = ['http:', 'https:', 'mailto:'];

/**
 * The normal form of a link that may be handed to the system, or null: a file or a custom scheme could run
 * things.
 */
export function parseExternalLink(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const { protocol, href } = new URL(address);
  return SCHEMES.includes(protocol) ? href : null;
}
