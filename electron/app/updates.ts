import fs from 'node:fs';
import path from 'node:path';
import { app } from 'electron';
import type { AppUpdater } from 'electron-updater';
import { UPDATE_CHECK_EVERY_MS, UPDATE_FIRST_CHECK_MS } from '../../shared/limits.ts';
import type { UpdateChannel, UpdateSettings, UpdateState } from '../../shared/model/update.ts';
import { whyNotReplaceable } from './replaceable.ts';
import {
  exitStep,
  failureSentence,
  type Leaving,
  mayCheck,
  nextUpdateState,
  type UpdateEvent,
} from './update-policy.ts';

export interface UpdatesOptions {
  readonly settings: () => UpdateSettings;
  /** Told of every change of the state. */
  readonly publish: (state: UpdateState) => void;
  readonly log: (line: string) => void;
}

/** What the feed calls our channels. */
const FEED_CHANNELS: Record<UpdateChannel, string> = { stable: 'latest', beta: 'beta' };

/**
 * New versions of the app: looked for and downloaded quietly, and installed at the end of the app's one road out. What
 * fails is told only to a person who asked.
 */
export class Updates {
  readonly #o: UpdatesOptions;
  readonly #updater: AppUpdater | null;
  readonly #asksForPassword: boolean;
  /** The new version's file, once it is here. */
  #file: string | null = null;
  #state: UpdateState;
  #channel: UpdateChannel;

  /** Never rejects: a copy that cannot update itself has an object that says why. */
  static async open(options: UpdatesOptions): Promise<Updates> {
    const none = (reason: string) => new Updates(options, null, false, reason);
    if (!app.isPackaged || !fs.existsSync(path.join(process.resourcesPath, 'app-update.yml')))
      return none('This build has no update feed.');
    try {
      // Not before it is needed: it is a tenth of what main loads.
      const { default: updaters } = await import('electron-updater');
      const updater = updaters.autoUpdater;
      const { log } = options;
      updater.logger = { info: log, warn: log, error: log };
      if (!updater.isUpdaterActive()) return none('This copy is not installed in a way that it can replace.');
      const asksForPassword = [updaters.DebUpdater, updaters.RpmUpdater, updaters.PacmanUpdater].some(
        (each) => updater instanceof each,
      );
      return new Updates(options, updater, asksForPassword, null);
    } catch (error) {
      options.log(`updates are not possible: ${String(error)}`);
      return none('This build cannot update itself; its log says why.');
    }
  }

  private constructor(
    options: UpdatesOptions,
    updater: AppUpdater | null,
    asksForPassword: boolean,
    reason: string | null,
  ) {
    this.#o = options;
    this.#updater = updater;
    this.#asksForPassword = asksForPassword;
    this.#channel = options.settings().channel;
    this.#state = reason === null ? { kind: 'idle', checkedAt: null } : { kind: 'unavailable', reason };
    if (updater === null) return;
    updater.autoDownload = true;
    // The app's own road out decides. macOS prepares an update for its quit by itself, and not later.
    updater.autoInstallOnAppQuit = process.platform === 'darwin';
    updater.on('update-not-available', () => this.#on({ type: 'nothing_newer', at: Date.now() }));
    updater.on('update-available', ({ version }) => this.#on({ type: 'download_begun', version }));
    updater.on('update-downloaded', ({ version, downloadedFile }) => {
      this.#file = downloadedFile;
      this.#on({ type: 'downloaded', version, isOnQuit: !this.#asksForPassword });
    });
    updater.on('error', (error) => this.#on({ type: 'failed', message: failureSentence(error) }));
  }

  get state(): UpdateState {
    return this.#state;
  }

  /** Begins to look by itself: a while after the start, and then now and then. */
  watch(): void {
    if (this.#updater === null) return;
    const look = () => {
      if (this.#o.settings().check) void this.#check(false);
    };
    setTimeout(look, UPDATE_FIRST_CHECK_MS).unref();
    setInterval(look, UPDATE_CHECK_EVERY_MS).unref();
  }

  /** Looks because a person asked. Resolves when it is known whether there is something newer. */
  async checkNow(): Promise<UpdateState> {
    await this.#check(true);
    return this.#state;
  }

  /** The settings have changed. */
  configure({ channel }: UpdateSettings): void {
    if (channel === this.#channel) return;
    this.#channel = channel;
    this.#on({ type: 'channel_changed' });
  }

  /** Ends the app, when all that it had to save is saved. */
  exit(leaving: Leaving): void {
    const step = exitStep(this.#state, leaving);
    if (step === 'quit' || this.#updater === null) {
      app.quit();
      return;
    }
    // The new version starts beside us while we end, and must not hand over to us.
    if (step === 'install_and_run') app.releaseSingleInstanceLock();
    const isInstalled = this.#install(this.#updater, step === 'install_and_run');
    if (!isInstalled && step === 'install_and_run') app.relaunch(ownProgram());
    // What could not be installed does not keep the app: the next run finds it again.
    if (process.platform !== 'darwin' || !isInstalled) setImmediate(() => app.quit());
  }

  /** Whether it went well; what went wrong is in the log. */
  #install(updater: AppUpdater, runsAfter: boolean): boolean {
    const { APPIMAGE } = process.env;
    const obstacle = APPIMAGE && this.#file ? whyNotReplaceable(APPIMAGE, this.#file) : null;
    if (obstacle !== null) {
      this.#o.log(`the update is not installed: ${obstacle}`);
      return false;
    }
    let hasFailed = false;
    updater.once('error', () => {
      hasFailed = true;
    });
    updater.quitAndInstall(true, runsAfter);
    return !hasFailed;
  }

  async #check(isAsked: boolean): Promise<void> {
    const updater = this.#updater;
    if (updater === null) return;
    const isFree = mayCheck(this.#state);
    this.#on({ type: 'check_begun', isAsked });
    if (!isFree) return;
    updater.channel = FEED_CHANNELS[this.#channel];
    updater.allowPrerelease = this.#channel === 'beta';
    updater.allowDowngrade = false; // setting the channel allows it
    try {
      const found = await updater.checkForUpdates();
      // Its failure is told by the event as well.
      found?.downloadPromise?.catch(() => {});
    } catch {
      // Told by the event.
    }
  }

  #on(event: UpdateEvent): void {
    const before = this.#state;
    this.#state = nextUpdateState(before, event);
    if (this.#state !== before) this.#o.publish(this.#state);
  }
}

/** How this very version is started again. An AppImage's program is gone when it has ended. */
function ownProgram(): { execPath?: string } {
  const { APPIMAGE } = process.env;
  return APPIMAGE ? { execPath: APPIMAGE } : {};
}
