import { beforeEach, describe, expect, it } from 'vitest';
import { createModelHandlers, type Keys, type ModelDesk } from '../../../electron/ipc/model-handlers.ts';
import type { Supervisor } from '../../../electron/supervisor/supervisor.ts';
import type { KeyPlace } from '../../../shared/model/model-list.ts';
import type { ModelEndpoint } from '../../../shared/model/provider-settings.ts';
import { err, ok } from '../../../shared/model/result.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../../shared/model/settings.ts';

const KEY = 'sk-a-secret';
const claude: ModelEndpoint = { id: 'claude', kind: 'anthropic', name: 'Claude', model: 'claude-sonnet-4-5' };
const local: ModelEndpoint = {
  id: 'local',
  kind: 'compatible',
  name: 'Local',
  model: 'llama',
  baseUrl: 'http://127.0.0.1:11434/v1',
};

let settings: Settings;
let kept: Map<string, { key: string; place: KeyPlace }>;
let asked: { endpoint: ModelEndpoint; key: string | null }[];
let done: string[];
let listed: Awaited<ReturnType<ModelDesk['listModels']>>;

const keys: Keys = {
  backend: () => ({ place: 'memory', message: 'There is no keyring.' }),
  placeOf: (id) => kept.get(id)?.place ?? null,
  get: (id) => kept.get(id)?.key ?? null,
  set: async (id, key, { allowPlain }) => {
    const place = allowPlain ? 'plain' : 'memory';
    kept.set(id, { key, place });
    return place;
  },
  delete: async (id) => void kept.delete(id),
};

const supervisor = {
  session: (id: string) => (id === 's_1' ? { view: { id } } : undefined),
  retryTurn: async () => void done.push('retry'),
  setProvider: async (_session: unknown, id: string) => void done.push(`provider ${id}`),
} as unknown as Supervisor;

const handlers = createModelHandlers<object>(supervisor, {
  settings: () => settings,
  change: async (change) => {
    settings = { ...settings, ...change };
    return settings;
  },
  keys,
  listModels: async (endpoint, key) => {
    asked.push({ endpoint, key });
    return listed;
  },
  isProvider: (id) => id === 'claude',
});
const page = {};

beforeEach(() => {
  settings = { ...DEFAULT_SETTINGS, providers: { defaultProvider: 'claude', endpoints: [claude, local] } };
  kept = new Map();
  asked = [];
  done = [];
  listed = ok([{ id: 'm', name: 'M', contextTokens: null }]);
});

describe('keys', () => {
  it('go in and never come out', async () => {
    const set = await handlers['keys.set']({ providerId: 'claude', key: KEY }, page);
    expect(set).toEqual(ok({ places: { claude: 'memory' }, backend: keys.backend() }));
    const plain = await handlers['keys.set']({ providerId: 'local', key: KEY, allowPlain: true }, page);
    expect(plain).toMatchObject({ value: { places: { claude: 'memory', local: 'plain' } } });
    const state = await handlers['keys.state']({}, page);
    expect(JSON.stringify([set, plain, state])).not.toContain(KEY);
    expect(await handlers['keys.delete']({ providerId: 'claude' }, page)).toMatchObject({
      value: { places: { local: 'plain' } },
    });
  });

  it('are kept only for what is set up', async () => {
    const answer = await handlers['keys.set']({ providerId: 'stranger', key: KEY }, page);
    expect(answer).toMatchObject({ ok: false, error: { code: 'unknown_provider' } });
    expect(kept.size).toBe(0);
  });

  it('go with their endpoint', async () => {
    await handlers['keys.set']({ providerId: 'claude', key: KEY }, page);
    await handlers['keys.set']({ providerId: 'local', key: KEY }, page);
    await handlers['settings.update']({ theme: 'dark' }, page);
    expect([...kept.keys()]).toEqual(['claude', 'local']);
    const providers = { defaultProvider: 'local', endpoints: [local] };
    expect(await handlers['settings.update']({ providers }, page)).toMatchObject({ value: { providers } });
    expect([...kept.keys()]).toEqual(['local']);
  });
});

describe('models.list', () => {
  const { model: _model, ...draft } = claude;

  it('asks with the key that is being entered, else with the kept one', async () => {
    kept.set('claude', { key: KEY, place: 'memory' });
    expect(await handlers['models.list']({ endpoint: draft, key: 'another' }, page)).toEqual(listed);
    await handlers['models.list']({ endpoint: draft }, page);
    expect(asked.map(({ key }) => key)).toEqual(['another', KEY]);
    expect(asked[0]?.endpoint).toMatchObject(draft);
  });

  it('passes on why it failed', async () => {
    listed = err({ message: 'Claude did not accept the key.' });
    expect(await handlers['models.list']({ endpoint: draft }, page)).toEqual(
      err({ code: 'provider_failed', message: 'Claude did not accept the key.' }),
    );
  });
});

describe('sessions', () => {
  it('take a provider that is there, and a retry', async () => {
    expect(await handlers['session.setProvider']({ sessionId: 's_1', providerId: 'claude' }, page)).toEqual(
      ok(null),
    );
    expect(await handlers['session.retry']({ sessionId: 's_1' }, page)).toEqual(ok(null));
    expect(done).toEqual(['provider claude', 'retry']);
  });

  it('refuse what is not there', async () => {
    expect(
      await handlers['session.setProvider']({ sessionId: 's_1', providerId: 'gone' }, page),
    ).toMatchObject({
      error: { code: 'unknown_provider' },
    });
    expect(
      await handlers['session.setProvider']({ sessionId: 's_2', providerId: 'claude' }, page),
    ).toMatchObject({
      error: { code: 'unknown_session' },
    });
    expect(await handlers['session.retry']({ sessionId: 's_2' }, page)).toMatchObject({
      error: { code: 'unknown_session' },
    });
    expect(done).toEqual([]);
  });
});
