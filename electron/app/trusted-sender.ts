import type { WebContents, WebFrameMain } from 'electron';
import { ORIGIN } from './app-assets.ts';

interface FromPage {
  readonly sender: WebContents;
  readonly senderFrame: WebFrameMain | null;
}

/** Says whether a message comes from the main frame of our own window, showing our own page. */
export function trustedSender(page: () => WebContents | null): (event: FromPage) => boolean {
  return ({ sender, senderFrame }) =>
    sender === page() && senderFrame !== null && senderFrame.parent === null && senderFrame.origin === ORIGIN;
}
