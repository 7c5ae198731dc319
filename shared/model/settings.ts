import { z } from 'zod';
import { DEFAULT_LIMITS, type Limits, MAX_TIMER_MS } from '../limits.ts';

export const Theme = z.enum(['system', 'dark', 'light']);
export type Theme = z.infer<typeof Theme>;

/** Sizes may be larger than what a timer can hold. */
const largest = (name: string) => (name.endsWith('Bytes') ? Number.MAX_SAFE_INTEGER : MAX_TIMER_MS);

/** What happens to live commands when the app quits. */
export const OnQuit = z.enum(['ask', 'leave', 'stop']);
export type OnQuit = z.infer<typeof OnQuit>;

const shape = Object.fromEntries(
  Object.keys(DEFAULT_LIMITS).map((name) => [
    name,
    z.number().int().positive().max(largest(name)).optional(),
  ]),
) as { [K in keyof Limits]: z.ZodOptional<z.ZodNumber> };

/** What settings.json may hold. A limit that is not named keeps its default. */
export const Settings = z.strictObject({
  theme: Theme.default('system'),
  onQuit: OnQuit.default('ask'),
  limits: z.strictObject(shape).default({}),
});
export type Settings = z.infer<typeof Settings>;
export const DEFAULT_SETTINGS: Settings = { theme: 'system', onQuit: 'ask', limits: {} };

/** The limits in force under the given settings. */
export function limitsOf(settings: Settings): Limits {
  const named = Object.entries(settings.limits).filter(([, value]) => value !== undefined);
  return { ...DEFAULT_LIMITS, ...(Object.fromEntries(named) as Partial<Limits>) };
}
