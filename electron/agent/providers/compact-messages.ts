import type { Message, ToolCall, ToolMessage } from '../../../shared/model/message.ts';
import type { LiveFacts } from '../provider.ts';

/** Tokens are not counted exactly: three bytes each is more than code, JSON and English take. */
const BYTES_PER_TOKEN = 3;
/** Of the budget, what the newest part may fill after a cut: room to grow until the next one. */
const KEPT_SHARE = 0.5;
const SUMMARY_SHARE = 0.2;
const MAX_SUMMARY_TOKENS = 6_000;
/** When even the newest step is too long, its texts are cut to these lengths, one after the other. */
const TEXT_LIMITS = [4_000, 1_000, 200];

/** A conversation that fits. `summary` stands before the messages, `live` behind them. */
export interface Compacted {
  readonly summary: string | null;
  readonly messages: readonly Message[];
  readonly live: string | null;
  readonly messagesLeftOut: number;
}

/**
 * Makes paired messages fit into a budget: the newest part is kept, the older one becomes a summary, and what is alive
 * is restated. A tool call is never parted from its results. The cut stays where it is while the conversation grows,
 * until the budget is full again: so the beginning stays the same from request to request, and can be cached.
 */
export function compactMessages(
  messages: readonly Message[],
  budgetTokens: number,
  facts?: LiveFacts,
): Compacted {
  const sizes = messages.map((message) => estimateTokens(messageText(message)));
  if (sum(sizes) <= budgetTokens) return { summary: null, messages, live: null, messagesLeftOut: 0 };
  const summaryTokens = Math.min(MAX_SUMMARY_TOKENS, Math.floor(budgetTokens * SUMMARY_SHARE));
  const live = facts ? liveText(facts) : null;
  const room = Math.max(1, budgetTokens - summaryTokens - (live ? estimateTokens(live) : 0));
  const start = cutPoint(messages, sizes, budgetTokens, room);
  return {
    summary: start > 0 ? summaryOf(messages.slice(0, start), summaryTokens) : null,
    messages: shortened(messages.slice(start), room),
    live,
    messagesLeftOut: start,
  };
}

/** Tokens that a text takes, rather too many than too few. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** Goes through the conversation as it grew, and cuts whenever the budget was full. */
function cutPoint(
  messages: readonly Message[],
  sizes: readonly number[],
  budget: number,
  room: number,
): number {
  let start = 0;
  let kept = 0;
  for (let index = 0; index < messages.length; index++) {
    kept += sizes[index] ?? 0;
    if (kept <= (start === 0 ? budget : room)) continue;
    for (let next = start + 1; next <= index; next++) {
      // The results of a call stand behind it: before one of them is no place to cut.
      if (messages[next]?.role === 'tool') continue;
      start = next;
      kept = sum(sizes.slice(start, index + 1));
      if (kept <= room * KEPT_SHARE) break;
    }
  }
  return start;
}

function shortened(messages: readonly Message[], room: number): readonly Message[] {
  let current = messages;
  for (const limit of TEXT_LIMITS) {
    if (sum(current.map((message) => estimateTokens(messageText(message)))) <= room) return current;
    current = messages.map((message) => shorten(message, limit));
  }
  return current;
}

function shorten(message: Message, limit: number): Message {
  switch (message.role) {
    case 'tool':
      return { ...message, result: shortenStrings(message.result, limit) };
    case 'assistant':
      return {
        ...message,
        text: middleCut(message.text, limit),
        toolCalls: message.toolCalls.map((call) => ({ ...call, input: shortenStrings(call.input, limit) })),
      };
    default:
      return { ...message, text: middleCut(message.text, limit) };
  }
}

function shortenStrings(value: unknown, limit: number): unknown {
  if (typeof value === 'string') return middleCut(value, limit);
  if (Array.isArray(value)) return value.map((item) => shortenStrings(item, limit));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shortenStrings(item, limit)]));
}

function middleCut(text: string, limit: number): string {
  const characters = text.length > limit ? Array.from(text) : [];
  if (characters.length <= limit) return text;
  const half = Math.floor(limit / 2);
  const left = characters.length - 2 * half;
  return `${characters.slice(0, half).join('')}\n[${left} characters left out]\n${characters.slice(-half).join('')}`;
}

// ---- the summary ----

/** One line for each thing that happened; what a person asked for first, and the newest lines, are kept. */
function summaryOf(messages: readonly Message[], tokens: number): string {
  const results = new Map<string, ToolMessage>();
  for (const message of messages) if (message.role === 'tool') results.set(message.toolCallId, message);
  const lines = messages.flatMap((message) => linesOf(message, results));
  const first = lines.findIndex((line) => line.startsWith('User: '));
  const kept: string[] = [];
  let left = tokens - (first >= 0 ? estimateTokens(lines[first] ?? '') : 0) - 40;
  let index = lines.length - 1;
  for (; index > first; index--) {
    const line = lines[index] ?? '';
    left -= estimateTokens(line) + 1;
    if (left < 0) break;
    kept.unshift(line);
  }
  const gap = index - first;
  return [
    'The older part of this conversation was left out because it was too long. What happened in it, oldest first:',
    ...(first >= 0 ? [lines[first] ?? ''] : []),
    ...(gap > 0 ? [`(${gap} lines left out)`] : []),
    ...kept,
  ].join('\n');
}

function linesOf(message: Message, results: ReadonlyMap<string, ToolMessage>): string[] {
  switch (message.role) {
    case 'user':
      return [`User: ${oneLine(message.text, 600)}`];
    case 'runtime':
      return [`App: ${oneLine(message.text, 240)}`];
    case 'tool':
      return []; // told with its call
    case 'assistant':
      return [
        ...(message.text.trim() === '' ? [] : [`You: ${oneLine(message.text, 240)}`]),
        ...message.toolCalls.map((call) => callLine(call, results.get(call.id))),
      ];
  }
}

const TOLD_OF_RESULT = ['status', 'session_id', 'exit_code', 'signal', 'by', 'error'];

function callLine(call: ToolCall, result: ToolMessage | undefined): string {
  const told = isRecord(result?.result)
    ? Object.fromEntries(Object.entries(result.result).filter(([key]) => TOLD_OF_RESULT.includes(key)))
    : {};
  return `You called ${call.name} ${oneLine(JSON.stringify(call.input) ?? '', 200)} -> ${oneLine(JSON.stringify(told), 200)}`;
}

function oneLine(text: string, limit: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const characters = line.length > limit ? Array.from(line) : [];
  return characters.length > limit ? `${characters.slice(0, limit - 1).join('')}…` : line;
}

// ---- what is alive ----

/** Commands that are alive and the wait of a session, as a text for a model. */
export function liveText(facts: LiveFacts): string {
  const commands = facts.commands.map(({ id, cmd, state, placement, startedAt }) => {
    const age = Math.max(0, Math.round((facts.now - startedAt) / 1000));
    return `${id} | ${state} | ${placement} | ${age} s | ${oneLine(cmd, 200)}`;
  });
  const { wait } = facts;
  return [
    commands.length === 0
      ? 'No command of this session is alive.'
      : 'Alive in this session (session_id | state | placement | age | command):',
    ...commands,
    wait
      ? `You wait for ${wait.commandIds.join(', ')} (${untilText(wait.until)}) and will be woken.`
      : 'You wait for nothing.',
  ].join('\n');
}

function untilText(until: NonNullable<LiveFacts['wait']>['until']): string {
  switch (until.kind) {
    case 'exit':
      return 'until they end';
    case 'match':
      return `until a line matches ${oneLine(until.pattern, 100)}`;
    case 'port':
      return `until port ${until.port} is open`;
  }
}

// ---- small things ----

/** All that a message says, as a service would get it: only its length matters. */
function messageText(message: Message): string {
  switch (message.role) {
    case 'tool':
      return `${message.name} ${message.toolCallId} ${JSON.stringify(message.result) ?? ''}`;
    case 'assistant':
      return message.toolCalls.length > 0
        ? `${message.text} ${JSON.stringify(message.toolCalls)}`
        : message.text;
    default:
      return message.text;
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
