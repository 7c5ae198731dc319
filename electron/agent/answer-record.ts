import type { MessageId } from '../../shared/model/ids.ts';
import type { AssistantMessage, ToolCall } from '../../shared/model/message.ts';
import { NOTHING_SPENT } from '../../shared/model/spent.ts';
import type { Spent } from '../../shared/model/usage.ts';
import { addRequest } from './pricing/pricing.ts';
import type { Provider, ProviderEvent } from './provider.ts';

/** Thinking that is kept with a message, in characters: a model may think for megabytes. */
const MAX_REASONING = 64_000;

/** Something for the window while a request runs. `note`: a sentence that stands by itself. */
export interface Streamed {
  readonly of: 'text' | 'reasoning' | 'note';
  readonly delta: string;
}

/** What came of one request so far. */
export class AnswerRecord {
  readonly #priced: Provider['priced'];
  /** Said once a turn: a conversation that was shortened once is shortened in each request that follows. */
  #tellsCompaction: boolean;
  #text = '';
  #reasoning = '';
  readonly #notes: string[] = [];
  readonly #calls: ToolCall[] = [];
  #spent: Spent = NOTHING_SPENT;

  constructor(provider: Provider, tellsCompaction: boolean) {
    this.#priced = provider.priced;
    this.#tellsCompaction = tellsCompaction;
  }

  get tellsCompaction(): boolean {
    return this.#tellsCompaction;
  }

  /** Takes an event of the provider. Gives what the window is told of it, if anything. */
  take(event: ProviderEvent): Streamed | null {
    switch (event.type) {
      case 'text':
        this.#text += event.delta;
        return { of: 'text', delta: event.delta };
      case 'reasoning': {
        const delta = event.delta.slice(0, MAX_REASONING - this.#reasoning.length);
        this.#reasoning += delta;
        return delta === '' ? null : { of: 'reasoning', delta };
      }
      case 'tool_call':
        this.#calls.push(event.call);
        return null;
      case 'retry':
        // The next attempt thinks anew.
        this.#reasoning = '';
        return this.#note(event.message);
      case 'compacted': {
        if (!this.#tellsCompaction) return null;
        this.#tellsCompaction = false;
        const { messagesLeftOut: count } = event;
        const what = count === 1 ? 'Its oldest message was' : `Its ${count} oldest messages were`;
        return this.#note(`The conversation was too long for the model. ${what} sent as a summary.`);
      }
      case 'usage':
        if (this.#priced) this.#spent = addRequest(this.#spent, this.#priced, event.usage);
        return null;
      case 'done':
        return null;
    }
  }

  #note(delta: string): Streamed {
    this.#notes.push(delta);
    return { of: 'note', delta };
  }

  /** What the request used; null where nothing is paid by use, or nothing came. */
  get spent(): Spent | null {
    if (!this.#priced) return null;
    if (this.#spent.requests > 0) return this.#spent;
    if (this.#text === '' && this.#reasoning === '' && this.#calls.length === 0) return null;
    // Some servers do not say what they counted.
    return { ...NOTHING_SPENT, requests: 1, unpricedRequests: 1 };
  }

  /**
   * The message to save; null when there is nothing to say. Calls of a broken or stopped stream were never begun: they
   * are left out, the text is kept.
   */
  message(id: MessageId, at: number, isWhole: boolean): AssistantMessage | null {
    const toolCalls = isWhole ? this.#calls : [];
    if (this.#text === '' && toolCalls.length === 0) return null;
    return {
      id,
      at,
      role: 'assistant',
      text: this.#text,
      toolCalls,
      ...(this.#reasoning === '' ? {} : { reasoning: this.#reasoning }),
      ...(this.#notes.length === 0 ? {} : { notes: this.#notes }),
      ...(this.spent ? { spent: this.spent } : {}),
    };
  }
}
