import type { KeysState } from '../../../shared/model/model-list.ts';
import type { ModelEndpoint } from '../../../shared/model/provider-settings.ts';
import type { Settings, SettingsChange } from '../../../shared/model/settings.ts';
import { call } from '../../bridge/client.ts';
import { useFacts } from '../../stores/facts.ts';
import { useKeys } from '../../stores/keys.ts';
import { BUILT_IN } from '../agents/agent-names.ts';

/** Saves a change of the settings. Its event follows; the answer is shown at once. */
export async function changeSettings(change: SettingsChange): Promise<void> {
  const settings = await call('settings.update', change);
  useFacts.getState().apply([{ type: 'settings.changed', settings }]);
}

const providersNow = (): Settings['providers'] => useFacts.getState().settings.providers;

/** Saves a model that is new or was edited, and then its key if one was entered. */
export async function saveEndpoint(
  endpoint: ModelEndpoint,
  key: string,
  allowPlain: boolean,
): Promise<KeysState['backend'] | null> {
  const { endpoints, defaultProvider } = providersNow();
  const isKnown = endpoints.some(({ id }) => id === endpoint.id);
  await changeSettings({
    providers: {
      // The first model that somebody sets up is what they want to talk to.
      defaultProvider: endpoints.length === 0 && defaultProvider === BUILT_IN ? endpoint.id : defaultProvider,
      endpoints: isKnown
        ? endpoints.map((known) => (known.id === endpoint.id ? endpoint : known))
        : [...endpoints, endpoint],
    },
  });
  if (key === '') return null;
  const state = await call('keys.set', { providerId: endpoint.id, key, allowPlain });
  useKeys.getState().take(state);
  return state.backend;
}

/** Removes a model, and its key with it. */
export async function removeEndpoint(id: string): Promise<void> {
  const { endpoints, defaultProvider } = providersNow();
  await changeSettings({
    providers: {
      defaultProvider: defaultProvider === id ? BUILT_IN : defaultProvider,
      endpoints: endpoints.filter((endpoint) => endpoint.id !== id),
    },
  });
  await useKeys.getState().load();
}

/** Forgets a key. */
export async function removeKey(providerId: string): Promise<void> {
  useKeys.getState().take(await call('keys.delete', { providerId }));
}
