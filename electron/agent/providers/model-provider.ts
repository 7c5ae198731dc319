import {
  InvalidResponseDataError,
  type JSONSchema7,
  type LanguageModelV4CallOptions,
  type LanguageModelV4FinishReason,
  type LanguageModelV4FunctionTool,
  type LanguageModelV4ReasoningPart,
  type LanguageModelV4StreamPart,
  type LanguageModelV4Usage,
  type SharedV4ProviderMetadata,
} from '@ai-sdk/provider';
import type { ToolCall } from '../../../shared/model/message.ts';
import type { ModelEndpoint } from '../../../shared/model/provider-settings.ts';
import type { Usage } from '../../../shared/model/usage.ts';
import { systemPrompt } from '../prompts/system-prompt.ts';
import {
  type Provider,
  ProviderError,
  type ProviderErrorCode,
  type ProviderEvent,
  type ProviderRequest,
} from '../provider.ts';
import { type Compacted, compactMessages, estimateTokens } from './compact-messages.ts';
import { type Failure, failureOf } from './failure.ts';
import { languageModel, type SdkModel } from './language-model.ts';
import { limitsOfModel } from './model-limits.ts';
import { DEFAULT_RETRY, type RetryPolicy, retryWaitMs, waitFor } from './retry.ts';
import { StepMemory } from './step-memory.ts';
import { toPrompt } from './to-prompt.ts';
import { toToolCall, usedCallIds } from './tool-call.ts';

export interface ModelProviderOptions {
  /** The key of an endpoint, asked for at each request; null when there is none. */
  readonly keyOf: (endpointId: string) => Promise<string | null> | string | null;
  readonly platform: string;
  readonly retry?: RetryPolicy;
  /** How requests are made. Default: Node's own. */
  readonly fetch?: typeof globalThis.fetch;
}

/** Of a model's context, what is left free: the count of tokens is an estimate. */
const CONTEXT_SHARE = 0.9;
/** Of a model's context, what is kept free for its answer at most. */
const ANSWER_SHARE = 0.25;
/** After a service has said that a conversation is too long, so much of it is sent. */
const SHORTER_SHARE = 0.6;
/** A network that is away for a moment (a machine that just woke) is worth two more tries, not four. */
const MAX_NETWORK_RETRIES = 2;

/** A provider for an endpoint: one step of its model a request. It never runs a tool. */
export function createModelProvider(endpoint: ModelEndpoint, options: ModelProviderOptions): Provider {
  const memory = new StepMemory();
  return {
    id: endpoint.id,
    name: endpoint.name,
    priced: endpoint,
    stream: (request, signal) => new ModelStep(endpoint, options, memory, request, signal).run(),
  };
}

/** What came of one attempt. */
interface Answer {
  text: string;
  readonly calls: ToolCall[];
  readonly callOptions: Map<string, SharedV4ProviderMetadata>;
  readonly reasoning: Map<string, LanguageModelV4ReasoningPart>;
  finish: LanguageModelV4FinishReason | null;
}

class ModelStep {
  readonly #endpoint: ModelEndpoint;
  readonly #o: ModelProviderOptions;
  readonly #memory: StepMemory;
  readonly #request: ProviderRequest;
  readonly #signal: AbortSignal;
  readonly #system: string;
  readonly #tools: LanguageModelV4FunctionTool[];
  #budget: number;
  #conversation: Compacted;
  #answer: Answer = emptyAnswer();

  constructor(
    endpoint: ModelEndpoint,
    options: ModelProviderOptions,
    memory: StepMemory,
    request: ProviderRequest,
    signal: AbortSignal,
  ) {
    this.#endpoint = endpoint;
    this.#o = options;
    this.#memory = memory;
    this.#request = request;
    this.#signal = signal;
    this.#system = systemPrompt({ workspace: request.workspace, platform: options.platform });
    this.#tools = request.tools.map(({ name, description, inputSchema }) => ({
      type: 'function',
      name,
      description,
      inputSchema: inputSchema as JSONSchema7,
    }));
    this.#budget = this.#budgetTokens();
    this.#conversation = compactMessages(request.messages, this.#budget, request.live);
  }

  #budgetTokens(): number {
    const { contextTokens, maxOutputTokens } = limitsOfModel(this.#endpoint);
    const answer = Math.min(maxOutputTokens, contextTokens * ANSWER_SHARE);
    const fixed = estimateTokens(this.#system) + estimateTokens(JSON.stringify(this.#tools));
    return Math.max(500, Math.floor((contextTokens - answer) * CONTEXT_SHARE - fixed));
  }

  async *run(): AsyncGenerator<ProviderEvent> {
    const key = await this.#key();
    const sdk = await languageModel(this.#endpoint, key, this.#o.fetch ?? globalThis.fetch);
    let isShortened = false;
    yield* this.#tellLeftOut();
    for (let retry = 0; ; ) {
      this.#answer = emptyAnswer();
      let error: unknown;
      try {
        yield* this.#attempt(sdk);
        if (this.#answer.finish !== null) break;
      } catch (caught) {
        error = caught;
      }
      if (this.#signal.aborted) return;
      const failure =
        error === undefined
          ? this.#endedEarly()
          : failureOf(error, { endpoint: this.#endpoint, key, sent: JSON.stringify(this.#request) });
      if (this.#hasSpoken()) throw this.#cut(failure);
      if (failure.code === 'context_too_long' && !isShortened) {
        isShortened = true;
        this.#shorten();
        yield* this.#tellLeftOut();
        continue;
      }
      const wait = this.#waitBefore(retry, failure);
      if (wait === null) throw this.#error(failure);
      retry++;
      const message = `${failure.what} Trying again in ${secondsInWords(wait)} (${retry} of ${this.#maxRetries(failure)}).`;
      yield { type: 'retry', attempt: retry, waitMs: wait, message };
      if (!(await waitFor(wait, this.#signal))) return;
    }
    if (this.#signal.aborted) return;
    const problem = this.#endProblem();
    if (problem) throw problem;
    yield { type: 'done' };
  }

  async #key(): Promise<string | null> {
    const { id, kind, name } = this.#endpoint;
    const key = (await this.#o.keyOf(id))?.trim() || null;
    if (key === null && kind !== 'compatible')
      throw new ProviderError(
        `There is no key for ${name}. Your message is kept. Add a key in Settings and press Retry.`,
        'key_missing',
      );
    // A header takes only these; the error about others would carry the key.
    if (key !== null && !/^[\x21-\x7e]+$/.test(key))
      throw new ProviderError(
        `The key for ${name} holds characters that no key has. Your message is kept. Enter the key again in Settings.`,
        'key_refused',
      );
    return key;
  }

  // ---- one attempt ----

  async *#attempt(sdk: SdkModel): AsyncGenerator<ProviderEvent> {
    const isUsed = this.#usedIds();
    const { stream } = await sdk.model.doStream(this.#callOptions(sdk));
    const reader = stream.getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done || this.#signal.aborted) return;
        yield* this.#events(value, isUsed);
      }
    } finally {
      // Ends the request also when the stream is left early.
      await reader.cancel().catch(() => {});
    }
  }

  #callOptions(sdk: SdkModel): LanguageModelV4CallOptions {
    const { kind, reasoning, maxOutputTokens } = this.#endpoint;
    const last = this.#tools.at(-1);
    if (last && sdk.cacheMark) last.providerOptions = sdk.cacheMark;
    // Anthropic must be told a limit; others have their own.
    const limit =
      maxOutputTokens ?? (kind === 'anthropic' ? limitsOfModel(this.#endpoint).maxOutputTokens : null);
    return {
      prompt: toPrompt({
        system: this.#system,
        conversation: this.#conversation,
        marksErrors: kind === 'anthropic',
        // Reasoning is bound to what stood before it.
        memory: this.#conversation.messagesLeftOut > 0 ? null : this.#memory,
        cacheMark: sdk.cacheMark,
      }),
      tools: this.#tools,
      providerOptions: sdk.options,
      abortSignal: this.#signal,
      ...(limit === null ? {} : { maxOutputTokens: limit }),
      ...(reasoning === undefined ? {} : { reasoning }),
    };
  }

  #usedIds(): (id: string) => boolean {
    const used = usedCallIds(this.#request.messages);
    return (id) => used.has(id) || this.#answer.calls.some((call) => call.id === id);
  }

  *#events(part: LanguageModelV4StreamPart, isUsed: (id: string) => boolean): Generator<ProviderEvent> {
    const answer = this.#answer;
    switch (part.type) {
      case 'text-delta':
        if (part.delta === '') return;
        answer.text += part.delta;
        yield { type: 'text', delta: part.delta };
        return;
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        rememberReasoning(answer, part);
        if (part.type === 'reasoning-delta' && part.delta !== '')
          yield { type: 'reasoning', delta: part.delta };
        return;
      case 'tool-call': {
        if (part.providerExecuted) return;
        const call = toToolCall(part, isUsed);
        answer.calls.push(call);
        if (part.providerMetadata) answer.callOptions.set(call.id, part.providerMetadata);
        yield { type: 'tool_call', call };
        return;
      }
      case 'error':
        // It says only that the service has not said that it finished, which is seen below.
        if (InvalidResponseDataError.isInstance(part.error)) return;
        throw part.error;
      case 'finish': {
        const usage = toUsage(part.usage);
        if (usage) yield { type: 'usage', model: this.#endpoint.model, usage };
        // Without the service's own word that it has finished, the answer is not whole.
        if (!['interrupted', 'error'].includes(part.finishReason.unified)) answer.finish = part.finishReason;
      }
    }
  }

  #hasSpoken(): boolean {
    return this.#answer.text !== '' || this.#answer.calls.length > 0;
  }

  // ---- after a failure ----

  #maxRetries(failure: Failure): number {
    const { maxRetries } = this.#o.retry ?? DEFAULT_RETRY;
    return failure.code === 'unreachable' ? Math.min(maxRetries, MAX_NETWORK_RETRIES) : maxRetries;
  }

  /** How long to wait before the same request is made again; null when it is not. */
  #waitBefore(retry: number, failure: Failure): number | null {
    const policy = this.#o.retry ?? DEFAULT_RETRY;
    if (!failure.isTransient || retry >= this.#maxRetries(failure)) return null;
    if (failure.hintMs !== null && failure.hintMs > policy.patienceMs) return null;
    return retryWaitMs(retry, failure.hintMs, policy);
  }

  *#tellLeftOut(): Generator<ProviderEvent> {
    const { messagesLeftOut } = this.#conversation;
    if (messagesLeftOut > 0) yield { type: 'compacted', messagesLeftOut };
  }

  #shorten(): void {
    const sent = this.#request.messages.reduce(
      (total, message) => total + estimateTokens(JSON.stringify(message)),
      0,
    );
    this.#budget = Math.floor(Math.min(this.#budget, sent) * SHORTER_SHARE);
    this.#conversation = compactMessages(this.#request.messages, this.#budget, this.#request.live);
  }

  #error(failure: Failure): ProviderError {
    const patience = (this.#o.retry ?? DEFAULT_RETRY).patienceMs;
    const wait =
      failure.hintMs !== null && failure.hintMs > patience
        ? ` It asks to wait ${secondsInWords(failure.hintMs)}.`
        : '';
    return new ProviderError(
      `${failure.what}${wait} The conversation is kept. ${failure.todo}`,
      failure.code,
    );
  }

  #endedEarly(): Failure {
    return {
      code: 'unreachable',
      what: `${this.#endpoint.name} ended the connection before an answer came.`,
      todo: 'Press Retry to try again.',
      isTransient: true,
      hintMs: null,
    };
  }

  #cut(failure: Failure): ProviderError {
    const what = failure.code === 'unreachable' ? '' : ` ${failure.what}`;
    const kept = this.#answer.text === '' ? 'The conversation is kept.' : 'What had come is kept.';
    const calls = this.#answer.calls.length > 0 ? ' Its tool calls were not begun.' : '';
    return new ProviderError(
      `The answer of ${this.#endpoint.name} broke off in the middle.${what} ${kept}${calls} Press Retry to go on.`,
      'stream_cut',
    );
  }

  // ---- after a whole answer ----

  /**
   * What a person must be told of how the answer ended. An answer with whole tool calls goes on by itself: the model is
   * asked again with their results.
   */
  #endProblem(): ProviderError | null {
    const { text, calls, reasoning, callOptions, finish } = this.#answer;
    this.#memory.keep(calls, { reasoning: [...reasoning.values()], callOptions });
    if (calls.length > 0) return null;
    const { name } = this.#endpoint;
    const kept = text === '' ? 'The conversation is kept.' : 'What it wrote is kept.';
    const problem = (what: string, code: ProviderErrorCode) =>
      new ProviderError(`${what} ${kept} Press Retry to go on.`, code);
    switch (finish?.unified) {
      case 'stop':
        // After the results of its calls a model may have nothing to add.
        return text.trim() === '' && this.#request.messages.at(-1)?.role !== 'tool'
          ? problem(`${name} gave an empty answer.`, 'empty_answer')
          : null;
      case 'length':
        return problem(`The answer of ${name} reached the limit of its length and was cut.`, 'output_limit');
      case 'content-filter':
        return problem(`${name} declined to go on with this.`, 'declined');
      default: {
        const raw = finish?.raw && /^[a-z_]{1,40}$/.test(finish.raw) ? ` ("${finish.raw}")` : '';
        return problem(`${name} stopped for a reason that this version does not know${raw}.`, 'unknown_stop');
      }
    }
  }
}

function emptyAnswer(): Answer {
  return { text: '', calls: [], callOptions: new Map(), reasoning: new Map(), finish: null };
}

function rememberReasoning(
  answer: Answer,
  part: Extract<LanguageModelV4StreamPart, { type: `reasoning-${string}` }>,
): void {
  if (part.type === 'reasoning-file') return;
  const known = answer.reasoning.get(part.id) ?? { type: 'reasoning', text: '' };
  answer.reasoning.set(part.id, {
    ...known,
    text: known.text + (part.type === 'reasoning-delta' ? part.delta : ''),
    // The service's marks come with the start, the end, or a delta without text.
    ...(part.providerMetadata ? { providerOptions: part.providerMetadata } : {}),
  });
}

function toUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage | null {
  if (inputTokens.total === undefined && outputTokens.total === undefined) return null;
  return {
    inputTokens: inputTokens.total ?? 0,
    cachedInputTokens: inputTokens.cacheRead ?? 0,
    cacheWriteTokens: inputTokens.cacheWrite ?? 0,
    outputTokens: outputTokens.total ?? 0,
  };
}

function secondsInWords(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
