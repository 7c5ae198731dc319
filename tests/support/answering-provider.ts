import type { Provider, ProviderEvent, ProviderRequest } from '../../electron/agent/provider.ts';

/** A mind that answers whatever it is told with one word, and remembers what it was asked. */
export class AnsweringProvider implements Provider {
  readonly id = 'scripted';
  readonly name = 'Answering';
  readonly requests: ProviderRequest[] = [];

  async *stream(request: ProviderRequest): AsyncIterable<ProviderEvent> {
    this.requests.push(request);
    yield { type: 'text', delta: 'ok' };
    yield { type: 'done' };
  }
}
