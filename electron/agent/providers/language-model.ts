import type { LanguageModelV4, SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { EndpointKind, ModelEndpoint } from '../../../shared/model/provider-settings.ts';

/** Where a service is when no other address was set. */
const OWN_ADDRESS: Record<EndpointKind, string> = {
  anthropic: 'https://api.anthropic.com/v1',
  openai: 'https://api.openai.com/v1',
  compatible: '',
};

/** The address of an endpoint, without a slash at its end. */
export function addressOf(endpoint: Pick<ModelEndpoint, 'kind' | 'baseUrl'>): string {
  return (endpoint.baseUrl ?? OWN_ADDRESS[endpoint.kind]).replace(/\/+$/, '');
}

/** What a provider of the SDK is given beside the request itself. */
export interface SdkModel {
  readonly model: LanguageModelV4;
  readonly options: SharedV4ProviderOptions;
  /** Put on parts up to which a request can be cached; null where the service caches by itself, or not. */
  readonly cacheMark: SharedV4ProviderOptions | null;
}

/**
 * The SDK's model for an endpoint. Address and key are always given: the SDK would else look for them in the
 * environment. Loaded when first used, because the app starts without a model.
 */
export async function languageModel(
  endpoint: ModelEndpoint,
  key: string | null,
  fetch: typeof globalThis.fetch,
): Promise<SdkModel> {
  const baseURL = addressOf(endpoint);
  switch (endpoint.kind) {
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return {
        model: createAnthropic({ baseURL, apiKey: key ?? '', fetch })(endpoint.model),
        // Arguments are used when they are whole; streamed early they may come unchecked.
        options: { anthropic: { toolStreaming: false } },
        cacheMark: { anthropic: { cacheControl: { type: 'ephemeral' } } },
      };
    }
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      return {
        model: createOpenAI({ baseURL, apiKey: key ?? '', fetch }).responses(endpoint.model),
        // The conversation is ours: nothing of it is to stay with the service.
        options: { openai: { store: false, parallelToolCalls: true } },
        cacheMark: null,
      };
    }
    case 'compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const provider = createOpenAICompatible({
        name: 'compatible',
        baseURL,
        fetch,
        includeUsage: true,
        ...(key === null ? {} : { apiKey: key }),
      });
      return { model: provider(endpoint.model), options: {}, cacheMark: null };
    }
  }
}
