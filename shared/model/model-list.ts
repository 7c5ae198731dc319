import { z } from 'zod';
import { ModelEndpoint } from './provider-settings.ts';

/** Where a key is: encrypted by the system, in this run's memory only, or readable in a file. */
export const KeyPlace = z.enum(['system', 'memory', 'plain']);
export type KeyPlace = z.infer<typeof KeyPlace>;

/** Which endpoints have a key that can be used, and where. Never a key. */
export const KeysState = z.object({
  places: z.record(z.string(), KeyPlace),
  backend: z.object({ place: z.enum(['system', 'memory']), /** For people. */ message: z.string() }),
});
export type KeysState = z.infer<typeof KeysState>;

/** What is sent as a key. A header takes only these characters. */
export const KeyText = z
  .string()
  .max(1000, 'must be at most 1,000 characters')
  .regex(/^[\x21-\x7e]+$/, 'must be letters, digits and signs without a space');

/** An endpoint that may not be saved yet, as far as it is needed to ask for its models. */
export const EndpointDraft = z.strictObject({
  id: ModelEndpoint.shape.id,
  kind: ModelEndpoint.shape.kind,
  name: ModelEndpoint.shape.name,
  baseUrl: ModelEndpoint.shape.baseUrl,
});
export type EndpointDraft = z.infer<typeof EndpointDraft>;

/** A model that an endpoint offers. */
export const ModelInfo = z.object({
  id: z.string(),
  name: z.string(),
  /** Where the endpoint tells it. */
  contextTokens: z.number().nullable(),
});
export type ModelInfo = z.infer<typeof ModelInfo>;
