import { useFacts } from '../../stores/facts.ts';
import { ChoiceRow } from '../settings/choice-row.tsx';
import { changeSettings } from '../settings/settings-actions.ts';
import { SETTINGS } from './approval-words.ts';

/** How commands of agents are allowed, in the settings. Rules are shown in the chat of their folder. */
export function ApprovalsSection() {
  const approvals = useFacts((facts) => facts.settings.approvals);
  return (
    <ChoiceRow
      id="settings-approvals"
      label="Commands of agents"
      reason={SETTINGS.find(([value]) => value === approvals)?.[2] ?? ''}
      value={approvals}
      choices={SETTINGS.map(([value, name]) => [value, name] as const)}
      onChoose={(value) => changeSettings({ approvals: value })}
    />
  );
}
