import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { findLine } from '../../electron/agent/find-line.ts';
import { screenText } from '../../electron/agent/screen-text.ts';
import { systemClock } from '../../electron/app/system-clock.ts';
import { artifactFiles } from '../../electron/store/artifact-files.ts';
import { openStore } from '../../electron/store/store-client.ts';
import { commandEnvironment } from '../../electron/supervisor/command-environment.ts';
import { Supervisor, type SupervisorOptions } from '../../electron/supervisor/supervisor.ts';
import { DEFAULT_LIMITS, type Limits } from '../../shared/limits.ts';

const STORE_THREAD = path.resolve(import.meta.dirname, '../../out/main/store-thread.js');

/** The real store, kept in the folder of the hosts. */
export const openTestStore = (folder: string) =>
  openStore({ file: path.join(folder, 'test.db'), script: STORE_THREAD, report: () => {} });

export type RealSupervisor = Pick<
  SupervisorOptions,
  'host' | 'store' | 'provider' | 'publish' | 'showsGuests'
> & {
  /** Of the hosts; complete outputs are kept there too. */
  readonly folder: string;
  readonly limits: Partial<Limits>;
};

/** A supervisor of which everything is real that is not named. */
export function realSupervisor({ folder, limits, ...options }: RealSupervisor): Supervisor {
  return new Supervisor({
    ...options,
    clock: systemClock,
    limits: { ...DEFAULT_LIMITS, ...limits },
    environment: commandEnvironment(process.env, fs.existsSync),
    findLine,
    renderScreen: screenText,
    artifacts: artifactFiles(path.join(folder, 'artifacts'), (id, from, to) =>
      options.host.readLogRange(id, from, to),
    ),
    sha256: (text) => createHash('sha256').update(text).digest('hex'),
    log: () => {},
  });
}
