import { GUEST_PROVIDER } from '../../../shared/model/guest-provider.ts';
import { type Provider, ProviderError } from '../../agent/provider.ts';

/** Stands in the window for the mind of a session that another program drives: only that program can be talked to. */
export const guestProvider: Provider = {
  id: GUEST_PROVIDER,
  name: 'Another program',
  stream: () => {
    throw new ProviderError(
      'This session belongs to another program, an MCP client or a terminal, which reads no messages from here. Its terminals can be watched, typed into and stopped; to talk to an agent start a new session.',
    );
  },
};
