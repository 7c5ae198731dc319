import { Monitor, Moon, PanelLeftOpen, Settings, Sun } from 'lucide-react';
import { isLive } from '../features/commands/state-words.ts';
import { folderName } from '../features/sessions/folder-name.ts';
import { useFacts } from '../stores/facts.ts';
import { useView } from '../stores/view.ts';
import { IconButton } from '../ui/button.tsx';
import { Mark } from '../ui/mark.tsx';
import { keysOf } from './shortcuts.ts';
import { cycleTheme, nextTheme } from './theme.ts';

const THEME_ICONS = { system: Monitor, dark: Moon, light: Sun } as const;

/** The bar at the top: what this is, where the open session works, how much runs. */
export function TopBar() {
  const isSessionsOpen = useView((view) => view.isSessionsOpen);
  const openSessionId = useView((view) => view.openSessionId);
  const workspace = useFacts(({ sessions }) =>
    openSessionId === null ? undefined : sessions[openSessionId]?.workspace,
  );
  const running = useFacts(({ commands }) => Object.values(commands).filter(isLive).length);
  const theme = useFacts((facts) => facts.settings.theme);
  const ThemeIcon = THEME_ICONS[theme];

  return (
    <header className="top-bar">
      {!isSessionsOpen && (
        <IconButton
          name="Expand sessions"
          hint={keysOf('sessions.toggle')}
          onClick={() => useView.getState().setSessionsOpen(true)}
        >
          <PanelLeftOpen size={14} aria-hidden="true" />
        </IconButton>
      )}
      <span className="mark">
        <Mark />
        Switchyard
      </span>
      {workspace !== undefined && (
        <span className="muted cut" title={workspace}>
          {folderName(workspace)}
        </span>
      )}
      <span className="grow" />
      <span className="muted num running-count">{running} running</span>
      <IconButton
        name="Settings"
        hint={keysOf('settings.open')}
        onClick={() => useView.getState().openSettings({ endpointId: null })}
      >
        <Settings size={14} aria-hidden="true" />
      </IconButton>
      <IconButton name={`Theme: ${theme}`} hint={`next: ${nextTheme(theme)}`} onClick={cycleTheme}>
        <ThemeIcon size={14} aria-hidden="true" />
      </IconButton>
    </header>
  );
}
