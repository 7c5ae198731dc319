const listeners = new Map<string, () => void>();

/** The pane of a command opens its find box when it is asked to. Returns the way out. */
export function onFindAsked(commandId: string, open: () => void): () => void {
  listeners.set(commandId, open);
  return () => {
    if (listeners.get(commandId) === open) listeners.delete(commandId);
  };
}

/** Asks the pane of a command for its find box: the shortcut is pressed inside xterm, outside React. */
export const askFind = (commandId: string): void => listeners.get(commandId)?.();
