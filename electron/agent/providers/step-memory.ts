import type { LanguageModelV4ReasoningPart, SharedV4ProviderMetadata } from '@ai-sdk/provider';
import type { ToolCall } from '../../../shared/model/message.ts';

const MAX_STEPS = 200;

export interface Step {
  /** What the model thought before it called, with the service's own marks on it. */
  readonly reasoning: readonly LanguageModelV4ReasoningPart[];
  /** The service's marks on its tool calls, by id. */
  readonly callOptions: ReadonlyMap<string, SharedV4ProviderMetadata>;
}

/**
 * What a service wants back with the tool calls of its earlier steps: reasoning that is signed or encrypted, and marks
 * on calls. It is no part of the conversation, and is kept only while the app runs; without it a service starts its
 * thinking anew.
 */
export class StepMemory {
  readonly #steps = new Map<string, Step>();

  /** Keeps what belongs to a step that called tools. */
  keep(calls: readonly ToolCall[], step: Step): void {
    const key = calls[0]?.id;
    if (key === undefined || (step.reasoning.length === 0 && step.callOptions.size === 0)) return;
    this.#steps.set(key, step);
    const oldest = this.#steps.keys().next();
    if (this.#steps.size > MAX_STEPS && !oldest.done) this.#steps.delete(oldest.value);
  }

  /** What was kept of the step that made these calls. */
  recall(calls: readonly ToolCall[]): Step | undefined {
    return this.#steps.get(calls[0]?.id ?? '');
  }
}
