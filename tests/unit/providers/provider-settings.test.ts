import { expect, it } from 'vitest';
import {
  DEFAULT_PROVIDER_SETTINGS,
  ModelEndpoint,
  ProviderSettings,
} from '../../../shared/model/provider-settings.ts';

const ENDPOINT = {
  id: 'ollama',
  kind: 'compatible',
  name: 'Ollama',
  baseUrl: 'http://localhost:11434/v1',
  model: 'qwen3',
};

it('is empty at first, with the built-in agent as the default', () => {
  expect(ProviderSettings.parse({})).toEqual(DEFAULT_PROVIDER_SETTINGS);
});

it('takes endpoints and a default among them', () => {
  const settings = { defaultProvider: 'ollama', endpoints: [ENDPOINT] };
  expect(ProviderSettings.parse(settings)).toEqual(settings);
});

it.each([
  [{ ...ENDPOINT, id: 'built-in' }],
  [{ ...ENDPOINT, id: 'Not An Id' }],
  [{ ...ENDPOINT, baseUrl: undefined }],
  [{ ...ENDPOINT, baseUrl: 'ftp://host/v1' }],
  [{ ...ENDPOINT, baseUrl: 'http://name:secret@host/v1' }],
  [{ ...ENDPOINT, baseUrl: 'https://host/v1?key=secret' }],
  [{ ...ENDPOINT, apiKey: 'secret' }],
  [{ ...ENDPOINT, model: '' }],
])('refuses %o', (endpoint) => {
  expect(ModelEndpoint.safeParse(endpoint).success).toBe(false);
});

it('refuses two endpoints of one id, and a default that names none', () => {
  expect(ProviderSettings.safeParse({ endpoints: [ENDPOINT, ENDPOINT] }).success).toBe(false);
  expect(ProviderSettings.safeParse({ defaultProvider: 'gone', endpoints: [ENDPOINT] }).success).toBe(false);
});
