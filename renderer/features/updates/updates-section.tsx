import type { UpdateState } from '../../../shared/model/update.ts';
import { call } from '../../bridge/client.ts';
import { useFacts } from '../../stores/facts.ts';
import { attempt } from '../../stores/notices.ts';
import { Button } from '../../ui/button.tsx';
import { ChoiceRow } from '../settings/choice-row.tsx';
import { SettingRow } from '../settings/setting-row.tsx';
import { changeSettings } from '../settings/settings-actions.ts';
import { restartNow } from './restart-now.ts';
import { updateInWords } from './update-words.ts';

/** Settings of updates, and how it stands with them. */
export function UpdatesSection() {
  const updates = useFacts((facts) => facts.settings.updates);
  const update = useFacts((facts) => facts.update);
  const version = useFacts((facts) => facts.app.version);
  return (
    <>
      <SettingRow label={`Version ${version}`} reason={updateInWords(update)} words="update">
        <UpdateButton update={update} />
      </SettingRow>
      <ChoiceRow
        id="settings-update-check"
        label="Look for new versions"
        reason="Quietly, every few hours, and downloaded. No command is ended for it unasked."
        value={updates.check ? 'on' : 'off'}
        choices={[
          ['on', 'By itself'],
          ['off', 'Only when asked'],
        ]}
        onChoose={(value) => changeSettings({ updates: { ...updates, check: value === 'on' } })}
      />
      <ChoiceRow
        id="settings-update-channel"
        label="Update channel"
        reason="Beta versions come earlier, and may have faults."
        value={updates.channel}
        choices={[
          ['stable', 'Stable'],
          ['beta', 'Beta'],
        ]}
        onChoose={(channel) => changeSettings({ updates: { ...updates, channel } })}
      />
    </>
  );
}

function UpdateButton({ update }: { readonly update: UpdateState }) {
  if (update.kind === 'unavailable') return null;
  if (update.kind === 'ready') return <Button onClick={restartNow}>Restart now</Button>;
  const isUnderWay = update.kind === 'checking' || update.kind === 'downloading';
  return (
    <Button disabled={isUnderWay} onClick={() => void attempt(() => call('updates.check', {}))}>
      Check now
    </Button>
  );
}
