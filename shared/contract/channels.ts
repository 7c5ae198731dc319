/** Names of the Electron channels behind the contract. Apart from it, so that preload and page load no schemas. */
export const CHANNELS = {
  call: 'switchyard:call',
  event: 'switchyard:event',
  openStream: 'switchyard:open-stream',
  stream: 'switchyard:stream',
} as const;
