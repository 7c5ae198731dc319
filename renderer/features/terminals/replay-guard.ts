import type { Terminal } from '@xterm/xterm';

/**
 * Programs ask their terminal what it is, and xterm answers as if it were typed. When an old output is shown again,
 * its questions were answered long ago: a second answer would arrive as garbage at what the program reads now.
 */
export function keepQuietWhile(terminal: Pick<Terminal, 'parser'>, isReplaying: () => boolean): void {
  const { parser } = terminal;
  const isQuery = (data: string): boolean => data.includes('?') && isReplaying();
  for (const prefix of ['', '>', '=']) parser.registerCsiHandler({ ...of(prefix), final: 'c' }, isReplaying);
  for (const prefix of ['', '?']) {
    parser.registerCsiHandler({ ...of(prefix), final: 'n' }, isReplaying);
    parser.registerCsiHandler({ ...of(prefix), intermediates: '$', final: 'p' }, isReplaying);
  }
  parser.registerCsiHandler({ prefix: '>', final: 'q' }, isReplaying);
  parser.registerCsiHandler({ prefix: '?', final: 'u' }, isReplaying);
  parser.registerDcsHandler({ intermediates: '$', final: 'q' }, isReplaying);
  for (const colour of [4, 10, 11, 12]) parser.registerOscHandler(colour, isQuery);
}

const of = (prefix: string): { prefix?: string } => (prefix === '' ? {} : { prefix });
