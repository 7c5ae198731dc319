import { GUEST_PROVIDER } from '../../../shared/model/guest-provider.ts';
import type { Settings } from '../../../shared/model/settings.ts';

/** Id of the agent that needs no model. Written out, because the page loads no schemas. */
export const BUILT_IN = 'built-in';

/** An agent that a session can have. */
export interface AgentChoice {
  readonly id: string;
  readonly name: string;
  readonly detail: string;
}

/** The agents that can be chosen: the one that is always there, and each model that is set up. */
export const agentChoices = ({ providers }: Settings): readonly AgentChoice[] => [
  { id: BUILT_IN, name: 'Built-in agent', detail: 'No model, no key: runs what you write' },
  ...providers.endpoints.map(({ id, name, model }) => ({ id, name, detail: model })),
];

/** Whether a session belongs to another program, which is its only mind. */
export const isGuest = (provider: string): boolean => provider === GUEST_PROVIDER;

/** The name of a session's agent; null when it is not set up any more. */
export function agentName(provider: string, settings: Settings): string | null {
  if (isGuest(provider)) return 'Another program';
  return agentChoices(settings).find(({ id }) => id === provider)?.name ?? null;
}
