import { findPrograms, hostProgram } from '../app/programs.ts';
import { HostLink } from '../host-client/host-link.ts';
import { programVersion } from '../pty-host/program-version.ts';

/** Where commands are run: the app's data folder, and how its host is started. */
export interface HostPlace {
  /** The app's data folder. */
  readonly data: string;
  /** Folder of the bundles. */
  readonly bundle: string;
}

const programOf = ({ data, bundle }: HostPlace) =>
  hostProgram(findPrograms(bundle), data, programVersion(bundle));

/** Connects to the host that the app uses, or starts it. `onLost`: it went away, and with it all that it ran. */
export function connectHost(place: HostPlace, onLost: () => void): Promise<HostLink> {
  return HostLink.connect(programOf(place), { onLost, log: () => {} });
}

/** Connects to the host if one runs; null when none does, and then no command lives. */
export function findHost(place: HostPlace, onLost: () => void): Promise<HostLink | null> {
  return HostLink.find(programOf(place), { onLost, log: () => {} });
}
