import type { Message } from '../../../shared/model/message.ts';
import type { Provider, ProviderEvent, ProviderRequest } from '../provider.ts';
import { planStep } from './plan.ts';

/** Text is streamed in pieces of about this many characters, as a model's would be. */
const PIECE = 48;

/** A chatty command would be polled many times a second: each poll in a row is made a little later, up to this. */
const PAUSE_STEP_MS = 25;
const MAX_PAUSE_MS = 1_000;

/** The agent without a model: a message is a command, run through the very same tools. */
export const builtInProvider: Provider = {
  id: 'built-in',
  name: 'Built-in agent',
  async *stream(request: ProviderRequest, signal: AbortSignal): AsyncIterable<ProviderEvent> {
    const step = planStep(request.messages);
    if (step.calls.every((call) => call.name === 'write_stdin'))
      await pause(pollsInARow(request.messages), signal);
    for (let at = 0; at < step.text.length; at += PIECE)
      yield { type: 'text', delta: step.text.slice(at, at + PIECE) };
    for (const { name, input } of step.calls)
      yield { type: 'tool_call', call: { id: `call_${crypto.randomUUID()}`, name, input } };
    yield { type: 'done' };
  },
};

/** Polls since anything else happened. */
function pollsInARow(messages: readonly Message[]): number {
  let polls = 0;
  for (const message of messages.toReversed()) {
    if (message.role === 'tool' && message.name === 'write_stdin') polls++;
    else if (message.role !== 'assistant') break;
  }
  return polls;
}

function pause(polls: number, signal: AbortSignal): Promise<void> {
  const ms = Math.min(MAX_PAUSE_MS, polls * PAUSE_STEP_MS);
  if (ms === 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(finish, ms);
    function finish(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    }
    signal.addEventListener('abort', finish);
  });
}
