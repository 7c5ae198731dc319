import type { Bridge } from '../../shared/contract/bridge.ts';
import type {
  CallError,
  CallErrorCode,
  CallInput,
  CallName,
  CallOutput,
} from '../../shared/contract/calls.ts';

declare global {
  interface Window {
    /** Given by preload, frozen. */
    readonly switchyard: Bridge;
  }
}

/** A call that was answered with an error. Its message is a sentence for people. */
export class CallFailed extends Error {
  readonly code: CallErrorCode;

  constructor(error: CallError) {
    super(error.message);
    this.name = 'CallFailed';
    this.code = error.code;
  }
}

/** Makes one call of the contract. Resolves with its value or rejects with `CallFailed`. */
export async function call<N extends CallName>(name: N, input: CallInput<N>): Promise<CallOutput<N>> {
  const answer = await window.switchyard.invoke(name, input);
  if (answer.ok) return answer.value;
  throw new CallFailed(answer.error);
}

/** The sentence to show for whatever was thrown. */
export function sentenceOf(thrown: unknown): string {
  if (thrown instanceof CallFailed) return thrown.message;
  return 'The app did not answer. Nothing was changed; try again.';
}
