import { UNREAD_WINDOW_BYTES } from '../../shared/limits.ts';
import { isTerminal } from '../../shared/model/command.ts';
import { binaryNotice, splitBinary } from '../../shared/text/binary.ts';
import { PlainText } from '../../shared/text/plain-text.ts';
import { type Preview, PreviewBuilder, preview } from '../../shared/text/preview.ts';
import { modelText } from './model-text.ts';
import type { CommandHost, RenderScreen } from './ports.ts';
import type { CommandRecord } from './records.ts';
import { readNewest } from './unread.ts';

const PIECE_BYTES = 256 * 1024;
/** A log up to this size is read whole: only then is it known how little a redrawn progress bar comes to. */
const WHOLE_BYTES = 4 * 1024 * 1024;
/** Of a larger log the preview is made of its two ends, which hold far more than it shows. */
const END_BYTES = 128 * 1024;

/** The preview of everything that a command wrote so far, in constant memory and bounded time. */
export async function previewOutput(
  host: CommandHost,
  record: CommandRecord,
  renderScreen: RenderScreen,
): Promise<Preview> {
  const { id, outputBytes } = record;
  if (outputBytes <= UNREAD_WINDOW_BYTES) {
    const { bytes } = await readNewest(host, id, 0, outputBytes);
    const { text, binaryBytes } = await modelText(bytes, renderScreen);
    return withoutBinary(preview(text), binaryBytes);
  }
  if (outputBytes <= WHOLE_BYTES) return previewRange(host, id, [[0, outputBytes]]);
  const ends: [number, number][] = [
    [0, END_BYTES],
    [outputBytes - END_BYTES, outputBytes],
  ];
  const { text, visibleBytes } = await previewRange(host, id, ends);
  return { text, visibleBytes, isTruncated: true, originalBytes: outputBytes };
}

async function previewRange(
  host: CommandHost,
  id: string,
  ranges: readonly [number, number][],
): Promise<Preview> {
  const builder = new PreviewBuilder();
  let binaryBytes = 0;
  for (const [from, to] of ranges) {
    const text = new PlainText();
    for (let at = from; at < to; ) {
      const part = await host.readLogRange(id, at, Math.min(to, at + PIECE_BYTES)).catch(() => null);
      if (part === null || (part.bytes.length === 0 && part.from === at)) break;
      const { bytes } = part;
      if (part.from > at) builder.add(`${text.end()}\n${gapNotice(part.from - at)}\n`);
      at = part.from;
      for (const part of splitBinary(bytes)) {
        if (part.isBinary) {
          builder.add(`${text.end()}\n${binaryNotice(part.bytes.length)}\n`);
          binaryBytes += part.bytes.length;
        } else builder.add(text.feed(part.bytes));
      }
      at += bytes.length;
    }
    builder.add(text.end());
  }
  return withoutBinary(builder.result(), binaryBytes);
}

/** The line in the place of output that is not in the log any more. */
function gapNotice(bytes: number): string {
  return `[${bytes} bytes of output are not kept]`;
}

function withoutBinary(shown: Preview, binaryBytes: number): Preview {
  if (binaryBytes === 0) return shown;
  return { ...shown, isTruncated: true, originalBytes: shown.originalBytes + binaryBytes };
}

/** A command as it is told to who asks for it as a whole: running and ended ones have a shape each. */
export function snapshotOf(
  record: CommandRecord,
  preview: Preview,
  now: number,
): Readonly<Record<string, unknown>> {
  const common = {
    session_id: record.id,
    command: record.cmd,
    cwd: record.cwd.replaceAll('\\', '/'),
    shell: record.shell,
  };
  if (!isTerminal(record.state)) {
    return {
      status: 'running',
      ...common,
      elapsed_seconds: (now - record.startedAt) / 1000,
      output: preview.text,
      output_truncated: preview.isTruncated,
    };
  }
  return {
    status: record.state,
    ...common,
    exit_code: record.exitCode,
    ...(record.signal ? { signal: record.signal } : {}),
    output: preview.text,
    output_truncated: preview.isTruncated,
    ...(preview.isTruncated
      ? { output_original_bytes: preview.originalBytes, output_visible_bytes: preview.visibleBytes }
      : {}),
    ...(record.artifact ? { artifact: record.artifact } : {}),
  };
}
