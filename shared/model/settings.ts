import { z } from 'zod';
import { DEFAULT_LIMITS, type Limits, MAX_TIMER_MS } from '../limits.ts';
import { APPROVAL_SETTINGS } from './approval-mode.ts';
import { DEFAULT_PROVIDER_SETTINGS, ProviderSettings } from './provider-settings.ts';
import { DEFAULT_UPDATE_SETTINGS, UpdateSettings } from './update.ts';

export const Theme = z.enum(['system', 'dark', 'light']);
export type Theme = z.infer<typeof Theme>;

/** Sizes may be larger than what a timer can hold. */
const largest = (name: string) => (name.endsWith('Bytes') ? Number.MAX_SAFE_INTEGER : MAX_TIMER_MS);

/** What happens to live commands when the app quits. */
export const OnQuit = z.enum(['ask', 'leave', 'stop']);
export type OnQuit = z.infer<typeof OnQuit>;

/** How commands of agents are allowed. */
export const Approvals = z.enum(APPROVAL_SETTINGS);

const shape = Object.fromEntries(
  Object.keys(DEFAULT_LIMITS).map((name) => [
    name,
    z.number().int().positive().max(largest(name)).optional(),
  ]),
) as { [K in keyof Limits]: z.ZodOptional<z.ZodNumber> };

const NamedLimits = z.strictObject(shape);

/** What settings.json may hold. A limit that is not named keeps its default. */
export const Settings = z.strictObject({
  theme: Theme.default('system'),
  onQuit: OnQuit.default('ask'),
  approvals: Approvals.default('auto'),
  limits: NamedLimits.default({}),
  providers: ProviderSettings.default(DEFAULT_PROVIDER_SETTINGS),
  updates: UpdateSettings.default(DEFAULT_UPDATE_SETTINGS),
});
export type Settings = z.infer<typeof Settings>;
export const DEFAULT_SETTINGS: Settings = {
  theme: 'system',
  onQuit: 'ask',
  approvals: 'auto',
  limits: {},
  providers: DEFAULT_PROVIDER_SETTINGS,
  updates: DEFAULT_UPDATE_SETTINGS,
};

/** A change of settings: each part that is named takes the place of what was. */
export const SettingsChange = z.strictObject({
  theme: Theme.exactOptional(),
  onQuit: OnQuit.exactOptional(),
  approvals: Approvals.exactOptional(),
  limits: NamedLimits.exactOptional(),
  providers: ProviderSettings.exactOptional(),
  updates: UpdateSettings.exactOptional(),
});
export type SettingsChange = z.infer<typeof SettingsChange>;

/** The limits in force under the given settings. */
export function limitsOf(settings: Settings): Limits {
  const named = Object.entries(settings.limits).filter(([, value]) => value !== undefined);
  return { ...DEFAULT_LIMITS, ...(Object.fromEntries(named) as Partial<Limits>) };
}
