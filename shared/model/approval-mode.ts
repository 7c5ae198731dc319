/** How commands of an agent are allowed: each is asked for, those that no rule covers are, or none is. */
export const APPROVAL_MODES = ['ask', 'rules', 'free'] as const;
export type ApprovalMode = (typeof APPROVAL_MODES)[number];

/** What the settings hold. `auto`: by the agent; anything else applies to every agent. Free of zod: the window uses it too. */
export const APPROVAL_SETTINGS = ['auto', ...APPROVAL_MODES] as const;
export type ApprovalSetting = (typeof APPROVAL_SETTINGS)[number];

/** Provider of the agent that has no model: a person typed what it runs. */
export const BUILT_IN_PROVIDER = 'built-in';

/** The mode in force for an agent. Unless it is set, a model asks for what no rule covers. */
export function approvalModeOf(setting: ApprovalSetting, provider: string): ApprovalMode {
  if (setting !== 'auto') return setting;
  return provider === BUILT_IN_PROVIDER ? 'free' : 'rules';
}
