import { binaryNotice, splitBinary } from '../../shared/text/binary.ts';
import { plainText } from '../../shared/text/plain-text.ts';
import { hasScreenMoves } from '../../shared/text/screen-moves.ts';
import type { RenderScreen } from './ports.ts';

export interface ModelText {
  readonly text: string;
  /** Bytes that are no text: a notice of one line stands for each piece of them. */
  readonly binaryBytes: number;
}

/**
 * What a model is told of an output: the collapse of its lines, or the screen where it moves between lines, and a notice
 * for data that is no text.
 */
export async function modelText(bytes: Uint8Array, renderScreen: RenderScreen): Promise<ModelText> {
  let text = '';
  let binaryBytes = 0;
  for (const part of splitBinary(bytes)) {
    if (part.isBinary) {
      if (text !== '' && !text.endsWith('\n')) text += '\n';
      text += `${binaryNotice(part.bytes.length)}\n`;
      binaryBytes += part.bytes.length;
    } else text += hasScreenMoves(part.bytes) ? await renderScreen(part.bytes) : plainText(part.bytes);
  }
  return { text, binaryBytes };
}
