import type { WireAnswer, WireBody } from './scripted-server.ts';

/** One answer of a model, whatever the service: it becomes a stream in that service's shape. */
export interface ModelAnswer {
  readonly reasoning?: string;
  readonly text?: string;
  readonly calls?: readonly ModelCall[];
  /** The reason to stop as that service writes it. Default: the one that fits. */
  readonly stop?: string;
  readonly usage?: {
    readonly input: number;
    readonly cached?: number;
    readonly written?: number;
    readonly output: number;
  };
}

export interface ModelCall {
  readonly id: string;
  readonly name: string;
  /** An object, or a text that stands for its JSON as it is (also when it is none). */
  readonly input: object | string;
}

/** A service's wire: how it streams an answer, and what a request says. */
export interface Wire {
  readonly kind: 'anthropic' | 'openai' | 'compatible';
  /** Events of a whole stream, each with its line ends. */
  events(answer: ModelAnswer): string[];
  /** The text of an error body. */
  error(type: string, message: string): string;
  /** The results of tools in a request, parsed, in order. */
  results(body: WireBody): Record<string, unknown>[];
}

/** A whole answer on a wire. */
export function streamed(wire: Wire, answer: ModelAnswer, options: Partial<WireAnswer> = {}): WireAnswer {
  return { body: wire.events(answer).join(''), ...options };
}

const json = (call: ModelCall) => (typeof call.input === 'string' ? call.input : JSON.stringify(call.input));

/** Pieces of a text, small enough that words and JSON are torn. */
function pieces(text: string): string[] {
  return Array.from(text).reduce<string[]>((all, character, index) => {
    if (index % 7 === 0) all.push(character);
    else all[all.length - 1] += character;
    return all;
  }, []);
}

const named = (type: string, data: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
const unnamed = (data: object) => `data: ${JSON.stringify(data)}\n\n`;

/** Anthropic's Messages. */
export const anthropicWire: Wire = {
  kind: 'anthropic',
  events: ({ reasoning, text, calls = [], stop, usage = { input: 20, output: 5 } }) => {
    const blocks: { start: object; deltas: object[] }[] = [];
    if (reasoning !== undefined)
      blocks.push({
        start: { type: 'thinking', thinking: '', signature: '' },
        deltas: [
          ...pieces(reasoning).map((thinking) => ({ type: 'thinking_delta', thinking })),
          { type: 'signature_delta', signature: 'c2lnbmVk' },
        ],
      });
    if (text !== undefined)
      blocks.push({
        start: { type: 'text', text: '' },
        deltas: pieces(text).map((piece) => ({ type: 'text_delta', text: piece })),
      });
    for (const call of calls)
      blocks.push({
        start: { type: 'tool_use', id: call.id, name: call.name, input: {} },
        deltas: ['', ...pieces(json(call))].map((partial_json) => ({
          type: 'input_json_delta',
          partial_json,
        })),
      });
    return [
      named('message_start', {
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'claude-test',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: {
            input_tokens: usage.input - (usage.cached ?? 0) - (usage.written ?? 0),
            cache_creation_input_tokens: usage.written ?? 0,
            cache_read_input_tokens: usage.cached ?? 0,
            output_tokens: 1,
          },
        },
      }),
      named('ping', {}),
      ...blocks.flatMap(({ start, deltas }, index) => [
        named('content_block_start', { index, content_block: start }),
        ...deltas.map((delta) => named('content_block_delta', { index, delta })),
        named('content_block_stop', { index }),
      ]),
      named('message_delta', {
        delta: { stop_reason: stop ?? (calls.length > 0 ? 'tool_use' : 'end_turn'), stop_sequence: null },
        usage: { output_tokens: usage.output },
      }),
      named('message_stop', {}),
    ];
  },
  error: (type, message) => JSON.stringify({ type: 'error', error: { type, message } }),
  results: (body) =>
    (body.messages as { content: unknown }[]).flatMap(({ content }) =>
      (Array.isArray(content) ? content : []).flatMap((part: { type: string; content: unknown }) =>
        part.type === 'tool_result' ? [parse(part.content)] : [],
      ),
    ),
};

/** OpenAI's chat completions, as compatible servers speak them. */
export const completionsWire: Wire = {
  kind: 'compatible',
  events: ({ reasoning, text, calls = [], stop, usage }) => {
    const chunk = (choice: object) =>
      unnamed({
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        created: 1_790_000_000,
        model: 'test',
        choices: [{ index: 0, finish_reason: null, ...choice }],
      });
    const delta = (part: object) => chunk({ delta: part });
    return [
      delta({ role: 'assistant', content: '' }),
      ...pieces(reasoning ?? '').map((reasoning_content) => delta({ reasoning_content })),
      ...pieces(text ?? '').map((content) => delta({ content })),
      ...calls.flatMap((call, index) => [
        delta({
          tool_calls: [
            { index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } },
          ],
        }),
        ...pieces(json(call)).map((part) =>
          delta({ tool_calls: [{ index, function: { arguments: part } }] }),
        ),
      ]),
      chunk({ delta: {}, finish_reason: stop ?? (calls.length > 0 ? 'tool_calls' : 'stop') }),
      ...(usage
        ? [
            unnamed({
              id: 'chatcmpl-1',
              object: 'chat.completion.chunk',
              created: 1_790_000_000,
              model: 'test',
              choices: [],
              usage: {
                prompt_tokens: usage.input,
                completion_tokens: usage.output,
                total_tokens: usage.input + usage.output,
                prompt_tokens_details: { cached_tokens: usage.cached ?? 0 },
              },
            }),
          ]
        : []),
      'data: [DONE]\n\n',
    ];
  },
  error: (type, message) => JSON.stringify({ error: { message, type, param: null, code: type } }),
  results: (body) =>
    (body.messages as { role: string; content: unknown }[]).flatMap(({ role, content }) =>
      role === 'tool' ? [parse(content)] : [],
    ),
};

/** OpenAI's Responses. */
export const responsesWire: Wire = {
  kind: 'openai',
  events: ({ reasoning, text, calls = [], stop, usage = { input: 20, output: 5 } }) => {
    let sequence = 0;
    const event = (type: string, data: object) => named(type, { sequence_number: sequence++, ...data });
    const response = {
      id: 'resp_1',
      object: 'response',
      created_at: 1_790_000_000,
      model: 'gpt-test',
      output: [],
    };
    const items: string[] = [];
    let index = 0;
    if (reasoning !== undefined) {
      const id = 'rs_1';
      const at = { output_index: index++ };
      const part = { item_id: id, ...at, summary_index: 0 };
      items.push(
        event('response.output_item.added', { ...at, item: { id, type: 'reasoning', summary: [] } }),
        event('response.reasoning_summary_part.added', { ...part, part: { type: 'summary_text', text: '' } }),
        ...pieces(reasoning).map((delta) =>
          event('response.reasoning_summary_text.delta', { ...part, delta }),
        ),
        event('response.reasoning_summary_part.done', {
          ...part,
          part: { type: 'summary_text', text: reasoning },
        }),
        event('response.output_item.done', {
          ...at,
          item: {
            id,
            type: 'reasoning',
            summary: [{ type: 'summary_text', text: reasoning }],
            encrypted_content: 'ZW5jcnlwdGVk',
          },
        }),
      );
    }
    if (text !== undefined) {
      const id = 'msg_1';
      const at = { output_index: index++ };
      const part = { item_id: id, ...at, content_index: 0 };
      const item = { id, type: 'message', role: 'assistant', status: 'in_progress', content: [] };
      items.push(
        event('response.output_item.added', { ...at, item }),
        event('response.content_part.added', {
          ...part,
          part: { type: 'output_text', text: '', annotations: [] },
        }),
        ...pieces(text).map((delta) => event('response.output_text.delta', { ...part, delta, logprobs: [] })),
        event('response.output_text.done', { ...part, text, logprobs: [] }),
        event('response.output_item.done', {
          ...at,
          item: { ...item, status: 'completed', content: [{ type: 'output_text', text, annotations: [] }] },
        }),
      );
    }
    for (const call of calls) {
      const at = { output_index: index++ };
      const id = `fc_${call.id}`;
      const item = { id, type: 'function_call', call_id: call.id, name: call.name };
      items.push(
        event('response.output_item.added', {
          ...at,
          item: { ...item, status: 'in_progress', arguments: '' },
        }),
        ...pieces(json(call)).map((delta) =>
          event('response.function_call_arguments.delta', { ...at, item_id: id, delta }),
        ),
        event('response.function_call_arguments.done', { ...at, item_id: id, arguments: json(call) }),
        event('response.output_item.done', {
          ...at,
          item: { ...item, status: 'completed', arguments: json(call) },
        }),
      );
    }
    const end = {
      ...response,
      status: stop ? 'incomplete' : 'completed',
      incomplete_details: stop ? { reason: stop } : null,
      usage: {
        input_tokens: usage.input,
        input_tokens_details: { cached_tokens: usage.cached ?? 0 },
        output_tokens: usage.output,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: usage.input + usage.output,
      },
    };
    return [
      event('response.created', { response: { ...response, status: 'in_progress' } }),
      event('response.in_progress', { response: { ...response, status: 'in_progress' } }),
      ...items,
      event(stop ? 'response.incomplete' : 'response.completed', { response: end }),
    ];
  },
  error: (type, message) => JSON.stringify({ error: { message, type, param: null, code: type } }),
  results: (body) =>
    (body.input as { type?: string; output?: unknown }[]).flatMap((item) =>
      item.type === 'function_call_output' ? [parse(item.output)] : [],
    ),
};

export const WIRES: readonly Wire[] = [anthropicWire, responsesWire, completionsWire];

function parse(content: unknown): Record<string, unknown> {
  const text = Array.isArray(content) ? (content[0] as { text: string }).text : (content as string);
  return JSON.parse(text) as Record<string, unknown>;
}
