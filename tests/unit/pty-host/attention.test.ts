import { describe, expect, it } from 'vitest';
import { asksForSecret, attentionOf, type Sight } from '../../../electron/pty-host/attention.ts';
import { parseProcStat } from '../../../electron/pty-host/proc-stat.ts';
import { parseStty } from '../../../electron/pty-host/terminal-modes.ts';

const sight = (
  readers: Partial<Sight['readers']>,
  modes: Sight['modes'] = { echo: true, lineMode: true },
  ports: [number, number[]][] = [],
): Sight => ({
  readers: { reading: [], polling: [], hidden: [], ...readers },
  modes,
  ports: new Map(ports),
});
const kind = (seen: Sight, silentMs = 0) => attentionOf(seen, silentMs, 90_000)?.kind ?? null;

describe('what a command wants', () => {
  it('is nothing, or quiet, for silence alone', () => {
    expect(kind(sight({}), 89_999)).toBe(null);
    expect(kind(sight({}), 90_000)).toBe('quiet');
    expect(kind(sight({ hidden: [7] }), 90_000)).toBe('quiet');
  });

  it('is input for who sleeps in a read, also beside a server of another process', () => {
    expect(kind(sight({ reading: [7] }))).toBe('needs-input');
    expect(attentionOf(sight({ reading: [7] }, null, [[8, [3000]]]), 0, 1)).toEqual({
      kind: 'needs-input',
      ports: [3000],
    });
    expect(kind(sight({ reading: [7] }, null, [[7, [3000]]]))).toBe('serving');
  });

  it('is input for who polls the terminal for a while, but not when anything serves', () => {
    expect(kind(sight({ polling: [7] }), 1_999)).toBe(null);
    expect(kind(sight({ polling: [7] }), 2_000)).toBe('needs-input');
    expect(kind(sight({ reading: [8], polling: [7] }), 0)).toBe('needs-input');
    expect(kind(sight({ polling: [7] }, null, [[8, [3000]]]), 1e9)).toBe('serving');
  });

  it('names each port once, ascending', () => {
    const ports: [number, number[]][] = [
      [8, [8080, 3000]],
      [9, [3000]],
    ];
    expect(attentionOf(sight({}, null, ports), 0, 1)?.ports).toEqual([3000, 8080]);
  });

  it('is a secret only with the echo off, line mode on, and a reader, whom the kernel need not show', () => {
    const off = { echo: false, lineMode: true };
    expect(kind(sight({ reading: [7] }, off))).toBe('needs-secret');
    expect(kind(sight({ polling: [7] }, off, [[7, [3000]]]))).toBe('needs-secret');
    expect(kind(sight({ hidden: [7] }, off))).toBe('needs-secret');
    expect(asksForSecret(sight({}, off))).toBe(false);
    expect(kind(sight({ reading: [7] }, { echo: false, lineMode: false }))).toBe('needs-input');
    expect(kind(sight({ reading: [7] }, { echo: true, lineMode: true }))).toBe('needs-input');
    expect(kind(sight({ hidden: [7] }, null))).toBe(null);
  });
});

it('what stty says is read, of GNU and of BSD', () => {
  const gnu =
    'speed 38400 baud; rows 34; columns 120; line = 0;\nisig icanon iexten -echo echoe echok -echonl -noflsh\n';
  const bsd =
    'speed 9600 baud; 24 rows; 80 columns;\nlflags: -icanon isig iexten echo echoe -echok echoke -echonl echoctl\n';
  expect(parseStty(gnu)).toEqual({ echo: false, lineMode: true });
  expect(parseStty(bsd)).toEqual({ echo: true, lineMode: false });
  expect(parseStty('stty: not a terminal')).toBe(null);
});

it('a stat file is read whatever the name of the program', () => {
  const text =
    '2422 (a) S (b) S 2370 2421 2420 34821 2422 4194304 469 0 0 0 11 22 0 0 20 0 1 0 440522 4464640 789 1 1';
  expect(parseProcStat(text)).toEqual({
    pid: 2422,
    name: 'a) S (b',
    isKernelThread: false,
    state: 'S',
    parent: 2370,
    group: 2421,
    session: 2420,
    terminal: 34821,
    foreground: 2422,
    cpuTicks: 33,
    startTime: 440522,
    residentPages: 789,
  });
  const kernel = '2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 14 0 0 20 0 1 0 11 0 0';
  expect(parseProcStat(kernel)?.isKernelThread).toBe(true);
  expect(parseProcStat('')).toBe(null);
});
