import { z } from 'zod';
import type { ModelEndpoint } from '../../../shared/model/provider-settings.ts';
import { err, ok, type Result } from '../../../shared/model/result.ts';
import type { ProviderErrorCode } from '../provider.ts';
import { failureOf } from './failure.ts';
import { addressOf } from './language-model.ts';

const TIME_LIMIT_MS = 10_000;
const MAX_BYTES = 4 * 1024 * 1024;
const ANTHROPIC_VERSION = '2023-06-01';

export interface ModelInfo {
  readonly id: string;
  readonly name: string;
  /** Where the endpoint tells it. */
  readonly contextTokens: number | null;
}

export interface ModelListError {
  readonly code: ProviderErrorCode;
  readonly message: string;
}

export interface ListModelsOptions {
  readonly fetch?: typeof globalThis.fetch;
  readonly timeLimitMs?: number;
  readonly signal?: AbortSignal;
}

/** What is read of a list; the rest differs from server to server. */
const ModelList = z.object({
  data: z.array(
    z.looseObject({
      id: z.string(),
      display_name: z.string().optional(),
      name: z.string().optional(),
    }),
  ),
});

/** Fields in which servers tell the size of a model's context. */
const CONTEXT_FIELDS = [
  'context_length',
  'max_model_len',
  'max_input_tokens',
  'max_context_length',
  'context_window',
];

/**
 * The models that an endpoint offers, in its order. Also a test of address and key: a wrong one is an error that says
 * so. Nothing of the key is in it.
 */
export async function listModels(
  endpoint: ModelEndpoint,
  key: string | null,
  options: ListModelsOptions = {},
): Promise<Result<readonly ModelInfo[], ModelListError>> {
  const { fetch = globalThis.fetch, timeLimitMs = TIME_LIMIT_MS } = options;
  const limit = AbortSignal.timeout(timeLimitMs);
  const signal = options.signal ? AbortSignal.any([limit, options.signal]) : limit;
  const isAnthropic = endpoint.kind === 'anthropic';
  try {
    const response = await fetch(`${addressOf(endpoint)}/models${isAnthropic ? '?limit=1000' : ''}`, {
      headers: isAnthropic
        ? { 'x-api-key': key ?? '', 'anthropic-version': ANTHROPIC_VERSION }
        : key === null
          ? {}
          : { authorization: `Bearer ${key}` },
      // Another host must not get the key.
      redirect: 'error',
      signal,
    });
    const body = await textOf(response);
    if (!response.ok) return err(refused(endpoint, key, response.status, body));
    const list = ModelList.safeParse(JSON.parse(body));
    if (!list.success) return err(unreadable(endpoint));
    return ok(
      list.data.data.map((model) => ({
        id: model.id,
        name: model.display_name ?? model.name ?? model.id,
        contextTokens: contextOf(model),
      })),
    );
  } catch (error) {
    if (limit.aborted) {
      const message = `${endpoint.name} did not answer within ${Math.round(timeLimitMs / 1000)} s. Check the address.`;
      return err({ code: 'unreachable', message });
    }
    if (options.signal?.aborted) return err({ code: 'other', message: 'The list was not waited for.' });
    if (error instanceof SyntaxError) return err(unreadable(endpoint));
    const failure = failureOf(error, { endpoint, key, sent: '' });
    if (failure.code === 'unreachable')
      return err({ code: failure.code, message: `${failure.what} ${failure.todo}` });
    return err({
      code: 'unreachable',
      message: `${endpoint.name} could not be asked for its models. Check the address.`,
    });
  }
}

function refused(endpoint: ModelEndpoint, key: string | null, status: number, body: string): ModelListError {
  if (status === 404)
    return {
      code: 'model_unknown',
      message: `${endpoint.name} has no list of models at ${addressOf(endpoint)}. Check the address, or type the name of the model.`,
    };
  const failure = failureOf({ statusCode: status, error: errorIn(body) }, { endpoint, key, sent: '' });
  return { code: failure.code, message: `${failure.what} ${failure.todo}` };
}

function unreadable(endpoint: ModelEndpoint): ModelListError {
  return {
    code: 'bad_answer',
    message: `${endpoint.name} gave no list of models that can be read. Check the address, or type the name of the model.`,
  };
}

function errorIn(body: string): unknown {
  try {
    return (JSON.parse(body) as { error?: unknown } | null)?.error;
  } catch {
    return undefined;
  }
}

/** A wrong address may send anything, without end. */
async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > MAX_BYTES) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function contextOf(model: Readonly<Record<string, unknown>>): number | null {
  for (const field of CONTEXT_FIELDS) {
    const value = model[field];
    if (typeof value === 'number' && Number.isInteger(value) && value > 0) return value;
  }
  return null;
}
