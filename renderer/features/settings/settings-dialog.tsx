import { Search, X } from 'lucide-react';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Notices } from '../../app/notices.tsx';
import { useFacts } from '../../stores/facts.ts';
import { useKeys } from '../../stores/keys.ts';
import { attempt } from '../../stores/notices.ts';
import { useView } from '../../stores/view.ts';
import { IconButton } from '../../ui/button.tsx';
import { ApprovalsSection } from '../approvals/approvals-section.tsx';
import { UpdatesSection } from '../updates/updates-section.tsx';
import { ChoiceRow } from './choice-row.tsx';
import { LimitsSection } from './limits-section.tsx';
import { ModelsSection } from './models-section.tsx';
import { SettingsFilter } from './setting-row.tsx';
import { changeSettings } from './settings-actions.ts';
import './settings.css';

/** The sections, in their order. */
const SECTIONS = [
  { id: 'models', name: 'Models', about: '', Rows: ModelsSection },
  { id: 'approvals', name: 'Approvals', about: '', Rows: ApprovalsSection },
  {
    id: 'limits',
    name: 'Limits',
    about: 'A change counts at once, for whatever starts from then on.',
    Rows: LimitsSection,
  },
  { id: 'quit', name: 'Quit', about: '', Rows: QuitSection },
  { id: 'appearance', name: 'Appearance', about: '', Rows: AppearanceSection },
  { id: 'updates', name: 'Updates', about: '', Rows: UpdatesSection },
] as const;

/** All settings, over the window. Esc closes it, and the focus goes back to where it was. */
export function SettingsDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [filter, setFilter] = useState('');
  // Opening moves the focus; before the effects of what is inside, which may want it elsewhere.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    void attempt(() => useKeys.getState().load());
  }, []);
  // By the dialog itself, which then gives the focus back.
  const close = () => dialog.current?.close();

  return (
    <dialog
      ref={dialog}
      className="settings"
      aria-label="Settings"
      onClose={() => useView.getState().closeSettings()}
    >
      <div className="settings-head">
        <h2>Settings</h2>
        <label className="filter settings-search">
          <Search size={13} aria-hidden="true" />
          <input
            type="search"
            aria-label="Search settings"
            placeholder="Search"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Escape' || filter === '') return;
              // The first Esc ends the search, the next one closes.
              event.preventDefault();
              setFilter('');
            }}
          />
        </label>
        <IconButton name="Close settings" hint="Esc" onClick={close}>
          <X size={15} aria-hidden="true" />
        </IconButton>
      </div>
      <Notices />
      <SettingsFilter value={filter.trim().toLowerCase()}>
        <div className="settings-body">
          {SECTIONS.map(({ id, name, about, Rows }) => (
            <section key={id} className="settings-section" aria-labelledby={`settings-${id}`}>
              <h3 id={`settings-${id}`}>{name}</h3>
              {about !== '' && <p className="settings-about">{about}</p>}
              <Rows />
            </section>
          ))}
          <p className="quiet-note settings-none">No setting matches.</p>
        </div>
      </SettingsFilter>
    </dialog>
  );
}

function QuitSection() {
  const onQuit = useFacts((facts) => facts.settings.onQuit);
  return (
    <ChoiceRow
      id="settings-on-quit"
      label="When Switchyard quits while commands run"
      reason="Commands that are left run on, and their output is recorded while the window is closed."
      value={onQuit}
      choices={[
        ['ask', 'Ask'],
        ['leave', 'Leave them running'],
        ['stop', 'Stop them'],
      ]}
      onChoose={(value) => changeSettings({ onQuit: value })}
    />
  );
}

function AppearanceSection() {
  const theme = useFacts((facts) => facts.settings.theme);
  return (
    <ChoiceRow
      id="settings-theme"
      label="Theme"
      reason="Of the window and of its terminals."
      value={theme}
      choices={[
        ['system', 'As the system'],
        ['dark', 'Dark'],
        ['light', 'Light'],
      ]}
      onChoose={(value) => changeSettings({ theme: value })}
    />
  );
}
