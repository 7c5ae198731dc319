import { chooseVictims } from './eviction.ts';
import { TerminalRuntime, type TerminalStatus } from './terminal-runtime.ts';
import { portSchedule, Turns } from './turns.ts';

/** Terminals kept at a time. One that was given up is built again from the log when it is shown. */
const MOST_TERMINALS = 16;
const WINDOW_STARTED_AT = Date.now();

const NO_STATUS: TerminalStatus = { cols: 0, rows: 0, isConnected: false, gapBytes: 0 };

const runtimes = new Map<string, TerminalRuntime>();
/** Commands that had a terminal in this window. */
const seen = new Set<string>();
const turns = new Turns(portSchedule());
let shows = 0;
let lot: HTMLElement | null = null;

/** Off screen and not `display: none`: a hidden terminal keeps its size and its cell measures. */
function parkingLot(): HTMLElement {
  if (lot === null) {
    lot = document.createElement('div');
    lot.className = 'parking-lot';
    lot.inert = true;
    lot.ariaHidden = 'true';
    document.body.append(lot);
  }
  return lot;
}

interface CommandToShow {
  readonly id: string;
  readonly startedAt: number;
  readonly outputBytes: number;
}

function runtimeOf({ id, startedAt, outputBytes }: CommandToShow): TerminalRuntime {
  const known = runtimes.get(id);
  if (known !== undefined) return known;
  // Only the first terminal of a command that began under this window answers what it asked so far.
  const isFirst = startedAt > WINDOW_STARTED_AT && !seen.has(id);
  const runtime = new TerminalRuntime(id, turns, isFirst ? 0 : outputBytes);
  seen.add(id);
  runtimes.set(id, runtime);
  return runtime;
}

function evict(): void {
  const all = [...runtimes.values()].map(({ id, isShown, lastShown, feed }) => ({
    id,
    isShown,
    lastShown,
    isEnded: feed.isEnded,
  }));
  for (const id of chooseVictims(all, MOST_TERMINALS)) {
    runtimes.get(id)?.dispose();
    runtimes.delete(id);
  }
}

/** Shows the terminal of a command in a place of the page. Returns how to take it away again. */
export function showTerminalIn(command: CommandToShow, place: HTMLElement, onStatus: () => void): () => void {
  const runtime = runtimeOf(command);
  runtime.onStatus = onStatus;
  runtime.show(place, ++shows);
  evict();
  return () => {
    if (runtimes.get(command.id) !== runtime) return;
    runtime.onStatus = null;
    runtime.park(parkingLot());
  };
}

/** What a pane shows beside the text; always the same object until something changed. */
export const terminalStatus = (id: string): TerminalStatus => runtimes.get(id)?.status ?? NO_STATUS;

/** The terminal of a command, if it has one in this window just now. */
export const findTerminal = (id: string): TerminalRuntime | undefined => runtimes.get(id);

/** The terminal that holds an element, for shortcuts in it. */
export const terminalAround = (element: Element | null): TerminalRuntime | undefined =>
  [...runtimes.values()].find((runtime) => runtime.element.contains(element));

/** After the pty host or main came back: streams that broke off go on where they were. */
export function reconnectTerminals(): void {
  for (const runtime of runtimes.values()) void runtime.connect();
}

/** After a change of the theme. */
export function repaintTerminals(): void {
  for (const runtime of runtimes.values()) runtime.setTheme();
}
