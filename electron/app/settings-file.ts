import fs from 'node:fs/promises';
import path from 'node:path';
import { DEFAULT_SETTINGS, Settings } from '../../shared/model/settings.ts';
import { describeIssue } from '../../shared/text/schema-issue.ts';
import { writeFileAtomically } from './atomic-file.ts';

/** The settings in force, and the file that keeps them. */
export class SettingsFile {
  readonly #file: string;
  #current: Settings;
  /** The file holds something that a person wrote and that could not be used. */
  #isBroken: boolean;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(file: string, current: Settings, isBroken: boolean) {
    this.#file = file;
    this.#current = current;
    this.#isBroken = isBroken;
  }

  get current(): Settings {
    return this.#current;
  }

  /**
   * Puts a change in force and saves it. Resolves to the settings when they are on disk; rejects, with
   * nothing changed, when they cannot be written. A file that could not be used is kept beside the new one.
   */
  change(change: Partial<Settings>): Promise<Settings> {
    const written = this.#writing.then(async () => {
      const next = Settings.parse({ ...this.#current, ...change });
      if (this.#isBroken) {
        await fs.rename(this.#file, brokenName(this.#file));
        this.#isBroken = false;
      }
      await writeFileAtomically(this.#file, `${JSON.stringify(next, null, 2)}\n`);
      this.#current = next;
      return next;
    });
    this.#writing = written.catch(() => undefined);
    return written;
  }
}

/**
 * Reads the settings; the defaults where there is no file. A file that cannot be used stays as it is, the
 * defaults are in force, and `report` is told what is wrong: a sentence for people.
 */
export async function loadSettings(file: string, report: (message: string) => void): Promise<SettingsFile> {
  const problem = (reason: string): SettingsFile => {
    report(
      `${path.basename(file)} cannot be used: ${reason}. The default settings are in force. ` +
        `Mend ${file} and start Switchyard again.`,
    );
    return new SettingsFile(file, DEFAULT_SETTINGS, true);
  };
  let text: string;
  try {
    text = await fs.readFile(file, 'utf8');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return new SettingsFile(file, DEFAULT_SETTINGS, false);
    return problem(`it cannot be read (${code})`);
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return problem(`it is not JSON (${error instanceof Error ? error.message : String(error)})`);
  }
  const parsed = Settings.safeParse(json);
  if (!parsed.success) return problem(describeIssue(parsed.error, 'the file'));
  return new SettingsFile(file, parsed.data, false);
}

const brokenName = (file: string): string =>
  `${file}.broken-${new Date().toISOString().replaceAll(':', '-')}`;
