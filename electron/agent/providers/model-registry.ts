import type { ModelEndpoint } from '../../../shared/model/provider-settings.ts';
import type { Provider } from '../provider.ts';
import { createModelProvider, type ModelProviderOptions } from './model-provider.ts';

interface Entry {
  /** The endpoint as JSON: whether it has changed. */
  readonly made: string;
  readonly provider: Provider;
}

/** The providers in force: those that are always there, and one for each endpoint of the settings. */
export class ModelRegistry {
  readonly #fixed: ReadonlyMap<string, Provider>;
  readonly #options: ModelProviderOptions;
  #models: ReadonlyMap<string, Entry> = new Map();

  constructor(fixed: readonly Provider[], options: ModelProviderOptions) {
    this.#fixed = new Map(fixed.map((provider) => [provider.id, provider]));
    this.#options = options;
  }

  /** Follows a change of the settings. An endpoint that stayed as it was keeps what its provider remembers. */
  update(endpoints: readonly ModelEndpoint[]): void {
    this.#models = new Map(
      endpoints.map((endpoint) => {
        const made = JSON.stringify(endpoint);
        const known = this.#models.get(endpoint.id);
        const provider = known?.made === made ? known.provider : createModelProvider(endpoint, this.#options);
        return [endpoint.id, { made, provider }];
      }),
    );
  }

  get(id: string): Provider | undefined {
    return this.#fixed.get(id) ?? this.#models.get(id)?.provider;
  }
}
