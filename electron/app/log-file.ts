import fs from 'node:fs';
import path from 'node:path';

const MAX_BYTES = 1024 * 1024;

/** The app's own log: a line a fact, with its time. Starts anew, with one older file kept, when it has grown large. */
export function openLog(file: string): (line: string) => void {
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const size = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > MAX_BYTES) fs.renameSync(file, `${file}.1`);
  const stream = fs.createWriteStream(file, { flags: 'a', mode: 0o600 });
  stream.on('error', () => {}); // a log that cannot be written must not end the app
  return (line) => {
    stream.write(`${new Date().toISOString()} ${line}\n`);
  };
}
