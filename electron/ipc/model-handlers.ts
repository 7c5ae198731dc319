import type { CallError } from '../../shared/contract/calls.ts';
import type { KeyPlace, KeysState, ModelInfo } from '../../shared/model/model-list.ts';
import type { ModelEndpoint } from '../../shared/model/provider-settings.ts';
import { err, ok, type Result } from '../../shared/model/result.ts';
import type { Settings, SettingsChange } from '../../shared/model/settings.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import type { Handlers } from './bind-calls.ts';

/** The keys of endpoints, as the handlers need them. Only main itself ever reads one. */
export interface Keys {
  backend(): KeysState['backend'];
  placeOf(id: string): KeyPlace | null;
  get(id: string): string | null;
  set(id: string, key: string, options: { readonly allowPlain?: boolean }): Promise<KeyPlace>;
  delete(id: string): Promise<void>;
}

/** Settings, keys and models as the handlers need them. */
export interface ModelDesk {
  readonly settings: () => Settings;
  /** Saves a change, puts it in force and tells the window. */
  readonly change: (change: SettingsChange) => Promise<Settings>;
  readonly keys: Keys;
  readonly listModels: (
    endpoint: ModelEndpoint,
    key: string | null,
  ) => Promise<Result<readonly ModelInfo[], { readonly message: string }>>;
  /** Whether a session may have this provider. */
  readonly isProvider: (id: string) => boolean;
}

type ModelCall =
  | 'session.retry'
  | 'session.setProvider'
  | 'settings.update'
  | 'keys.state'
  | 'keys.set'
  | 'keys.delete'
  | 'models.list';

/** What the calls about models, keys and settings do. */
export function createModelHandlers<S>(
  supervisor: Supervisor,
  desk: ModelDesk,
): Pick<Handlers<S>, ModelCall> {
  const { keys } = desk;
  const state = (): KeysState => ({
    places: Object.fromEntries(
      desk.settings().providers.endpoints.flatMap(({ id }) => {
        const place = keys.placeOf(id);
        return place ? [[id, place]] : [];
      }),
    ),
    backend: keys.backend(),
  });

  return {
    'session.retry': async ({ sessionId }) => {
      const session = supervisor.session(sessionId);
      if (!session) return unknownSession();
      await supervisor.retryTurn(session);
      return ok(null);
    },
    'session.setProvider': async ({ sessionId, providerId }) => {
      const session = supervisor.session(sessionId);
      if (!session) return unknownSession();
      if (!desk.isProvider(providerId))
        return fail('unknown_provider', 'That agent is not set up any more. Choose another one.');
      await supervisor.setProvider(session, providerId);
      return ok(null);
    },
    'settings.update': async (change) => {
      const before = desk.settings().providers.endpoints;
      const settings = await desk.change(change);
      const left = new Set(settings.providers.endpoints.map(({ id }) => id));
      // A key without its endpoint would be sent by whatever takes the same id later.
      for (const { id } of before) if (!left.has(id)) await keys.delete(id);
      return ok(settings);
    },
    'keys.state': () => ok(state()),
    'keys.set': async ({ providerId, key, allowPlain = false }) => {
      if (!desk.settings().providers.endpoints.some(({ id }) => id === providerId))
        return fail('unknown_provider', 'Save the model first, and then its key.');
      await keys.set(providerId, key, { allowPlain });
      return ok(state());
    },
    'keys.delete': async ({ providerId }) => {
      await keys.delete(providerId);
      return ok(state());
    },
    'models.list': async ({ endpoint: { baseUrl, ...endpoint }, key }) => {
      const asked: ModelEndpoint = {
        ...endpoint,
        ...(baseUrl === undefined ? {} : { baseUrl }),
        model: 'any',
      };
      const listed = await desk.listModels(asked, key ?? keys.get(endpoint.id));
      return listed.ok ? ok(listed.value) : fail('provider_failed', listed.error.message);
    },
  };
}

const fail = (code: CallError['code'], message: string): Result<never, CallError> => err({ code, message });
const unknownSession = () => fail('unknown_session', 'There is no such session any more.');
