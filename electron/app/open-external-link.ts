import { shell } from 'electron';
import { parseExternalLink } from './external-link.ts';

/**
 * Opens an http, https or mailto link with the system's program for it. False when the link is another, or
 * the system could not open it.
 */
export async function openExternalLink(address: string): Promise<boolean> {
  const link = parseExternalLink(address);
  if (link === null) return false;
  try {
    await shell.openExternal(link);
    return true;
  } catch {
    return false;
  }
}
