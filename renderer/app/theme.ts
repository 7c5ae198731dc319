import { useEffect } from 'react';
import type { Theme } from '../../shared/model/settings.ts';
import { call } from '../bridge/client.ts';
import { repaintTerminals } from '../features/terminals/registry.ts';
import { useFacts } from '../stores/facts.ts';
import { attempt } from '../stores/notices.ts';

const LAST_THEME_KEY = 'switchyard.theme';
const systemIsLight = (): MediaQueryList => window.matchMedia('(prefers-color-scheme: light)');

const ORDER: readonly Theme[] = ['system', 'dark', 'light'];

/** The theme that follows in the cycle of the theme button. */
export const nextTheme = (theme: Theme): Theme =>
  ORDER[(ORDER.indexOf(theme) + 1) % ORDER.length] ?? 'system';

function applyTheme(theme: Theme): void {
  const inForce = theme === 'system' ? (systemIsLight().matches ? 'light' : 'dark') : theme;
  const { dataset } = document.documentElement;
  if (dataset.theme === inForce) return;
  dataset.theme = inForce;
  repaintTerminals();
}

/** Before the settings are known: the theme of the last time, so that the window does not flash. */
export function applyLastTheme(): void {
  const last = localStorage.getItem(LAST_THEME_KEY);
  applyTheme(ORDER.find((theme) => theme === last) ?? 'system');
}

/** Keeps the page in the theme of the settings. */
export function useTheme(): void {
  const phase = useFacts((facts) => facts.phase);
  const theme = useFacts((facts) => facts.settings.theme);
  useEffect(() => {
    if (phase !== 'ready') return;
    localStorage.setItem(LAST_THEME_KEY, theme);
    applyTheme(theme);
    const query = systemIsLight();
    const follow = () => applyTheme(theme);
    query.addEventListener('change', follow);
    return () => query.removeEventListener('change', follow);
  }, [phase, theme]);
}

/** Saves the next theme; the page follows when main tells the new settings. */
export const cycleTheme = (): void =>
  void attempt(() => call('settings.setTheme', { theme: nextTheme(useFacts.getState().settings.theme) }));
