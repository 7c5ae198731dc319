import { createContext, type ReactNode, useContext } from 'react';

/** What is searched for in the settings, in small letters. */
export const SettingsFilter = createContext('');

interface SettingRowProps {
  readonly label: string;
  readonly reason: string;
  /** Id of the control that the label names; its reason is then `<id>-reason`. */
  readonly htmlFor?: string;
  /** More words that a search finds it by. */
  readonly words?: string;
  readonly children: ReactNode;
}

/** One setting: what it is, why, and its control. Not there when the search is for something else. */
export function SettingRow({ label, reason, htmlFor, words = '', children }: SettingRowProps) {
  const filter = useContext(SettingsFilter);
  if (!`${label} ${reason} ${words}`.toLowerCase().includes(filter)) return null;
  return (
    <div className="set">
      <span className="set-text">
        {htmlFor === undefined ? <span>{label}</span> : <label htmlFor={htmlFor}>{label}</label>}
        <small id={htmlFor === undefined ? undefined : `${htmlFor}-reason`}>{reason}</small>
      </span>
      <span className="set-control">{children}</span>
    </div>
  );
}
