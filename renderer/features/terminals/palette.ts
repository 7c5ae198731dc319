import type { ISearchOptions } from '@xterm/addon-search';
import type { ITheme } from '@xterm/xterm';

const token = (style: CSSStyleDeclaration, name: string): string => style.getPropertyValue(name).trim();

/** The terminal's colours, from the tokens of the theme that is in force. */
export function terminalTheme(): ITheme {
  const style = getComputedStyle(document.documentElement);
  const t = (name: string) => token(style, `--${name}`);
  return {
    foreground: t('t-fg'),
    background: t('sunken'),
    cursor: t('t-fg'),
    cursorAccent: t('sunken'),
    selectionBackground: t('t-selection'),
    black: t('t-black'),
    red: t('t-red'),
    green: t('t-green'),
    yellow: t('t-yellow'),
    blue: t('t-blue'),
    magenta: t('t-magenta'),
    cyan: t('t-cyan'),
    white: t('t-fg'),
    brightBlack: t('t-dim'),
    brightRed: t('t-red'),
    brightGreen: t('t-green'),
    brightYellow: t('t-yellow'),
    brightBlue: t('t-blue'),
    brightMagenta: t('t-magenta'),
    brightCyan: t('t-cyan'),
    brightWhite: t('text'),
    overviewRulerBorder: t('sunken'),
    scrollbarSliderBackground: t('t-slider'),
    scrollbarSliderHoverBackground: t('t-slider-hover'),
    scrollbarSliderActiveBackground: t('t-slider-hover'),
  };
}

/** Marks of what the find box finds. */
export function findMarks(): NonNullable<ISearchOptions['decorations']> {
  const style = getComputedStyle(document.documentElement);
  const match = token(style, '--t-find');
  const active = token(style, '--t-find-active');
  return {
    matchBackground: match,
    matchOverviewRuler: match,
    activeMatchBackground: active,
    activeMatchColorOverviewRuler: active,
  };
}
