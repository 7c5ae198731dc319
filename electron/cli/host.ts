import path from 'node:path';
import { appVersion } from '../app/app-version.ts';
import { findPrograms } from '../app/programs.ts';
import { HostLink, type HostLinkListener } from '../host-client/host-link.ts';

/** Where commands are run: the app's data folder, and how its host is started. */
export interface HostPlace {
  /** The app's data folder. */
  readonly data: string;
  /** Folder of the bundles. */
  readonly bundle: string;
}

const programOf = ({ data, bundle }: HostPlace) => {
  const { host, runner } = findPrograms(bundle);
  const folder = path.join(data, 'host');
  return { folder, version: appVersion(bundle), program: process.execPath, script: host, runner };
};

/** Connects to the host that the app uses, or starts it. `onLost`: it went away, and with it all that it ran. */
export function connectHost(place: HostPlace, onLost: () => void): Promise<HostLink> {
  return HostLink.connect(programOf(place), listener(onLost));
}

/** Connects to the host if one runs; null when none does, and then no command lives. */
export function findHost(place: HostPlace, onLost: () => void): Promise<HostLink | null> {
  return HostLink.find(programOf(place), listener(onLost));
}

const listener = (onLost: () => void): HostLinkListener => ({
  onLost,
  onBack: () => {},
  onOtherLost: () => {},
  onSilent: () => {},
  onAnswers: () => {},
  onListChanged: () => {},
  log: () => {},
});
