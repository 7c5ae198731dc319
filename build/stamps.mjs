// Remembers from which files something was made, so that a step whose files are unchanged costs a few milliseconds:
// sizes and times are compared first, contents only when those differ (after a checkout, for one).
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { root } from './console.mjs';

/** @typedef {{ times: string, contents: string }} Fingerprint */

/**
 * All files under the given files and folders of the repository, as paths relative to its top, in a fixed order.
 * @param {string[]} sources names that do not exist are left out
 * @param {(file: string) => boolean} [wanted]
 * @returns {string[]}
 */
export function listFiles(sources, wanted = () => true) {
  /** @type {string[]} */
  const files = [];
  /** @param {string} name */
  const visit = (name) => {
    const stat = fs.statSync(path.join(root, name), { throwIfNoEntry: false });
    if (stat?.isDirectory()) {
      for (const entry of fs.readdirSync(path.join(root, name)).sort()) visit(`${name}/${entry}`);
    } else if (stat?.isFile() && wanted(name)) files.push(name);
  };
  sources.forEach(visit);
  return files;
}

/** One made thing, and the files that it is made from. */
export class Stamp {
  /**
   * @param {string} stampFile relative to the top of the repository; kept beside what it speaks of, so that deleting
   *   the made thing deletes the stamp too
   * @param {string[]} files
   * @param {string} [recipe] anything else that the result depends on
   */
  constructor(stampFile, files, recipe = '') {
    this.stampFile = path.join(root, stampFile);
    this.files = files;
    this.recipe = recipe;
  }

  /** Whether the thing was made from these very files. */
  isFresh() {
    const stored = this.#read();
    if (stored === undefined) return false;
    if (stored.times === this.#times()) return true;
    if (stored.contents !== this.#contents()) return false;
    this.write();
    return true;
  }

  /** Call it after the thing was made. */
  write() {
    fs.mkdirSync(path.dirname(this.stampFile), { recursive: true });
    /** @type {Fingerprint} */
    const fingerprint = { times: this.#times(), contents: this.#contents() };
    fs.writeFileSync(this.stampFile, `${JSON.stringify(fingerprint)}\n`);
  }

  /** @returns {Fingerprint | undefined} */
  #read() {
    try {
      return JSON.parse(fs.readFileSync(this.stampFile, 'utf8'));
    } catch {
      return undefined;
    }
  }

  #times() {
    return this.#digest((file) => {
      const { size, mtimeMs } = fs.statSync(path.join(root, file));
      return `${size} ${mtimeMs}`;
    });
  }

  #contents() {
    return this.#digest((file) => fs.readFileSync(path.join(root, file)));
  }

  /** @param {(file: string) => string | Buffer} detailOf */
  #digest(detailOf) {
    const hash = createHash('sha256').update(this.recipe);
    for (const file of this.files) hash.update(`\0${file}\0`).update(detailOf(file));
    return hash.digest('hex');
  }
}
