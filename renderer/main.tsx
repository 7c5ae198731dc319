import '@fontsource-variable/inter';
import '@fontsource-variable/jetbrains-mono';
import '@xterm/xterm/css/xterm.css';
import './ui/tokens.css';
import './ui/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { offerDebugSurface } from './app/debug-surface.ts';
import { Shell } from './app/shell.tsx';
import { startEvents } from './app/start.ts';
import { applyLastTheme } from './app/theme.ts';
import { receiveStreams } from './bridge/streams.ts';

/** A font that does not come must not keep the window closed. */
const FONT_WAIT_MS = 1_000;

applyLastTheme();
receiveStreams();
offerDebugSurface();
const restart = startEvents();

// xterm measures its cell once: the font has to be there first.
const fonts = Promise.all([
  document.fonts.load("12.5px 'JetBrains Mono Variable'"),
  document.fonts.load("13px 'Inter Variable'"),
]);
await Promise.race([fonts, new Promise((resolve) => setTimeout(resolve, FONT_WAIT_MS))]);

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <Shell onRetry={restart} />
  </StrictMode>,
);
