import { PORT_LOOK_MS } from '../../shared/limits.ts';
import type { CommandId } from '../../shared/model/ids.ts';
import type { Wait } from '../../shared/model/session.ts';
import { plainText } from '../../shared/text/plain-text.ts';
import type { Clock, CommandHost, FindLine } from './ports.ts';
import type { WaitEnd } from './wait-machine.ts';

const PIECE_BYTES = 64 * 1024;
const NEWLINE = 10;

export interface ConditionOptions {
  readonly host: CommandHost;
  readonly clock: Clock;
  readonly findLine: FindLine;
  /** Bytes in the log of a command, as far as is known. */
  readonly outputBytes: (id: CommandId) => number;
  /** Called once. */
  readonly onMet: (end: WaitEnd) => void;
}

/** Watches for what a wait is for beside the ends of its commands. Returns the way out. */
export function watchCondition(wait: Wait, options: ConditionOptions): () => void {
  let isOver = false;
  const meet = (end: WaitEnd) => {
    if (isOver) return;
    isOver = true;
    for (const stop of stops) stop();
    options.onMet(end);
  };
  const stops: (() => void)[] = [];
  const { until } = wait;
  if (until.kind === 'match') {
    for (const id of wait.commandIds)
      stops.push(watchOutput(id, until.from[id] ?? 0, until.pattern, options, meet));
  } else if (until.kind === 'port') stops.push(watchPort(wait.commandIds, until.port, options, meet));
  return () => {
    isOver = true;
    for (const stop of stops) stop();
  };
}

/** Reads on as the output grows, a piece at a time: memory does not grow with it. */
function watchOutput(
  id: CommandId,
  from: number,
  pattern: string,
  { host, findLine, outputBytes }: ConditionOptions,
  meet: (end: WaitEnd) => void,
): () => void {
  let position = from;
  let isReading = false;
  let isStopped = false;
  /** Output came that was not looked at: also while an earlier part was being read. */
  let hasNews = false;
  const readOn = async () => {
    while (!isStopped) {
      const end = outputBytes(id);
      const to = Math.min(end, position + PIECE_BYTES);
      const part = await host.readLogRange(id, position, to).catch(() => null);
      if (part === null) break;
      const { bytes } = part;
      const isBehindGap = part.from > position;
      position = part.from; // what is gone from the log is passed over
      if (bytes.length === 0) {
        if (!isBehindGap || position >= end) break;
        continue;
      }
      const found = findLine(pattern, plainText(bytes).split('\n'));
      if (found === 'too_slow') meet({ kind: 'pattern_too_slow' });
      else if (found !== 'none') meet({ kind: 'matched', commandId: id, line: found.line });
      // The unfinished last line is looked at again with its rest, unless it fills a whole piece or its rest is gone.
      const lastBreak = bytes.lastIndexOf(NEWLINE) + 1;
      const isBeforeGap = position + bytes.length < to;
      const isWhole = bytes.length === PIECE_BYTES || isBeforeGap;
      const used = lastBreak > 0 && !isBeforeGap ? lastBreak : isWhole ? bytes.length : 0;
      position += used;
      if (used === 0 || position >= outputBytes(id)) break;
    }
  };
  const read = async () => {
    hasNews = true;
    if (isReading) return;
    isReading = true;
    while (hasNews && !isStopped) {
      hasNews = false;
      await readOn();
    }
    isReading = false;
  };
  const unsubscribe = host.onEvent((event) => {
    // The last output may be told only with the end.
    if (event.id === id && (event.type === 'progress' || event.type === 'exited')) void read();
  });
  void read();
  return () => {
    isStopped = true;
    unsubscribe();
  };
}

function watchPort(
  ids: readonly CommandId[],
  port: number,
  { host, clock }: ConditionOptions,
  meet: (end: WaitEnd) => void,
): () => void {
  let isStopped = false;
  let cancel = () => {};
  const look = async () => {
    for (const id of ids) {
      const ports = await host.ports(id);
      if (ports.ok && ports.value.includes(port)) meet({ kind: 'port_open', commandId: id, port });
    }
    if (!isStopped) cancel = clock.after(PORT_LOOK_MS, () => void look());
  };
  void look();
  return () => {
    isStopped = true;
    cancel();
  };
}
