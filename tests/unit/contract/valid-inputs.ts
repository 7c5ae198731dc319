import type { CallInput, CallName } from '../../../shared/contract/calls.ts';

const sessionId = 's_0123456789abcdef';
const commandId = 'c_0123456789abcdef';

/** An input for each call of the contract that its schema takes, with every parameter that it knows. */
export const VALID_INPUTS: { readonly [N in CallName]: CallInput<N> } = {
  'events.subscribe': {},
  'session.create': { workspace: '/work' },
  'session.rename': { sessionId, title: 'Title' },
  'session.messages': { sessionId, before: 'm_0123456789abcdef', limit: 50 },
  'session.send': { sessionId, text: 'make' },
  'session.stopTurn': { sessionId },
  'session.stopWaiting': { sessionId },
  'command.detach': { commandId },
  'command.stop': { commandId },
  'commands.stopAll': {},
  'commands.clearFinished': {},
  'command.showLog': { commandId },
  'settings.setTheme': { theme: 'dark' },
  'workspace.choose': {},
  'link.open': { url: 'https://example.org/' },
};
