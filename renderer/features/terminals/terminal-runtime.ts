import { FitAddon } from '@xterm/addon-fit';
import { SearchAddon } from '@xterm/addon-search';
import { UnicodeGraphemesAddon } from '@xterm/addon-unicode-graphemes';
import { WebLinksAddon } from '@xterm/addon-web-links';
import { Terminal } from '@xterm/xterm';
import { openStream } from '../../bridge/streams.ts';
import { openLink } from '../commands/command-actions.ts';
import { Feed } from './feed.ts';
import { terminalTheme } from './palette.ts';
import { keepQuietWhile } from './replay-guard.ts';
import type { Turns } from './turns.ts';
import { drawByWebgl } from './webgl.ts';

const SCROLLBACK_LINES = 5_000;
const SCROLLBAR_PX = 9;
/** A window that is being dragged must not send a program a hundred sizes. */
const RESIZE_DEBOUNCE_MS = 80;
const RETRY_MS = [250, 500, 1_000, 2_000, 4_000] as const;

/** What a pane shows of its terminal beside the text. A new object whenever something in it changed. */
export interface TerminalStatus {
  readonly cols: number;
  readonly rows: number;
  readonly isConnected: boolean;
  readonly gapBytes: number;
}

/** One command's xterm, its feed and its place in the page. Lives outside React. */
export class TerminalRuntime {
  readonly id: string;
  readonly element: HTMLDivElement;
  readonly terminal: Terminal;
  readonly search = new SearchAddon();
  readonly feed: Feed;
  status: TerminalStatus = { cols: 0, rows: 0, isConnected: false, gapBytes: 0 };
  onStatus: (() => void) | null = null;
  isShown = false;
  lastShown = 0;

  readonly #fit = new FitAddon();
  #webgl: { dispose(): void } | null = null;
  #observer: ResizeObserver | null = null;
  #port: MessagePort | null = null;
  #resizeTimer: ReturnType<typeof setTimeout> | undefined;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #isOpening = false;
  #isDisposed = false;
  /** Output before this offset was seen, and its questions answered, by an earlier terminal. */
  readonly #replayUntil: number;

  constructor(id: string, turns: Turns, replayUntil: number) {
    this.id = id;
    this.#replayUntil = replayUntil;
    this.element = document.createElement('div');
    this.element.className = 'xterm-place';
    this.terminal = new Terminal({
      allowProposedApi: true,
      cursorBlink: false,
      cursorInactiveStyle: 'outline',
      fontFamily: "'JetBrains Mono Variable', ui-monospace, monospace",
      fontSize: 12.5,
      lineHeight: 1.15,
      minimumContrastRatio: 4.5,
      overviewRuler: { width: SCROLLBAR_PX },
      scrollback: SCROLLBACK_LINES,
      theme: terminalTheme(),
      linkHandler: { activate: (event, url) => this.#follow(event, url) },
    });
    this.feed = new Feed(this.terminal, turns);
    this.feed.onChange = () => this.#tell();
    this.terminal.loadAddon(this.#fit);
    this.terminal.loadAddon(this.search);
    this.terminal.loadAddon(new WebLinksAddon((event, url) => this.#follow(event, url)));
    try {
      this.terminal.loadAddon(new UnicodeGraphemesAddon());
    } catch {
      // Widths stay those of single code points.
    }
    keepQuietWhile(this.terminal, () => this.feed.parsed < this.#replayUntil);
    this.terminal.onData((text) => this.feed.input(text));
    this.terminal.onBinary((text) => this.feed.inputBytes(Uint8Array.from(text, (c) => c.charCodeAt(0))));
    this.terminal.onResize(() => this.#sizeChanged());
    this.element.addEventListener('focusin', () => this.feed.setFocused(true));
    this.element.addEventListener('focusout', () => this.feed.setFocused(false));
  }

  get renderer(): 'webgl' | 'dom' {
    return this.#webgl === null ? 'dom' : 'webgl';
  }

  /** Puts the terminal into a pane and fits it there. */
  show(place: HTMLElement, at: number): void {
    place.append(this.element);
    if (this.terminal.element === undefined) this.terminal.open(this.element);
    this.isShown = true;
    this.lastShown = at;
    this.#webgl ??= drawByWebgl(this.terminal, () => {
      this.#webgl = null;
    });
    this.#observer?.disconnect();
    this.#observer = new ResizeObserver(() => this.#fitNow());
    this.#observer.observe(place);
    this.#fitNow();
    this.#failures = 0;
    void this.connect();
  }

  /** Takes it out of sight; its output goes on being parsed. */
  park(lot: HTMLElement): void {
    this.#observer?.disconnect();
    this.#observer = null;
    this.#webgl?.dispose();
    this.#webgl = null;
    this.isShown = false;
    lot.append(this.element);
  }

  /** Opens the stream where the last one ended, unless it is open or nothing more can come. */
  async connect(): Promise<void> {
    if (this.#isOpening || this.#isDisposed || this.feed.isConnected || this.feed.isEnded) return;
    this.#isOpening = true;
    clearTimeout(this.#retryTimer);
    const port = await openStream({ commandId: this.id, from: this.feed.position });
    this.#isOpening = false;
    if (this.#isDisposed) {
      port?.close();
      return;
    }
    if (port === null) {
      this.#retryLater();
      return;
    }
    port.addEventListener('close', () => this.#portClosed(port));
    this.#port = port;
    this.feed.connect(port);
    this.#sendSize();
  }

  setTheme(): void {
    this.terminal.options.theme = terminalTheme();
  }

  focus(): void {
    this.terminal.focus();
  }

  /** All text of the buffer, for find, copy and tests. */
  text(): string {
    const { active } = this.terminal.buffer;
    const lines = Array.from({ length: active.length }, (_, row) => active.getLine(row));
    return lines
      .map((line, row) => (row === 0 || line?.isWrapped ? '' : '\n') + (line?.translateToString(true) ?? ''))
      .join('')
      .trimEnd();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.onStatus = null;
    clearTimeout(this.#resizeTimer);
    clearTimeout(this.#retryTimer);
    this.#observer?.disconnect();
    this.#webgl?.dispose();
    this.feed.dispose();
    this.terminal.dispose();
    this.element.remove();
  }

  #portClosed(port: MessagePort): void {
    if (this.#port !== port || this.#isDisposed) return;
    this.#port = null;
    this.feed.disconnect();
    this.#retryLater();
  }

  #retryLater(): void {
    const delay = RETRY_MS[this.#failures++];
    if (delay !== undefined) this.#retryTimer = setTimeout(() => void this.connect(), delay);
  }

  #follow(event: MouseEvent, url: string): void {
    if (event.ctrlKey || event.metaKey) openLink(url);
  }

  #fitNow(): void {
    const { clientWidth, clientHeight } = this.element;
    // A pane on its way in or out has no size, and a terminal of one column would wrap all its lines.
    if (clientWidth > 40 && clientHeight > 20) this.#fit.fit();
    this.#tell();
  }

  #sizeChanged(): void {
    this.#tell();
    clearTimeout(this.#resizeTimer);
    this.#resizeTimer = setTimeout(() => this.#sendSize(), RESIZE_DEBOUNCE_MS);
  }

  #sendSize(): void {
    if (!this.feed.isEnded) this.feed.resize(this.terminal.cols, this.terminal.rows);
  }

  #tell(): void {
    this.terminal.options.disableStdin = this.feed.isEnded;
    const { cols, rows } = this.terminal;
    const { isConnected, gapBytes } = this.feed;
    this.status = { cols, rows, isConnected, gapBytes };
    this.onStatus?.();
  }
}
