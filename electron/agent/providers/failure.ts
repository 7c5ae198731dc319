import { APICallError, JSONParseError, TypeValidationError } from '@ai-sdk/provider';
import type { ModelEndpoint } from '../../../shared/model/provider-settings.ts';
import type { ProviderErrorCode } from '../provider.ts';
import { addressOf } from './language-model.ts';
import { quote } from './quote.ts';
import { hintedWaitMs } from './retry.ts';

/** A failed request: what it is, what people are told, and whether the same request may succeed later. */
export interface Failure {
  readonly code: ProviderErrorCode;
  /** A sentence of what happened. */
  readonly what: string;
  /** A sentence of what to do about it. */
  readonly todo: string;
  readonly isTransient: boolean;
  /** How long the service asks to wait; null when it does not say. */
  readonly hintMs: number | null;
}

export interface FailureContext {
  readonly endpoint: ModelEndpoint;
  readonly key: string | null;
  /** All that was sent: what repeats it is not shown. */
  readonly sent: string;
}

const MAX_CAUSES = 8;

const NOT_FOUND_CODES = ['ENOTFOUND', 'EAI_AGAIN', 'EAI_NODATA', 'EAI_NONAME'];
const TIMEOUT_CODES = [
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
];
const BROKEN_CODES = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'ECONNABORTED'];
const NO_ROUTE_CODES = ['EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN', 'EADDRNOTAVAIL'];
const TLS_CODE = /^(?:CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO)/;

const QUOTA_CODES = [
  'insufficient_quota',
  'billing_error',
  'billing_hard_limit_reached',
  'insufficient_credits',
];
const QUOTA_WORDS =
  /credit balance is too low|exceeded your current quota|insufficient (?:credit|fund|balance|quota)/i;
const CONTEXT_CODES = ['context_length_exceeded', 'request_too_large', 'exceed_context_size_error'];
const CONTEXT_WORDS =
  /prompt is too long|maximum context|context (?:length|window|size)|too many tokens|exceeds? the (?:available )?context|input (?:is too long|length and)/i;

/** Sorts an error of the SDK or of the wire. Nothing of it is shown that carries a key, a header or the request. */
export function failureOf(error: unknown, context: FailureContext): Failure {
  const facts = wireFacts(error);
  const { endpoint } = context;
  const name = endpoint.name;
  const words = facts.message ?? '';
  const codes = [facts.code, facts.type].filter((code) => code !== undefined);
  const is = (known: readonly string[]) => codes.some((code) => known.includes(code));
  const transient = (code: ProviderErrorCode, what: string, todo: string): Failure => ({
    code,
    what,
    todo,
    isTransient: true,
    hintMs: hintedWaitMs(facts.headers, Date.now()),
  });
  const final = (code: ProviderErrorCode, what: string, todo: string): Failure => ({
    code,
    what,
    todo,
    isTransient: false,
    hintMs: null,
  });

  if (facts.status === undefined && facts.network !== undefined) {
    return networkFailure(facts.network, endpoint, transient, final);
  }
  if (facts.status === 402 || is(QUOTA_CODES) || QUOTA_WORDS.test(words))
    return final(
      'quota',
      `${name} refused the request because the account has no credit or quota left.`,
      'Add credit with the service, or choose another model, and press Retry.',
    );
  if (facts.status === 401 || is(['authentication_error', 'invalid_api_key']))
    return final(
      'key_refused',
      `${name} did not accept the key.`,
      'Check the key in Settings and press Retry.',
    );
  if (facts.status === 403 || is(['permission_error']))
    return final(
      'key_refused',
      `${name} does not allow this key to use ${endpoint.model}.`,
      'Check the key and the model in Settings and press Retry.',
    );
  if (facts.status === 413 || is(CONTEXT_CODES) || CONTEXT_WORDS.test(words))
    return final(
      'context_too_long',
      `The conversation is too long for ${endpoint.model}, even shortened.`,
      'Start a new session, or choose a model with a larger context.',
    );
  if (facts.status === 404 || is(['not_found_error', 'model_not_found']))
    return final(
      'model_unknown',
      `${name} knows no model "${endpoint.model}" at ${addressOf(endpoint)}.`,
      'Choose a model from the list in Settings, or check the address.',
    );
  if (facts.status === 429 || is(['rate_limit_error', 'rate_limit_exceeded']))
    return transient('rate_limited', `${name} is asked too often just now.`, 'Press Retry in a while.');
  if (
    facts.status === 529 ||
    facts.status === 503 ||
    is(['overloaded_error', 'server_is_overloaded', 'slow_down'])
  )
    return transient('overloaded', `${name} is overloaded just now.`, 'Press Retry in a while.');
  if (
    facts.status === 408 ||
    (facts.status ?? 0) >= 500 ||
    is(['api_error', 'server_error', 'timeout_error'])
  )
    return transient(
      'overloaded',
      `${name} failed with an error of its own${numberOf(facts.status)}.`,
      'Press Retry to try again.',
    );
  if (facts.isMalformed || facts.status === undefined)
    return final(
      'bad_answer',
      `${name} sent an answer that cannot be used.`,
      `Check that ${addressOf(endpoint)} is the address of such a service, and press Retry.`,
    );
  const said = quote(facts.message, context.key, context.sent);
  const kind = facts.code ?? facts.type;
  // A code is a word of the service's own; anything else may be something that was sent.
  const named = kind && /^[a-z_]{1,40}$/.test(kind) ? `, ${kind}` : '';
  return final(
    'request_refused',
    `${name} refused the request (HTTP ${facts.status}${named}).${said ? ` It says: ${said}` : ''}`,
    'Check the settings of the model and press Retry.',
  );
}

type MakeFailure = (code: ProviderErrorCode, what: string, todo: string) => Failure;

function networkFailure(
  code: string,
  endpoint: ModelEndpoint,
  transient: MakeFailure,
  final: MakeFailure,
): Failure {
  const address = addressOf(endpoint);
  const host = URL.canParse(address) ? new URL(address).host : address;
  const again = 'Check the network and the address in Settings, and press Retry.';
  if (code === 'ECONNREFUSED')
    return final(
      'unreachable',
      `Nothing answers at ${host}.`,
      'Start the server, or check the address in Settings, and press Retry.',
    );
  if (NOT_FOUND_CODES.includes(code))
    return transient('unreachable', `The host ${host} was not found.`, again);
  if (NO_ROUTE_CODES.includes(code))
    return transient('unreachable', `There is no way to ${host} just now.`, again);
  if (TLS_CODE.test(code))
    return final(
      'unreachable',
      `No secure connection to ${host} could be made: its certificate was not accepted, or it does not speak TLS.`,
      'Check the address in Settings (http or https), and whether a proxy stands between.',
    );
  if (TIMEOUT_CODES.includes(code)) return transient('unreachable', `${host} did not answer in time.`, again);
  if (BROKEN_CODES.includes(code)) return transient('unreachable', `The connection to ${host} broke.`, again);
  return final('unreachable', `${host} could not be reached (${code}).`, again);
}

const numberOf = (status: number | undefined) => (status === undefined ? '' : ` (HTTP ${status})`);

// ---- what is known of an error ----

interface WireFacts {
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly type?: string | undefined;
  readonly message?: string | undefined;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Code of an error of the network. */
  readonly network?: string | undefined;
  readonly isMalformed: boolean;
}

function wireFacts(error: unknown): WireFacts {
  const isCall = APICallError.isInstance(error);
  const told = errorObject(isCall ? (error.data ?? parsed(error.responseBody)) : error);
  const status = isCall ? error.statusCode : numberField(error, 'statusCode');
  return {
    status: status === 200 ? undefined : status,
    code: text(told?.code),
    type: text(told?.type),
    message: text(told?.message),
    headers: isCall ? (error.responseHeaders ?? {}) : {},
    network: networkCode(error),
    isMalformed: isUnreadable(error),
  };
}

/** Services put the facts into `error`, into `response.error`, or beside each other. */
function errorObject(value: unknown): Record<string, unknown> | undefined {
  if (!isRecord(value)) return undefined;
  if (isRecord(value.error)) return value.error;
  if (typeof value.error === 'string') return { message: value.error };
  if (isRecord(value.response) && isRecord(value.response.error)) return value.response.error;
  return value;
}

function networkCode(error: unknown): string | undefined {
  for (const cause of causesOf(error)) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code)) return code;
  }
  return undefined;
}

function isUnreadable(error: unknown): boolean {
  return causesOf(error).some(
    (cause) => JSONParseError.isInstance(cause) || TypeValidationError.isInstance(cause),
  );
}

/** An error and what caused it. Of several addresses of one host that were tried, the first tells enough. */
function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let current = error; isRecord(current) && causes.length < MAX_CAUSES; ) {
    causes.push(current);
    current = current instanceof AggregateError ? current.errors[0] : current.cause;
  }
  return causes;
}

function parsed(body: string | undefined): unknown {
  try {
    return JSON.parse(body ?? '');
  } catch {
    return undefined;
  }
}

const text = (value: unknown) =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;

const numberField = (value: unknown, name: string) =>
  isRecord(value) && typeof value[name] === 'number' ? (value[name] as number) : undefined;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
