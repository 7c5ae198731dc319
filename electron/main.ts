import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { app, type BrowserWindow, dialog, ipcMain, safeStorage, shell, type WebContents } from 'electron';
import { CHANNELS } from '../shared/contract/channels.ts';
import { approvalModeOf } from '../shared/model/approval-mode.ts';
import type { SessionView } from '../shared/model/session.ts';
import { limitsOf, type SettingsChange } from '../shared/model/settings.ts';
import { Approvals } from './agent/approvals/approvals.ts';
import { builtInProvider } from './agent/built-in/built-in-provider.ts';
import { findLine } from './agent/find-line.ts';
import { listModels } from './agent/providers/list-models.ts';
import { ModelRegistry } from './agent/providers/model-registry.ts';
import { screenText } from './agent/screen-text.ts';
import { TOOLS } from './agent/tools/index.ts';
import { createTurnRunner } from './agent/turn.ts';
import { registerAppScheme, serveApp } from './app/app-protocol.ts';
import { checkProgramFiles } from './app/asar-integrity.ts';
import { performHeadless } from './app/headless.ts';
import { hostNotices } from './app/host-notices.ts';
import { openKeySafe } from './app/key-safe.ts';
import { openLog } from './app/log-file.ts';
import { captureLoginEnvironment } from './app/login-environment.ts';
import { setMenu } from './app/menu.ts';
import { openExternalLink } from './app/open-external-link.ts';
import { findPrograms, hostProgram } from './app/programs.ts';
import { guardQuit } from './app/quit.ts';
import { takenUpNotices } from './app/quit-policy.ts';
import { SessionOpener } from './app/session-opener.ts';
import { loadSettings } from './app/settings-file.ts';
import { readStart, StartRequest, wordsBehind } from './app/start-request.ts';
import { serveStreams } from './app/stream-relay.ts';
import { systemClock } from './app/system-clock.ts';
import { trustedSender } from './app/trusted-sender.ts';
import { Updates } from './app/updates.ts';
import { applyTheme, createWindow } from './app/window.ts';
import { guestProvider } from './bridges/mcp/guest-provider.ts';
import { HostLink } from './host-client/host-link.ts';
import { bindCalls } from './ipc/bind-calls.ts';
import { EventHub } from './ipc/event-hub.ts';
import { createHandlers } from './ipc/handlers.ts';
import { artifactFiles } from './store/artifact-files.ts';
import { openStore } from './store/store-client.ts';
import { commandEnvironment } from './supervisor/command-environment.ts';
import { elapsedInWords } from './supervisor/completion.ts';
import { Supervisor } from './supervisor/supervisor.ts';

const appFolder = app.isPackaged ? null : app.getAppPath();
const asked = readStart(wordsBehind(process.argv, appFolder, process.cwd()), process.cwd());
if (asked.kind === 'headless') {
  const { cli } = findPrograms(import.meta.dirname);
  process.exit(await performHeadless(cli, asked.words, asked.dataDir));
}

registerAppScheme();
let window: BrowserWindow | null = null;

if (app.requestSingleInstanceLock(asked.request)) {
  // No top-level await: `ready` waits for this module, so waiting for it here would never end.
  const started = start(asked.request);
  started.catch((error: unknown) => {
    dialog.showErrorBox('Switchyard could not start', error instanceof Error ? error.message : String(error));
    app.exit(1);
  });
  app.on('second-instance', (_event, _argv, _cwd, said) => {
    if (window?.isMinimized()) window.restore();
    window?.show();
    window?.focus();
    const request = StartRequest.safeParse(said);
    if (request.success) started.then((opener) => opener.open(request.data)).catch(() => {});
  });
} else app.quit();

/** Resolves when the window is there, with what does what later starts ask for. */
async function start(request: StartRequest): Promise<SessionOpener> {
  const data = app.getPath('userData');
  const log = openLog(path.join(data, 'logs/main.log'));
  const report = (message: string) => {
    log(message);
    notices.push(message);
    hub.publish({ type: 'notice.raised', text: message });
  };
  const notices: string[] = [];
  const programs = findPrograms(import.meta.dirname);
  const hub = new EventHub(log);

  // The store, the host and Chromium start side by side.
  const [settings, store, host] = await Promise.all([
    loadSettings(path.join(data, 'settings.json'), report),
    openStore({ file: path.join(data, 'switchyard.db'), script: programs.storeThread, report }),
    HostLink.connect(hostProgram(programs, data, app.getVersion()), {
      ...hostNotices(hub.publish),
      onListChanged: () => {
        supervisor
          .reconcile()
          .catch((error: unknown) => log(`the commands could not be compared: ${String(error)}`));
      },
      log,
    }),
    app.whenReady(),
  ]);

  const [keys, updates] = await Promise.all([
    openKeySafe({ file: path.join(data, 'keys.json'), safeStorage, platform: process.platform, report }),
    Updates.open({
      settings: () => settings.current.updates,
      publish: (update) => hub.publish({ type: 'update.changed', update }),
      log,
    }),
  ]);
  const models = new ModelRegistry([builtInProvider, guestProvider], {
    keyOf: (id) => keys.get(id),
    platform: process.platform,
  });
  models.update(settings.current.providers.endpoints);
  // One object for the whole run: whoever asks for a limit gets the one in force.
  const limits = { ...limitsOf(settings.current) };
  const configureHost = () => {
    const { totalLogBytes, logExpiryMs, freeSpaceFloorBytes } = limits;
    return host.configure({ totalLogBytes, logExpiryMs, freeSpaceFloorBytes });
  };
  const changeSettings = async (change: SettingsChange) => {
    const changed = await settings.change(change);
    models.update(changed.providers.endpoints);
    Object.assign(limits, limitsOf(changed));
    void configureHost();
    applyTheme(changed.theme);
    updates.configure(changed.updates);
    hub.publish({ type: 'settings.changed', settings: changed });
    return changed;
  };

  // Not waited for: a login script that hangs holds up the first command by its limit, and the window not at all.
  const environment = captureLoginEnvironment({ inherited: process.env }).then(({ env, notice }) => {
    if (notice) report(notice);
    return commandEnvironment(env, fs.existsSync);
  });
  void configureHost();
  const supervisor = new Supervisor({
    host,
    store,
    clock: systemClock,
    limits,
    environment,
    findLine,
    renderScreen: screenText,
    artifacts: artifactFiles(path.join(data, 'artifacts'), (id, from, to) => host.readLogRange(id, from, to)),
    sha256: (text) => createHash('sha256').update(text).digest('hex'),
    provider: () => settings.current.providers.defaultProvider,
    showsGuests: true,
    publish: hub.publish,
    log,
  });
  const approvals = new Approvals({
    sessions: supervisor.sessions,
    store,
    clock: systemClock,
    home: app.getPath('home'),
    modeOf: ({ view }) => approvalModeOf(settings.current.approvals, view.provider),
  });
  supervisor.setTurnRunner(
    createTurnRunner({ supervisor, host, providers: models, tools: TOOLS, approvals }),
  );
  await supervisor.restore();
  notices.push(...takenUpNotices(supervisor.alive().length));

  const isFolder = async (folder: string) =>
    (await fs.promises.stat(folder).catch(() => null))?.isDirectory() ?? false;
  const opener = new SessionOpener({
    supervisor,
    home: app.getPath('home'),
    isFolder,
    show: (sessionId) => hub.publish({ type: 'session.chosen', sessionId }),
    report,
    log,
  });
  await opener.open(request);
  const isOwn = ({ provider }: SessionView) => provider !== guestProvider.id;
  if (!supervisor.views().sessions.some(isOwn)) await supervisor.createSession(app.getPath('home'));

  const isTrusted = trustedSender(() => window?.webContents ?? null);
  const handlers = createHandlers<WebContents>(
    supervisor,
    hub,
    {
      app: { version: app.getVersion(), home: app.getPath('home'), platform: process.platform },
      settings: () => settings.current,
      updates: {
        state: () => updates.state,
        check: () => updates.checkNow(),
        restart: () => restart(),
      },
      notices: () => notices,
      takeChosen: () => opener.takeChosen(),
      setTheme: async (theme) => {
        const changed = await settings.change({ theme });
        applyTheme(theme);
        return changed;
      },
      models: {
        settings: () => settings.current,
        change: changeSettings,
        keys,
        listModels,
        isProvider: (id) => id !== guestProvider.id && models.get(id) !== undefined,
      },
      approvals: { approvals, setMode: (mode) => changeSettings({ approvals: mode }) },
      chooseFolder: async () => {
        if (!window) return null;
        const chosen = await dialog.showOpenDialog(window, {
          title: 'Workspace of the new session',
          defaultPath: app.getPath('home'),
          properties: ['openDirectory', 'createDirectory'],
        });
        return chosen.filePaths[0] ?? null;
      },
      isFolder,
      showLog: (id) => shell.showItemInFolder(path.join(data, 'host/commands', id, 'output.log')),
      openLink: openExternalLink,
    },
    (page) => ({
      sendEvent: (event) => {
        if (page.isDestroyed()) hub.unsubscribe(page);
        else page.send(CHANNELS.event, event);
      },
    }),
  );
  bindCalls({ ipc: ipcMain, handlers, isTrusted, log });
  serveStreams({
    isTrusted,
    open: async ({ commandId, from }, { onFrame, onClose }) => {
      const stream = host.openStream(commandId, from, onFrame, onClose);
      const opened = await stream.opened;
      return opened.ok ? stream : null;
    },
    log,
  });

  const { guardWindow, restart } = guardQuit({
    window: () => window,
    alive: () =>
      supervisor.alive().map(({ cmd, startedAt, descendants }) => ({
        cmd,
        elapsed: elapsedInWords(Date.now() - startedAt),
        left: descendants.map(({ name }) => name),
      })),
    remembered: () => settings.current.onQuit,
    remember: (onQuit) => settings.change({ onQuit }),
    stopAll: () => supervisor.stopOwnAndWait('quit'),
    // Commands run on in the host; what was asked of the store is finished before the process ends.
    close: () => {
      host.dispose();
      return store.close();
    },
    exit: (leaving) => updates.exit(leaving),
    log,
  });
  applyTheme(settings.current.theme);
  setMenu(() => window);
  serveApp(programs.page);
  window = await createWindow({
    preload: programs.preload,
    boundsFile: path.join(data, 'window.json'),
    log,
    report,
  });
  window.once('closed', () => {
    window = null;
  });
  guardWindow(window);
  checkProgramFiles(window, log).catch((error: unknown) => log(`the program files: ${String(error)}`));
  // What commands use is sampled only while somebody can see it.
  const watch = (on: boolean) => () => void supervisor.commands.watchResources(on);
  window
    .on('show', watch(true))
    .on('restore', watch(true))
    .on('hide', watch(false))
    .on('minimize', watch(false));
  updates.watch();
  app.on('window-all-closed', () => app.quit());
  return opener;
}
