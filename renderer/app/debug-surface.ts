import { findTerminal } from '../features/terminals/registry.ts';

/**
 * A read-only view of the terminals for people who debug and for tests: what is in a terminal is drawn, not in the
 * page's text. In the developer tools: `switchyardTest.terminalText('c_…')`.
 */
export interface DebugSurface {
  /** All text of a command's terminal; empty when it has none in this window. */
  terminalText(commandId: string): string;
  terminalRenderer(commandId: string): 'webgl' | 'dom' | null;
}

declare global {
  interface Window {
    readonly switchyardTest: DebugSurface;
  }
}

/** Puts the surface on the window. */
export function offerDebugSurface(): void {
  const surface: DebugSurface = Object.freeze({
    terminalText: (id: string) => findTerminal(id)?.text() ?? '',
    terminalRenderer: (id: string) => findTerminal(id)?.renderer ?? null,
  });
  Object.defineProperty(window, 'switchyardTest', { value: surface });
}
