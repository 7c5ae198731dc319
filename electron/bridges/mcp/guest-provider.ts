import { GUEST_PROVIDER } from '../../../shared/model/guest-provider.ts';
import { type Provider, ProviderError } from '../../agent/provider.ts';

/** Stands in the window for the mind of a session that an MCP client drives: only that client can be talked to. */
export const guestProvider: Provider = {
  id: GUEST_PROVIDER,
  name: 'MCP client',
  stream: () => {
    throw new ProviderError(
      'This session belongs to an MCP client, which reads no messages from here. Its terminals can be watched, typed into and stopped; to talk to it use that client, or start a new session.',
    );
  },
};
