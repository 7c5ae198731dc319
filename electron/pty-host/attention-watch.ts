import {
  ATTENTION_IDLE_MS,
  ATTENTION_LOOK_MAX_MS,
  ATTENTION_LOOK_MS,
  ATTENTION_POLLING_MS,
  PORTS_LOOK_MAX_MS,
  PORTS_LOOK_MS,
} from '../../shared/limits.ts';
import type { Attention } from '../../shared/model/attention.ts';
import { asksForSecret, attentionOf, portsOf } from './attention.ts';
import type { CommandProcess, TerminalModes } from './command-process.ts';
import { canReadCalls } from './kernel-wait.ts';
import { type ListeningSockets, PortLook, type SocketTable } from './port-look.ts';
import {
  identifyTerminal,
  type TerminalIdentity,
  type TerminalReaders,
  terminalReaders,
} from './terminal-readers.ts';

const NOBODY: TerminalReaders = { reading: [], polling: [], hidden: [] };
const GROWTH = 1.5;
const canSee = process.platform === 'linux' && canReadCalls;

export interface AttentionWatchOptions {
  readonly process: CommandProcess;
  readonly quietAfterMs: number;
  /** When it last wrote, or was started; milliseconds since the epoch. */
  readonly outputAt: () => number;
  /** When it was last written to; 0: never. */
  readonly inputAt: () => number;
  onChanged(attention: Attention | null): void;
}

/**
 * What one living command wants of a person. It is looked at when it was silent for a moment, and less often while it
 * stays as it is; one that writes costs nothing, unless it was waiting and may not be any more.
 */
export class AttentionWatch {
  attention: Attention | null = null;
  readonly #o: AttentionWatchOptions;
  readonly #ports = new PortLook();
  #terminal: TerminalIdentity | null = null;
  #readers = NOBODY;
  #modes: TerminalModes | null = null;
  #lookedAt = 0;
  #lookEveryMs = ATTENTION_LOOK_MS;
  #portsAt = 0;
  #portsEveryMs = PORTS_LOOK_MS;
  #isOver = false;

  constructor(options: AttentionWatchOptions) {
    this.#o = options;
  }

  /** One round. */
  async look(sockets: SocketTable): Promise<void> {
    if (canSee) {
      if (this.#isReadDue()) await this.#lookForReaders();
      if (Date.now() - this.#portsAt >= this.#portsEveryMs) await this.#lookForPorts(await sockets.read());
    }
    this.#conclude();
  }

  /** Ports on which it was last seen to listen, ascending. */
  get ports(): readonly number[] {
    return portsOf(this.#ports.ports);
  }

  /** Whether somebody asks for a secret at this very moment. */
  async asksForSecret(): Promise<boolean> {
    if (!canSee || this.#isOver) return false;
    const modes = await this.#o.process.modes();
    if (modes === null || modes.echo || !modes.lineMode) return false;
    return asksForSecret({ readers: await this.#findReaders(), modes });
  }

  /** Nothing is told any more. */
  end(): void {
    this.#isOver = true;
    this.attention = null;
  }

  #activeAt(): number {
    return Math.max(this.#o.outputAt(), this.#o.inputAt());
  }

  #isReadDue(): boolean {
    const now = Date.now();
    const activeAt = this.#activeAt();
    const isWaiting = this.attention?.kind === 'needs-input' || this.attention?.kind === 'needs-secret';
    const hasMoved = activeAt > this.#lookedAt;
    if (hasMoved) this.#lookEveryMs = ATTENTION_LOOK_MS;
    if (now - activeAt < ATTENTION_IDLE_MS) return isWaiting && hasMoved;
    // From this moment on polling counts as waiting, so it is not concluded from an older look.
    const pollingCountsAt = this.#o.outputAt() + ATTENTION_POLLING_MS;
    if (now >= pollingCountsAt && this.#lookedAt < pollingCountsAt) return true;
    return hasMoved || now - this.#lookedAt >= this.#lookEveryMs;
  }

  async #lookForReaders(): Promise<void> {
    this.#lookedAt = Date.now();
    this.#lookEveryMs = Math.min(this.#lookEveryMs * GROWTH, ATTENTION_LOOK_MAX_MS);
    this.#readers = await this.#findReaders();
    const { reading, polling, hidden } = this.#readers;
    const hasReader = reading.length + polling.length + hidden.length > 0;
    this.#modes = hasReader ? await this.#o.process.modes() : null;
    // Whether who polls is a server is to be known before it is said to want input.
    if (polling.length > 0) this.#portsAt = 0;
  }

  async #findReaders(): Promise<TerminalReaders> {
    const path = this.#o.process.terminalPath;
    this.#terminal ??= path === null ? null : identifyTerminal(path);
    if (this.#terminal === null) return NOBODY;
    return terminalReaders(await this.#o.process.members(), this.#terminal);
  }

  async #lookForPorts(sockets: ListeningSockets): Promise<void> {
    const before = this.#ports.ports;
    await this.#ports.look(sockets, () => this.#o.process.members());
    const isSame = this.#ports.ports === before;
    this.#portsAt = Date.now();
    // A server that is being started opens its port soon; one that rests for long rarely opens another.
    const isFresh = !isSame || this.#portsAt - this.#activeAt() < this.#portsEveryMs;
    this.#portsEveryMs = isFresh ? PORTS_LOOK_MS : Math.min(this.#portsEveryMs * GROWTH, PORTS_LOOK_MAX_MS);
  }

  #conclude(): void {
    if (this.#isOver) return;
    const sight = { readers: this.#readers, modes: this.#modes, ports: this.#ports.ports };
    const attention = attentionOf(sight, Date.now() - this.#o.outputAt(), this.#o.quietAfterMs);
    if (isSame(attention, this.attention)) return;
    this.attention = attention;
    this.#o.onChanged(attention);
  }
}

function isSame(a: Attention | null, b: Attention | null): boolean {
  return a?.kind === b?.kind && a?.ports.join() === b?.ports.join();
}
