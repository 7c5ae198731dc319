import type { CommandId } from '../../shared/model/ids.ts';
import type { LogPart } from '../../shared/model/log-part.ts';
import type { CommandHost } from './ports.ts';

/**
 * The newest bytes of [from, to) of a log that may have gaps: what begins behind the last gap. When the log is gone
 * there are none, at `to`: they count as dropped, and the reader goes on.
 */
export async function readNewest(
  host: Pick<CommandHost, 'readLogRange'>,
  id: CommandId,
  from: number,
  to: number,
): Promise<LogPart> {
  const read = (at: number) =>
    host.readLogRange(id, at, to).catch((): LogPart => ({ from: to, bytes: new Uint8Array(0) }));
  let newest = await read(from);
  for (let end = endOf(newest); newest.bytes.length > 0 && end < to; end = endOf(newest)) {
    const next = await read(end);
    if (next.bytes.length === 0) break;
    newest = next.from > end ? next : { from: newest.from, bytes: joined(newest.bytes, next.bytes) };
  }
  return newest;
}

const endOf = ({ from, bytes }: LogPart) => from + bytes.length;

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const all = new Uint8Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}
