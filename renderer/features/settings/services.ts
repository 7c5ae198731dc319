import { GUEST_PROVIDER } from '../../../shared/model/guest-provider.ts';
import type { EndpointKind, ModelEndpoint } from '../../../shared/model/provider-settings.ts';
import { BUILT_IN } from '../agents/agent-names.ts';

/** A service that a model is had from, as people know it. */
export interface Service {
  readonly id: string;
  readonly name: string;
  readonly kind: EndpointKind;
  /** Empty: the service's own address, which needs not be named. */
  readonly baseUrl: string;
  /** Local servers take requests without one. */
  readonly needsKey: boolean;
}

export const SERVICES: readonly Service[] = [
  { id: 'anthropic', name: 'Anthropic', kind: 'anthropic', baseUrl: '', needsKey: true },
  { id: 'openai', name: 'OpenAI', kind: 'openai', baseUrl: '', needsKey: true },
  { id: 'openrouter', name: 'OpenRouter', kind: 'compatible', baseUrl: 'https://openrouter.ai/api/v1', needsKey: true },
  { id: 'ollama', name: 'Ollama', kind: 'compatible', baseUrl: 'http://127.0.0.1:11434/v1', needsKey: false },
  { id: 'lm-studio', name: 'LM Studio', kind: 'compatible', baseUrl: 'http://127.0.0.1:1234/v1', needsKey: false },
  { id: 'vllm', name: 'vLLM', kind: 'compatible', baseUrl: 'http://127.0.0.1:8000/v1', needsKey: false },
  { id: 'compatible', name: 'OpenAI-compatible', kind: 'compatible', baseUrl: '', needsKey: false },
]; // biome-ignore format: a table

const OTHER = SERVICES[SERVICES.length - 1] as Service;

/** The service that an endpoint belongs to, as far as its address tells. */
export function serviceOf({ kind, baseUrl }: Pick<ModelEndpoint, 'kind' | 'baseUrl'>): Service {
  const ofKind = SERVICES.filter((service) => service.kind === kind);
  if (kind !== 'compatible') return ofKind[0] ?? OTHER;
  return ofKind.find((service) => service.baseUrl !== '' && service.baseUrl === baseUrl) ?? OTHER;
}

/** An id for a new endpoint: its name in small letters, with a number behind it where that is taken. */
export function endpointId(name: string, taken: readonly string[]): string {
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 32);
  const base = slug === '' ? 'model' : slug;
  const isFree = (id: string) => ![BUILT_IN, GUEST_PROVIDER, ...taken].includes(id);
  if (isFree(base)) return base;
  for (let n = 2; ; n++) if (isFree(`${base}-${n}`)) return `${base}-${n}`;
}
