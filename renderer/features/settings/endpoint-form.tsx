import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import type { ModelInfo } from '../../../shared/model/model-list.ts';
import type { ModelEndpoint } from '../../../shared/model/provider-settings.ts';
import { call, sentenceOf } from '../../bridge/client.ts';
import { useFacts } from '../../stores/facts.ts';
import { useKeys } from '../../stores/keys.ts';
import { useView } from '../../stores/view.ts';
import { Button } from '../../ui/button.tsx';
import { plural } from '../commands/command-text.ts';
import { KEY_PLACES } from './models-section.tsx';
import { endpointId, SERVICES, type Service, serviceOf } from './services.ts';
import { removeKey, saveEndpoint } from './settings-actions.ts';

const REASONING = [
  ['', "The service's own choice"],
  ['none', 'Not at all'],
  ['low', 'A little'],
  ['medium', 'Some'],
  ['high', 'A lot'],
] as const;

interface Fields {
  readonly service: Service;
  readonly name: string;
  readonly baseUrl: string;
  readonly model: string;
  readonly reasoning: string;
  readonly context: string;
}

const fieldsOf = (endpoint: ModelEndpoint | null): Fields => {
  const service = endpoint === null ? (SERVICES[0] as Service) : serviceOf(endpoint);
  return {
    service,
    name: endpoint?.name ?? service.name,
    baseUrl: endpoint?.baseUrl ?? service.baseUrl,
    model: endpoint?.model ?? '',
    reasoning: endpoint?.reasoning ?? '',
    context: endpoint?.contextTokens === undefined ? '' : String(endpoint.contextTokens),
  };
};

/** What the fields say, over what the form does not show. */
function toEndpoint(fields: Fields, id: string, before: ModelEndpoint | null): ModelEndpoint {
  const { baseUrl: _url, reasoning: _reasoning, contextTokens: _context, ...others } = before ?? {};
  const context = Number(fields.context.replaceAll(/[\s,._]/g, ''));
  return {
    ...others,
    id,
    kind: fields.service.kind,
    name: fields.name.trim(),
    model: fields.model.trim(),
    ...(fields.baseUrl.trim() === '' ? {} : { baseUrl: fields.baseUrl.trim() }),
    ...(fields.reasoning === '' ? {} : { reasoning: fields.reasoning as 'none' | 'low' | 'medium' | 'high' }),
    ...(fields.context.trim() === '' ? {} : { contextTokens: context }),
  };
}

type Said = { readonly isError: boolean; readonly text: string } | null;

/** Sets up a model: the service, its address and key, and which of its models. */
export function EndpointForm({ endpoint, onDone }: { endpoint: ModelEndpoint | null; onDone: () => void }) {
  const formId = useId();
  const known = useFacts((facts) => facts.settings.providers.endpoints);
  const keys = useKeys(({ state }) => state);
  const wantsKey = useView((view) => endpoint !== null && view.settings?.endpointId === endpoint.id);
  const [fields, setFields] = useState(() => fieldsOf(endpoint));
  const [key, setKey] = useState('');
  const [allowsPlain, setAllowsPlain] = useState(false);
  const [models, setModels] = useState<readonly ModelInfo[] | null>(null);
  const [said, setSaid] = useState<Said>(null);
  const [isBusy, setBusy] = useState(false);
  const keyField = useRef<HTMLInputElement>(null);
  const firstField = useRef<HTMLSelectElement>(null);

  const change = (part: Partial<Fields>) => setFields((before) => ({ ...before, ...part }));
  const id =
    endpoint?.id ??
    endpointId(
      fields.name,
      known.map((each) => each.id),
    );
  const place = endpoint === null ? undefined : keys?.places[endpoint.id];
  const needsPlain = keys?.backend.place === 'memory';

  useEffect(() => {
    const field = wantsKey ? keyField.current : firstField.current;
    field?.focus();
    field?.closest('form')?.scrollIntoView({ block: 'nearest' });
  }, [wantsKey]);

  const work = async (action: () => Promise<Said>) => {
    if (isBusy) return;
    setBusy(true);
    setSaid(null);
    try {
      setSaid(await action());
    } catch (error) {
      setSaid({ isError: true, text: sentenceOf(error) });
    } finally {
      setBusy(false);
    }
  };

  const test = () =>
    work(async () => {
      const { kind, name, baseUrl } = toEndpoint(fields, id, endpoint);
      const listed = await call('models.list', {
        endpoint: { id, kind, name, ...(baseUrl === undefined ? {} : { baseUrl }) },
        ...(key === '' ? {} : { key }),
      });
      setModels(listed);
      return { isError: false, text: `${name} answered: ${plural(listed.length, 'model')} to choose from.` };
    });

  const save = (event: FormEvent) => {
    event.preventDefault();
    void work(async () => {
      await saveEndpoint(toEndpoint(fields, id, endpoint), key, allowsPlain);
      setKey('');
      onDone();
      return null;
    });
  };

  const about = (name: string) => ({ 'aria-describedby': `${formId}-${name}-about` });

  return (
    <form
      className="set endpoint-form"
      aria-label={endpoint === null ? 'New model' : `Model ${endpoint.name}`}
      onSubmit={save}
    >
      <div className="form-grid">
        <label htmlFor={`${formId}-service`}>Service</label>
        <select
          id={`${formId}-service`}
          ref={firstField}
          className="select"
          value={fields.service.id}
          onChange={(event) => {
            const service = SERVICES.find((each) => each.id === event.target.value) ?? fields.service;
            const isOwnName = SERVICES.some((each) => each.name === fields.name);
            change({
              service,
              baseUrl: service.baseUrl,
              ...(isOwnName || fields.name === '' ? { name: service.name } : {}),
            });
          }}
        >
          {SERVICES.map((service) => (
            <option key={service.id} value={service.id}>
              {service.name}
            </option>
          ))}
        </select>

        <label htmlFor={`${formId}-name`}>Name</label>
        <input
          id={`${formId}-name`}
          className="text-field"
          required
          maxLength={60}
          value={fields.name}
          onChange={(event) => change({ name: event.target.value })}
        />

        <label htmlFor={`${formId}-url`}>Address</label>
        <input
          id={`${formId}-url`}
          className="text-field mono"
          required={fields.service.kind === 'compatible'}
          placeholder={
            fields.service.kind === 'compatible' ? 'http://127.0.0.1:8000/v1' : "The service's own"
          }
          value={fields.baseUrl}
          onChange={(event) => change({ baseUrl: event.target.value })}
        />

        <label htmlFor={`${formId}-key`}>Key</label>
        <span className="form-line">
          <input
            id={`${formId}-key`}
            {...about('key')}
            ref={keyField}
            className="text-field mono"
            type="password"
            autoComplete="off"
            maxLength={1000}
            placeholder={place ? 'Another key' : fields.service.needsKey ? '' : 'None needed by most'}
            value={key}
            onChange={(event) => setKey(event.target.value.trim())}
          />
          <Button onClick={() => void test()} disabled={isBusy}>
            Test
          </Button>
          {place && endpoint !== null && (
            <Button
              look="quiet-danger"
              onClick={() =>
                void work(async () => {
                  await removeKey(endpoint.id);
                  return { isError: false, text: 'The key was removed.' };
                })
              }
            >
              Remove key
            </Button>
          )}
        </span>
        <small className="form-about" id={`${formId}-key-about`}>
          {place ? `${KEY_PLACES[place]}. ` : ''}
          {keys?.backend.message}
        </small>
        {needsPlain && (
          <label className="form-about tick">
            <input
              type="checkbox"
              checked={allowsPlain}
              onChange={(event) => setAllowsPlain(event.target.checked)}
            />
            Keep this key readable in keys.json, beside the settings
          </label>
        )}

        <label htmlFor={`${formId}-model`}>Model</label>
        <span className="form-line">
          <input
            id={`${formId}-model`}
            className="text-field mono"
            required
            maxLength={200}
            list={`${formId}-models`}
            value={fields.model}
            onChange={(event) => change({ model: event.target.value })}
          />
          <Button onClick={() => void test()} disabled={isBusy}>
            Get the list
          </Button>
        </span>
        <datalist id={`${formId}-models`}>
          {models?.map((model) => (
            <option key={model.id} value={model.id}>
              {model.name}
            </option>
          ))}
        </datalist>

        <label htmlFor={`${formId}-reasoning`}>Thinking</label>
        <select
          id={`${formId}-reasoning`}
          className="select"
          value={fields.reasoning}
          onChange={(event) => change({ reasoning: event.target.value })}
        >
          {REASONING.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>

        <label htmlFor={`${formId}-context`}>Context</label>
        <span className="form-line">
          <input
            id={`${formId}-context`}
            {...about('context')}
            className="text-field num short"
            inputMode="numeric"
            pattern="[0-9 ,._]*"
            placeholder="As known"
            value={fields.context}
            onChange={(event) => change({ context: event.target.value })}
          />
          <small className="faint" id={`${formId}-context-about`}>
            tokens; only where the app does not know it
          </small>
        </span>
      </div>
      <div className="form-foot">
        <span
          className={`grow ${said?.isError ? 'form-error' : 'muted'}`}
          role={said?.isError ? 'alert' : 'status'}
        >
          {isBusy ? 'Asking' : said?.text}
        </span>
        <Button onClick={onDone}>Cancel</Button>
        <Button look="primary" type="submit" disabled={isBusy}>
          Save
        </Button>
      </div>
    </form>
  );
}
