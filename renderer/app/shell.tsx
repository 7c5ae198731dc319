import { useEffect } from 'react';
import { newSession } from '../features/sessions/session-actions.ts';
import { SettingsDialog } from '../features/settings/settings-dialog.tsx';
import { askFind } from '../features/terminals/find-requests.ts';
import { terminalAround } from '../features/terminals/registry.ts';
import { useFacts } from '../stores/facts.ts';
import { useView } from '../stores/view.ts';
import { Button } from '../ui/button.tsx';
import { Layout } from './layout.tsx';
import { Notices } from './notices.tsx';
import { cycleRegion } from './regions.ts';
import { IS_MAC, matchShortcut, type ShortcutId } from './shortcuts.ts';
import { useTheme } from './theme.ts';
import { TopBar } from './top-bar.tsx';
import './shell.css';

/** Does what a shortcut means. False lets the key go on to where the focus is. */
function run(id: ShortcutId): boolean {
  const view = useView.getState();
  const terminal = terminalAround(document.activeElement);
  switch (id) {
    case 'settings.open':
      view.openSettings({ endpointId: null });
      return true;
    case 'session.new':
      newSession();
      return true;
    case 'region.next':
      cycleRegion(1);
      return true;
    case 'region.previous':
      cycleRegion(-1);
      return true;
    case 'sessions.toggle':
      view.setSessionsOpen(!view.isSessionsOpen);
      return true;
    case 'jobs.toggle':
      view.setJobsOpen(!view.isJobsOpen);
      return true;
    case 'terminal.find':
      if (terminal !== undefined) askFind(terminal.id);
      return true;
    case 'terminal.copy': {
      const text = terminal?.terminal.getSelection() ?? '';
      if (text !== '') void navigator.clipboard.writeText(text).catch(() => document.execCommand('copy'));
      return true;
    }
    case 'terminal.paste':
      // Chromium itself pastes on these keys, and xterm brackets what its field gets. Reading the clipboard from
      // here would need a permission that the app denies.
      return false;
  }
}

function useShortcuts(): void {
  useEffect(() => {
    // In the capturing phase, before xterm makes input of the key.
    const onKeyDown = (event: KeyboardEvent) => {
      const inTerminal = terminalAround(document.activeElement) !== undefined;
      const id = matchShortcut(event, { inTerminal, isMac: IS_MAC });
      // While the settings are open the window behind them stays as it is.
      if (id === null || useView.getState().settings !== null) return;
      if (run(id)) event.preventDefault();
      event.stopPropagation();
    };
    window.addEventListener('keydown', onKeyDown, { capture: true });
    return () => window.removeEventListener('keydown', onKeyDown, { capture: true });
  }, []);
}

/** The whole window. */
export function Shell({ onRetry }: { onRetry: () => void }) {
  const phase = useFacts((facts) => facts.phase);
  const failure = useFacts((facts) => facts.failure);
  const isSettingsOpen = useView((view) => view.settings !== null);
  useTheme();
  useShortcuts();

  if (phase === 'failed') {
    return (
      <main className="start-failure" role="alert">
        <b>Switchyard could not start its window</b>
        <span className="selectable">{failure}</span>
        <Button onClick={onRetry}>Try again</Button>
      </main>
    );
  }
  return (
    <div className="shell">
      <TopBar />
      <Notices />
      <main className="stage">{phase === 'ready' && <Layout />}</main>
      {phase === 'ready' && isSettingsOpen && <SettingsDialog />}
    </div>
  );
}
