import fs from 'node:fs/promises';
import { z } from 'zod';
import { writeFileAtomically } from './atomic-file.ts';

/** Device independent pixels. */
export const DEFAULT_WIDTH = 1440;
export const DEFAULT_HEIGHT = 900;
export const MIN_WIDTH = 960;
export const MIN_HEIGHT = 600;

export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const WindowBounds = z.object({
  x: z.number().int(),
  y: z.number().int(),
  width: z.number().int().positive(),
  height: z.number().int().positive(),
  isMaximized: z.boolean(),
});
/** Where the window was, not maximized, and whether it was maximized. */
export type WindowBounds = z.infer<typeof WindowBounds>;

/** The bounds of the last run; null when there are none, or none that can be used. */
export async function readBounds(file: string): Promise<WindowBounds | null> {
  try {
    return WindowBounds.parse(JSON.parse(await fs.readFile(file, 'utf8')));
  } catch {
    return null;
  }
}

export async function writeBounds(file: string, bounds: WindowBounds): Promise<void> {
  await writeFileAtomically(file, `${JSON.stringify(bounds)}\n`);
}

/** So much of the title bar must be on a screen for the window to be within reach. */
const REACH_WIDTH = 120;
const REACH_HEIGHT = 40;

/**
 * Where to put the window, given the work areas of today's screens. Bounds that are out of reach there lose
 * their place and keep their size; no window is larger than the screen that it is on.
 */
export function fitBounds(
  saved: WindowBounds | null,
  workAreas: readonly Rectangle[],
): { width: number; height: number; x?: number; y?: number } {
  const [first] = workAreas;
  const size = { width: saved?.width ?? DEFAULT_WIDTH, height: saved?.height ?? DEFAULT_HEIGHT };
  const within = (area: Rectangle | undefined): { width: number; height: number } => ({
    width: Math.max(MIN_WIDTH, Math.min(size.width, area?.width ?? size.width)),
    height: Math.max(MIN_HEIGHT, Math.min(size.height, area?.height ?? size.height)),
  });
  const area = saved && workAreas.find((one) => canReach(saved, one));
  return area ? { x: saved.x, y: saved.y, ...within(area) } : within(first);
}

function canReach(window: Rectangle, area: Rectangle): boolean {
  const visible = Math.min(window.x + window.width, area.x + area.width) - Math.max(window.x, area.x);
  return visible >= REACH_WIDTH && window.y >= area.y && window.y + REACH_HEIGHT <= area.y + area.height;
}
