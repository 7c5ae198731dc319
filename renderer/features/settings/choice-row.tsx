import { attempt } from '../../stores/notices.ts';
import { SettingRow } from './setting-row.tsx';

interface ChoiceRowProps<T extends string> {
  readonly id: string;
  readonly label: string;
  readonly reason: string;
  readonly value: T;
  readonly choices: readonly (readonly [value: T, name: string])[];
  readonly onChoose: (value: T) => Promise<void>;
}

/** A setting with a few values to choose from. */
export function ChoiceRow<T extends string>({
  id,
  label,
  reason,
  value,
  choices,
  onChoose,
}: ChoiceRowProps<T>) {
  return (
    <SettingRow label={label} reason={reason} htmlFor={id} words={choices.map(([, name]) => name).join(' ')}>
      <select
        id={id}
        className="select"
        aria-describedby={`${id}-reason`}
        value={value}
        onChange={(event) => {
          const chosen = choices.find(([each]) => each === event.target.value);
          if (chosen) void attempt(() => onChoose(chosen[0]));
        }}
      >
        {choices.map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </select>
    </SettingRow>
  );
}
