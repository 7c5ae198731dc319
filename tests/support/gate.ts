import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** A file that a command loops on. Opened by the test, and in any case by `release` in its `finally`. */
export interface Gate {
  readonly file: string;
  /** Shell text that ends once the gate is open. */
  readonly loop: string;
  open(): void;
  /** Opens it and forgets its folder once nothing can look at it any more. */
  release(): void;
}

/** A closed gate in a temporary folder of its own. */
export function makeGate(): Gate {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-gate-'));
  const file = path.join(folder, 'open');
  const open = () => fs.writeFileSync(file, '');
  return {
    file,
    // The folder's absence opens it too: nothing loops for ever when a test was cut off.
    loop: `while [ -d '${folder}' ] && [ ! -f '${file}' ]; do sleep 0.01; done`,
    open,
    release: () => fs.rmSync(folder, { recursive: true, force: true }),
  };
}
