import { z } from 'zod';

/** Id of the agent that needs no model; it is always there and is no endpoint. */
export const BUILT_IN_PROVIDER = 'built-in';

/** `compatible`: any server that speaks OpenAI's chat completions (Ollama, LM Studio, vLLM, OpenRouter). */
export const EndpointKind = z.enum(['anthropic', 'openai', 'compatible']);
export type EndpointKind = z.infer<typeof EndpointKind>;

/** Id of an endpoint: a session names it as its provider, and a key is kept under it. */
export const EndpointId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be small letters, digits and hyphens')
  .refine((id) => id !== BUILT_IN_PROVIDER, 'is the name of the built-in agent');

/** A password in an address would be written to settings.json and shown: keys have their own place. */
const BASE_URL = /^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/i;

const BaseUrl = z
  .url({ error: 'must be an address' })
  .regex(BASE_URL, 'must be an http or https address without a user name, a password, ? or #');

/** Dollars for a million tokens. */
export const ModelPrice = z.strictObject({
  input: z.number().nonnegative(),
  cachedInput: z.number().nonnegative(),
  cacheWrite: z.number().nonnegative(),
  output: z.number().nonnegative(),
});
export type ModelPrice = z.infer<typeof ModelPrice>;

/** A model that a person has set up. Its key is not here: it is in the key safe, under the same id. */
export const ModelEndpoint = z
  .strictObject({
    id: EndpointId,
    kind: EndpointKind,
    name: z.string().min(1, 'must not be empty').max(60, 'must be at most 60 characters'),
    /** Default: the service's own address. */
    baseUrl: BaseUrl.optional(),
    model: z.string().min(1, 'must not be empty').max(200, 'must be at most 200 characters'),
    /** How hard the model thinks. Default: the service's own choice. */
    reasoning: z.enum(['none', 'low', 'medium', 'high']).optional(),
    /** Size of the model's context, where the built-in table does not know it or is wrong. */
    contextTokens: z.number().int().min(2_000).max(100_000_000).optional(),
    maxOutputTokens: z.number().int().min(1).max(10_000_000).optional(),
    /** Where the built-in table does not know it or is wrong. */
    price: ModelPrice.optional(),
  })
  .refine(({ kind, baseUrl }) => kind !== 'compatible' || baseUrl !== undefined, {
    path: ['baseUrl'],
    error: 'is needed: a compatible endpoint has no address of its own',
  });
export type ModelEndpoint = z.infer<typeof ModelEndpoint>;

/** The models that a person has set up, and what a new session begins with. */
export const ProviderSettings = z
  .strictObject({
    defaultProvider: z.string().default(BUILT_IN_PROVIDER),
    endpoints: z.array(ModelEndpoint).max(50).default([]),
  })
  .refine(({ endpoints }) => new Set(endpoints.map(({ id }) => id)).size === endpoints.length, {
    path: ['endpoints'],
    error: 'two of them have the same id',
  })
  .refine(
    ({ defaultProvider, endpoints }) =>
      defaultProvider === BUILT_IN_PROVIDER || endpoints.some(({ id }) => id === defaultProvider),
    { path: ['defaultProvider'], error: 'names no endpoint' },
  );
export type ProviderSettings = z.infer<typeof ProviderSettings>;

export const DEFAULT_PROVIDER_SETTINGS: ProviderSettings = {
  defaultProvider: BUILT_IN_PROVIDER,
  endpoints: [],
};
