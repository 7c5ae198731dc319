import { useState } from 'react';
import type { KeyPlace, KeysState } from '../../../shared/model/model-list.ts';
import type { ModelEndpoint } from '../../../shared/model/provider-settings.ts';
import { useFacts } from '../../stores/facts.ts';
import { useKeys } from '../../stores/keys.ts';
import { attempt } from '../../stores/notices.ts';
import { useView } from '../../stores/view.ts';
import { Button } from '../../ui/button.tsx';
import { agentChoices } from '../agents/agent-names.ts';
import { ChoiceRow } from './choice-row.tsx';
import { EndpointForm } from './endpoint-form.tsx';
import { serviceOf } from './services.ts';
import { SettingRow } from './setting-row.tsx';
import { changeSettings, removeEndpoint } from './settings-actions.ts';

const NEW = 'new';

/** Where a key is, in words. */
export const KEY_PLACES: Record<KeyPlace, string> = {
  system: "Key encrypted by the system's keyring",
  memory: 'Key kept until Switchyard ends',
  plain: 'Key readable in keys.json',
};

/** The models that are set up, and the form of one of them. */
export function ModelsSection() {
  const settings = useFacts((facts) => facts.settings);
  const keys = useKeys(({ state }) => state);
  const wanted = useView((view) => view.settings?.endpointId ?? null);
  const { endpoints, defaultProvider } = settings.providers;
  const [open, setOpen] = useState<string | null>(endpoints.some(({ id }) => id === wanted) ? wanted : null);
  const close = () => setOpen(null);

  return (
    <>
      <ChoiceRow
        id="settings-default-agent"
        label="Agent of new sessions"
        reason="A session can have another one, chosen below its messages."
        value={defaultProvider}
        choices={agentChoices(settings).map(({ id, name }) => [id, name] as const)}
        onChoose={(id) => changeSettings({ providers: { endpoints, defaultProvider: id } })}
      />
      {endpoints.map((endpoint) =>
        open === endpoint.id ? (
          <EndpointForm key={endpoint.id} endpoint={endpoint} onDone={close} />
        ) : (
          <EndpointRow
            key={endpoint.id}
            endpoint={endpoint}
            keys={keys}
            onEdit={() => setOpen(endpoint.id)}
          />
        ),
      )}
      {open === NEW ? (
        <EndpointForm endpoint={null} onDone={close} />
      ) : (
        <SettingRow
          label="Another model"
          reason="Anthropic, OpenAI, or any endpoint that speaks OpenAI's chat completions."
          words="add ollama lm studio vllm openrouter key endpoint"
        >
          <Button onClick={() => setOpen(NEW)}>Add a model</Button>
        </SettingRow>
      )}
    </>
  );
}

interface EndpointRowProps {
  readonly endpoint: ModelEndpoint;
  readonly keys: KeysState | null;
  readonly onEdit: () => void;
}

function EndpointRow({ endpoint, keys, onEdit }: EndpointRowProps) {
  const [isAsking, setAsking] = useState(false);
  const service = serviceOf(endpoint);
  const place = keys?.places[endpoint.id];
  const key = place ? KEY_PLACES[place] : service.needsKey ? 'No key yet' : 'No key';
  return (
    <SettingRow
      label={endpoint.name}
      reason={`${service.name}, ${endpoint.model}. ${key}.`}
      words={`model key ${endpoint.baseUrl ?? ''}`}
    >
      {isAsking ? (
        <>
          <Button look="danger" autoFocus onClick={() => void attempt(() => removeEndpoint(endpoint.id))}>
            Remove it and its key
          </Button>
          <Button onClick={() => setAsking(false)}>Keep</Button>
        </>
      ) : (
        <>
          <Button aria-label={`Edit ${endpoint.name}`} onClick={onEdit}>
            Edit
          </Button>
          <Button look="quiet-danger" aria-label={`Remove ${endpoint.name}`} onClick={() => setAsking(true)}>
            Remove
          </Button>
        </>
      )}
    </SettingRow>
  );
}
