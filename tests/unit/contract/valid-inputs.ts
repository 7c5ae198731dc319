import type { CallInput, CallName } from '../../../shared/contract/calls.ts';
import type { ModelEndpoint } from '../../../shared/model/provider-settings.ts';

const sessionId = 's_0123456789abcdef';
const commandId = 'c_0123456789abcdef';

const endpoint: ModelEndpoint = {
  id: 'claude',
  kind: 'anthropic',
  name: 'Claude',
  model: 'claude-sonnet-4-5',
};

/** An input for each call of the contract that its schema takes, with every parameter that it knows. */
export const VALID_INPUTS: { readonly [N in CallName]: CallInput<N> } = {
  'events.subscribe': {},
  'session.create': { workspace: '/work' },
  'session.rename': { sessionId, title: 'Title' },
  'session.messages': { sessionId, before: 'm_0123456789abcdef', limit: 50 },
  'session.send': { sessionId, text: 'make' },
  'session.stopTurn': { sessionId },
  'session.retry': { sessionId },
  'session.setProvider': { sessionId, providerId: 'claude' },
  'session.stopWaiting': { sessionId },
  'approval.answer': { sessionId, toolCallId: 'call_1', answer: 'refuse', reason: 'not now' },
  'approvals.rules': { workspace: '/work' },
  'approvals.deleteRule': { ruleId: 'r_0123456789abcdef' },
  'command.detach': { commandId },
  'command.stop': { commandId },
  'commands.stopAll': {},
  'commands.clearFinished': {},
  'command.showLog': { commandId },
  'settings.update': {
    theme: 'dark',
    onQuit: 'leave',
    approvals: 'ask',
    limits: { foregroundMs: 60_000 },
    providers: { defaultProvider: 'claude', endpoints: [endpoint] },
  },
  'updates.check': {},
  'updates.restart': {},
  'keys.state': {},
  'keys.set': { providerId: 'claude', key: 'a-key', allowPlain: true },
  'keys.delete': { providerId: 'claude' },
  'models.list': {
    endpoint: { id: 'local', kind: 'compatible', name: 'Local', baseUrl: 'http://127.0.0.1:11434/v1' },
    key: 'a-key',
  },
  'settings.setApprovals': { mode: 'rules' },
  'settings.setTheme': { theme: 'dark' },
  'workspace.choose': {},
  'link.open': { url: 'https://example.org/' },
};
