import fs from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { writeFileAtomically } from './atomic-file.ts';

/** What is used of Electron's safeStorage. To be asked only once the app is ready. */
export interface SafeStorage {
  isEncryptionAvailable(): boolean;
  encryptString(text: string): Buffer;
  decryptString(encrypted: Buffer): string;
  /** Linux only. */
  getSelectedStorageBackend?(): string;
}

/** Where a key is: encrypted by the system, in this run's memory only, or readable in the file. */
export type KeyPlace = 'system' | 'memory' | 'plain';

/** What this system offers. `memory`: no keyring was found, and keys are forgotten when the app ends. */
export interface KeyBackend {
  readonly place: 'system' | 'memory';
  /** For people: what that means. */
  readonly message: string;
}

export interface KeySafeOptions {
  readonly file: string;
  readonly safeStorage: SafeStorage;
  readonly platform: NodeJS.Platform;
  /** Something that a person must know; never a key. */
  readonly report: (message: string) => void;
}

const KeyFile = z.strictObject({
  version: z.literal(1),
  keys: z.record(z.string(), z.strictObject({ place: z.enum(['system', 'plain']), value: z.string() })),
});
type KeyFile = z.infer<typeof KeyFile>;
type StoredKey = KeyFile['keys'][string];

/**
 * Keys of model services, by provider id. They are on disk only as the system's keyring encrypted them, or readable if
 * a person has said so for that key; without a keyring they live in memory. Nothing here ever tells a key but `get`.
 */
export class KeySafe {
  readonly #o: KeySafeOptions;
  #stored: Readonly<Record<string, StoredKey>>;
  /** The file holds something that could not be used: it is kept beside the next one. */
  #isBroken: boolean;
  readonly #memory = new Map<string, string>();
  #writing: Promise<unknown> = Promise.resolve();

  constructor(options: KeySafeOptions, stored: Readonly<Record<string, StoredKey>>, isBroken: boolean) {
    this.#o = options;
    this.#stored = stored;
    this.#isBroken = isBroken;
  }

  /** What the system offers for keys. */
  backend(): KeyBackend {
    return this.#canEncrypt()
      ? { place: 'system', message: "Keys are encrypted by this system's keyring." }
      : {
          place: 'memory',
          message:
            'This system has no keyring that can be used. A key is kept until Switchyard ends, unless you choose to ' +
            'keep it in a file that every program of yours can read.',
        };
  }

  /** Where a key is; null when there is none that can be used. */
  placeOf(id: string): KeyPlace | null {
    if (this.#memory.has(id)) return 'memory';
    const stored = this.#storedKey(id);
    if (!stored || (stored.place === 'system' && !this.#canEncrypt())) return null;
    return stored.place;
  }

  has(id: string): boolean {
    return this.placeOf(id) !== null;
  }

  get(id: string): string | null {
    const held = this.#memory.get(id);
    if (held !== undefined) return held;
    const stored = this.#storedKey(id);
    if (!stored) return null;
    if (stored.place === 'plain') return stored.value;
    if (!this.#canEncrypt()) return null;
    try {
      return this.#o.safeStorage.decryptString(Buffer.from(stored.value, 'base64'));
    } catch {
      // The error of a keyring may name what it was asked to read.
      this.#o.report(
        `The key for "${id}" cannot be read: the keyring of this system has changed. Enter the key again in Settings.`,
      );
      return null;
    }
  }

  /**
   * Keeps a key, and says where. `allowPlain`: without a keyring it is written readable to the file; a person must have
   * agreed to that for this very key. Rejects, with nothing changed, when the file cannot be written.
   */
  async set(id: string, key: string, options: { readonly allowPlain?: boolean } = {}): Promise<KeyPlace> {
    if (this.#canEncrypt()) {
      const value = this.#o.safeStorage.encryptString(key).toString('base64');
      await this.#change(id, { place: 'system', value });
      this.#memory.delete(id);
      return 'system';
    }
    if (options.allowPlain) {
      await this.#change(id, { place: 'plain', value: key });
      this.#memory.delete(id);
      return 'plain';
    }
    // An older key in the file would come back at the next start.
    await this.#change(id, null);
    this.#memory.set(id, key);
    return 'memory';
  }

  /** Forgets a key. */
  async delete(id: string): Promise<void> {
    await this.#change(id, null);
    this.#memory.delete(id);
  }

  #storedKey(id: string): StoredKey | undefined {
    return Object.hasOwn(this.#stored, id) ? this.#stored[id] : undefined;
  }

  /** Electron's basic_text encrypts with a password that is the same everywhere: that is no secret. */
  #canEncrypt(): boolean {
    const { safeStorage, platform } = this.#o;
    if (!safeStorage.isEncryptionAvailable()) return false;
    if (platform !== 'linux') return true;
    const backend = safeStorage.getSelectedStorageBackend?.() ?? 'unknown';
    return backend !== 'basic_text' && backend !== 'unknown';
  }

  #change(id: string, stored: StoredKey | null): Promise<void> {
    const written = this.#writing.then(async () => {
      if (!stored && !this.#storedKey(id)) return;
      const { [id]: _old, ...others } = this.#stored;
      const keys = stored ? { ...others, [id]: stored } : others;
      const { file } = this.#o;
      if (this.#isBroken) {
        await fs.rename(file, `${file}.broken-${new Date().toISOString().replaceAll(':', '-')}`);
        this.#isBroken = false;
      }
      await writeFileAtomically(file, `${JSON.stringify({ version: 1, keys } satisfies KeyFile, null, 2)}\n`);
      this.#stored = keys;
    });
    this.#writing = written.catch(() => undefined);
    return written;
  }
}

/** Opens the safe. A file that cannot be used stays as it is, no key is known, and `report` is told. */
export async function openKeySafe(options: KeySafeOptions): Promise<KeySafe> {
  const { file, report } = options;
  let text: string;
  try {
    text = await fs.readFile(file, 'utf8');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return new KeySafe(options, {}, false);
    report(
      `${path.basename(file)} cannot be read (${code}). Keys that were kept in it have to be entered again.`,
    );
    return new KeySafe(options, {}, true);
  }
  const parsed = KeyFile.safeParse(jsonOf(text));
  if (parsed.success) return new KeySafe(options, parsed.data.keys, false);
  // What is wrong in it is not told: that might be a part of a key.
  report(
    `${path.basename(file)} holds something that cannot be used. It is left as it is; enter your keys again in Settings.`,
  );
  return new KeySafe(options, {}, true);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
