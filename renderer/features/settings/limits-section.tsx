import { useState } from 'react';
import { DEFAULT_LIMITS } from '../../../shared/limits.ts';
import type { Settings } from '../../../shared/model/settings.ts';
import { useFacts } from '../../stores/facts.ts';
import { attempt } from '../../stores/notices.ts';
import { fromUnit, inUnit, LIMIT_ROWS, type LimitRow } from './limit-rows.ts';
import { SettingRow } from './setting-row.tsx';
import { changeSettings } from './settings-actions.ts';

/** The limits that a person understands, each with its reason. */
export function LimitsSection() {
  const limits = useFacts((facts) => facts.settings.limits);
  return LIMIT_ROWS.map((row) => (
    <LimitField key={`${row.name}-${limits[row.name]}`} row={row} limits={limits} />
  ));
}

function LimitField({ row, limits }: { row: LimitRow; limits: Settings['limits'] }) {
  const value = limits[row.name] ?? DEFAULT_LIMITS[row.name];
  const shown = String(inUnit(row, value));
  const [text, setText] = useState(shown);
  const parsed = fromUnit(row, text);
  const isChanged = value !== DEFAULT_LIMITS[row.name];
  const unit = row.unit === '' ? '' : ` ${row.unit}`;
  const usual = `${inUnit(row, DEFAULT_LIMITS[row.name])}${unit}`;
  const bounds = `From ${row.min} to ${row.max.toLocaleString('en')}${unit}.`;
  const id = `limit-${row.name}`;

  const save = (wanted: number | null) => {
    if (wanted === null || wanted === value) return setText(shown);
    const { [row.name]: _before, ...others } = limits;
    const next = wanted === DEFAULT_LIMITS[row.name] ? others : { ...others, [row.name]: wanted };
    void attempt(() => changeSettings({ limits: next }));
  };

  return (
    <SettingRow
      label={row.label}
      reason={parsed === null ? bounds : row.reason}
      htmlFor={id}
      words={`limit ${unit}`}
    >
      {isChanged && (
        <button
          type="button"
          className="link set-usual num"
          title={`Back to ${usual}`}
          onClick={() => save(DEFAULT_LIMITS[row.name])}
        >
          Default {usual}
        </button>
      )}
      <span className={`val num ${parsed === null ? 'wrong' : ''}`}>
        <input
          id={id}
          aria-describedby={`${id}-reason`}
          aria-invalid={parsed === null}
          inputMode="decimal"
          style={{ width: `${Math.max(1, text.length)}ch` }}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onBlur={() => save(parsed)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') save(parsed);
          }}
        />
        {unit}
      </span>
    </SettingRow>
  );
}
