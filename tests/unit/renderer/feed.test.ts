import { beforeEach, describe, expect, it } from 'vitest';
import { Feed, type FeedPort, type FeedTerminal } from '../../../renderer/features/terminals/feed.ts';
import { Turns } from '../../../renderer/features/terminals/turns.ts';
import { ACK_EVERY_BYTES } from '../../../shared/limits.ts';
import { decodeFrame, encodeFrame, FrameType } from '../../../shared/protocol/frame.ts';

/** A terminal that parses when it is told to. */
class FakeTerminal implements FeedTerminal {
  readonly written: (Uint8Array | string)[] = [];
  readonly #callbacks: ((() => void) | undefined)[] = [];

  write(data: Uint8Array | string, callback?: () => void): void {
    this.written.push(data);
    this.#callbacks.push(callback);
  }

  get pending(): number {
    return this.#callbacks.length;
  }

  parseOne(): void {
    this.#callbacks.shift()?.();
  }

  parseAll(): void {
    while (this.#callbacks.length > 0) this.parseOne();
  }

  get text(): string {
    return this.written
      .map((data) => (typeof data === 'string' ? data : new TextDecoder().decode(data)))
      .join('');
  }
}

class FakePort implements FeedPort {
  onmessage: FeedPort['onmessage'] = null;
  isClosed = false;
  readonly sent: ReturnType<typeof decodeFrame>[] = [];

  postMessage(message: Uint8Array): void {
    this.sent.push(decodeFrame(message));
  }

  close(): void {
    this.isClosed = true;
  }

  deliver(type: FrameType, generation: number, offset: number, bytes: string | Uint8Array = ''): void {
    const body = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes;
    const event = { data: encodeFrame(type, generation, offset, body) } as unknown as MessageEvent;
    this.onmessage?.call(this as unknown as MessagePort, event);
  }

  get acks(): number[] {
    return this.sent.filter(({ type }) => type === FrameType.ack).map(({ offset }) => offset);
  }
}

const { data, reset, exit, input, resize } = FrameType;

describe('Feed', () => {
  let tasks: (() => void)[];
  let turns: Turns;
  let terminal: FakeTerminal;
  let port: FakePort;
  let feed: Feed;
  const runTasks = () => {
    while (tasks.length > 0) tasks.shift()?.();
  };

  beforeEach(() => {
    tasks = [];
    turns = new Turns((task) => tasks.push(task));
    terminal = new FakeTerminal();
    port = new FakePort();
    feed = new Feed(terminal, turns);
    feed.connect(port);
    port.deliver(reset, 1, 0);
  });

  it('acknowledges what was parsed, not what was received, every 64 KiB', () => {
    const half = new Uint8Array(ACK_EVERY_BYTES / 2);
    feed.setFocused(true);
    port.deliver(data, 1, 0, half);
    port.deliver(data, 1, half.length, half);
    expect(port.acks).toEqual([]);
    while (terminal.pending > 1) terminal.parseOne();
    expect(port.acks).toEqual([]);
    terminal.parseOne();
    expect(port.acks).toEqual([ACK_EVERY_BYTES]);
    expect(feed.parsed).toBe(ACK_EVERY_BYTES);
  });

  it('writes a large frame in pieces that hold the page for a short time, each byte once and in order', () => {
    const bytes = Uint8Array.from({ length: 20_000 }, (_, i) => i % 251);
    for (const isFocused of [true, false]) {
      terminal.written.length = 0;
      feed.setFocused(isFocused);
      port.deliver(data, 1, feed.received, bytes);
      while (terminal.pending > 0) {
        terminal.parseAll();
        runTasks();
      }
      const pieces = terminal.written as Uint8Array[];
      expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(8 * 1024);
      expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
    }
  });

  it('does not reset an empty terminal, and resets a used one in order by a written sequence', () => {
    expect(terminal.written).toEqual([]);
    feed.setFocused(true);
    port.deliver(data, 1, 0, 'old');
    port.deliver(reset, 2, 100);
    port.deliver(data, 2, 100, 'new');
    expect(terminal.text).toBe('old\x1bcnew');
    expect(feed.generation).toBe(2);
  });

  it('does not count a write made before a reset, also within one generation', () => {
    feed.setFocused(true);
    port.deliver(data, 1, 0, new Uint8Array(ACK_EVERY_BYTES));
    port.deliver(reset, 1, 0);
    terminal.parseAll();
    expect(port.acks).toEqual([]);
    expect(feed.parsed).toBe(0);
    port.deliver(data, 1, 0, 'x');
    terminal.parseAll();
    expect(feed.parsed).toBe(1);
  });

  it('drops frames that waited for a turn when a reset comes', () => {
    port.deliver(data, 1, 0, 'a');
    port.deliver(data, 1, 1, 'b');
    port.deliver(reset, 1, 0);
    terminal.parseAll();
    runTasks();
    expect(terminal.text).toBe('a\x1bc');
  });

  it('ignores bytes of another generation', () => {
    port.deliver(data, 7, 0, 'x');
    expect(terminal.written).toEqual([]);
    expect(feed.received).toBe(0);
  });

  it('counts gaps and goes on behind them', () => {
    feed.setFocused(true);
    port.deliver(data, 1, 0, 'abc');
    port.deliver(data, 1, 10, 'def');
    expect(feed).toMatchObject({ gaps: 1, gapBytes: 7, received: 13 });
    terminal.parseAll();
    expect(feed.parsed).toBe(13);
  });

  it('is ended once the last byte before the exit is parsed, and acknowledges it', () => {
    feed.setFocused(true);
    port.deliver(data, 1, 0, 'bye');
    port.deliver(exit, 1, 3);
    expect(feed.isEnded).toBe(false);
    terminal.parseAll();
    expect(feed.isEnded).toBe(true);
    expect(port.acks).toEqual([3]);
  });

  it('is ended at once when nothing is left to parse', () => {
    port.deliver(exit, 1, 0);
    expect(feed.isEnded).toBe(true);
  });

  it('goes on where it was on another port, and no longer listens to the first', () => {
    feed.setFocused(true);
    port.deliver(data, 1, 0, 'abc');
    expect(feed.position).toEqual({ generation: 1, offset: 3 });
    const second = new FakePort();
    feed.connect(second);
    expect(port.isClosed).toBe(true);
    port.deliver(data, 1, 3, 'lost');
    second.deliver(data, 1, 3, 'def');
    expect(terminal.text).toBe('abcdef');
    expect(feed.gaps).toBe(0);
  });

  it('has no position before its first byte', () => {
    expect(new Feed(terminal, turns).position).toBeNull();
  });

  it('sends input in pieces and sizes packed', () => {
    feed.input('x'.repeat(100_000));
    const pieces = port.sent.filter(({ type }) => type === input);
    expect(pieces.map(({ bytes }) => bytes.length)).toEqual([65_536, 34_464]);
    feed.resize(120, 34);
    expect(port.sent.at(-1)).toMatchObject({ type: resize, generation: (120 << 16) | 34 });
  });

  describe('turns', () => {
    it('shares one place among terminals without the focus', () => {
      const others = [new FakeTerminal(), new FakeTerminal()];
      const ports = others.map((other) => {
        const own = new FakePort();
        new Feed(other, turns).connect(own);
        own.deliver(reset, 1, 0);
        own.deliver(data, 1, 0, 'a');
        own.deliver(data, 1, 1, 'b');
        return own;
      });
      expect(ports).toHaveLength(2);
      expect(others.map(({ pending }) => pending)).toEqual([1, 0]);
      others[0]?.parseOne();
      runTasks();
      expect(others.map(({ text }) => text)).toEqual(['a', 'a']);
      others[1]?.parseOne();
      runTasks();
      others[0]?.parseOne();
      runTasks();
      expect(others.map(({ text }) => text)).toEqual(['ab', 'ab']);
    });

    it('does not wait for a turn with the focus, and writes in order what waited before', () => {
      const other = new FakeTerminal();
      const own = new FakePort();
      new Feed(other, turns).connect(own);
      own.deliver(reset, 1, 0);
      own.deliver(data, 1, 0, 'flood');
      port.deliver(data, 1, 0, 'a');
      expect(terminal.text).toBe('');
      feed.setFocused(true);
      port.deliver(data, 1, 1, 'b');
      expect(terminal.text).toBe('ab');
    });

    it('frees the turn of a terminal that goes away in the middle of it', () => {
      const other = new FakeTerminal();
      const own = new FakePort();
      new Feed(other, turns).connect(own);
      port.deliver(data, 1, 0, 'never parsed');
      own.deliver(reset, 1, 0);
      own.deliver(data, 1, 0, 'next');
      expect(other.text).toBe('');
      feed.dispose();
      runTasks();
      expect(other.text).toBe('next');
      expect(port.isClosed).toBe(true);
      // A late callback of the disposed terminal frees nobody else's turn.
      own.deliver(data, 1, 4, ' more');
      terminal.parseAll();
      runTasks();
      expect(other.text).toBe('next');
      other.parseAll();
      runTasks();
      expect(other.text).toBe('next more');
    });
  });
});
