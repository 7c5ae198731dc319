import { expect, it } from 'vitest';
import type { Provider } from '../../../electron/agent/provider.ts';
import { ModelRegistry } from '../../../electron/agent/providers/model-registry.ts';
import type { ModelEndpoint } from '../../../shared/model/provider-settings.ts';

const builtIn = { id: 'built-in', name: 'Built-in agent' } as Provider;
const endpoint = (id: string, model = 'm'): ModelEndpoint => ({ id, kind: 'openai', name: id, model });

it('follows the settings, and keeps the provider of what stayed as it was', () => {
  const registry = new ModelRegistry([builtIn], { keyOf: () => null, platform: 'linux' });
  expect(registry.get('a')).toBeUndefined();
  registry.update([endpoint('a'), endpoint('b')]);
  const [a, b] = [registry.get('a'), registry.get('b')];
  expect(a?.priced).toEqual(endpoint('a'));

  registry.update([endpoint('b', 'another'), endpoint('a')]);
  expect(registry.get('a')).toBe(a);
  expect(registry.get('b')).not.toBe(b);

  registry.update([]);
  expect(registry.get('a')).toBeUndefined();
  expect(registry.get('built-in')).toBe(builtIn);
});

it('never gives the place of what is always there to an endpoint', () => {
  const registry = new ModelRegistry([builtIn], { keyOf: () => null, platform: 'linux' });
  registry.update([endpoint('built-in')]);
  expect(registry.get('built-in')).toBe(builtIn);
});
