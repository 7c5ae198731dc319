import { WebglAddon } from '@xterm/addon-webgl';
import type { Terminal } from '@xterm/xterm';

/** A page has 16 contexts, and the 17th kills the oldest. */
const MOST_CONTEXTS = 6;
let inUse = 0;
let isReal: boolean | null = null;

/** Names under which software renderers go; newer Chromium does not count them as a performance caveat. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

function askForGpu(): boolean {
  const canvas = document.createElement('canvas');
  const gl = canvas.getContext('webgl2', { failIfMajorPerformanceCaveat: true });
  if (gl === null) return false;
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  const name: unknown = info === null ? '' : gl.getParameter(info.UNMASKED_RENDERER_WEBGL);
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return !SOFTWARE.test(String(name));
}

/**
 * WebGL on a software renderer is 5 to 11 times slower than the DOM renderer. Asked once, since each question makes a
 * context.
 */
function hasRealWebgl(): boolean {
  isReal ??= askForGpu();
  return isReal;
}

/** Draws a terminal by WebGL as long as it is shown. Null: xterm's DOM renderer stays. */
export function drawByWebgl(terminal: Terminal, onLoss: () => void): { dispose(): void } | null {
  if (inUse >= MOST_CONTEXTS || !hasRealWebgl()) return null;
  let isDisposed = false;
  try {
    const addon = new WebglAddon();
    const dispose = () => {
      if (isDisposed) return;
      isDisposed = true;
      inUse--;
      addon.dispose();
    };
    inUse++;
    // xterm goes back to the DOM renderer by itself, with its text whole.
    addon.onContextLoss(() => {
      dispose();
      onLoss();
    });
    terminal.loadAddon(addon);
    return { dispose };
  } catch {
    if (!isDisposed) inUse--;
    return null;
  }
}
