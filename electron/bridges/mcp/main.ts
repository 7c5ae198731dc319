// The headless MCP face, a program of its own:  node mcp.js [--data-dir PATH]
// It serves the tools of an agent to one MCP client on its standard streams, over the host that the app uses too.
// Standard output belongs to the protocol: everything else goes to standard error or to the log.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { MAX_TIMER_MS } from '../../../shared/limits.ts';
import { GUEST_PROVIDER } from '../../../shared/model/guest-provider.ts';
import type { CommandId } from '../../../shared/model/ids.ts';
import { limitsOf } from '../../../shared/model/settings.ts';
import { findLine } from '../../agent/find-line.ts';
import { screenText } from '../../agent/screen-text.ts';
import { openLog } from '../../app/log-file.ts';
import { findPrograms, hostProgram } from '../../app/programs.ts';
import { loadSettings } from '../../app/settings-file.ts';
import { systemClock } from '../../app/system-clock.ts';
import { HostLink } from '../../host-client/host-link.ts';
import { programVersion } from '../../pty-host/program-version.ts';
import { artifactFiles } from '../../store/artifact-files.ts';
import { commandEnvironment } from '../../supervisor/command-environment.ts';
import { Supervisor } from '../../supervisor/supervisor.ts';
import { Connection } from './connection.ts';
import { memoryStore } from './memory-store.ts';
import { dataFolder } from './options.ts';
import { createServer, serveTools } from './server.ts';
import { ToolCalls } from './tool-calls.ts';

/** Aborted calls have this long to stop what they had started. */
const CLOSE_MS = 1_500;

try {
  await serve();
} catch (error) {
  process.stderr.write(`switchyard mcp: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

async function serve(): Promise<void> {
  const { platform, env, argv } = process;
  const data = dataFolder(argv.slice(2), { platform, env, home: os.homedir() });
  const log = openLog(path.join(data, 'logs/mcp.log'));
  const programs = findPrograms(import.meta.dirname);
  const settings = await loadSettings(path.join(data, 'settings.json'), log);
  const version = programVersion(import.meta.dirname);
  const host = await HostLink.connect(hostProgram(programs, data, version), {
    onListChanged: () => {
      supervisor.reconcile().catch((error) => log(`the commands could not be compared: ${String(error)}`));
    },
    log,
  });

  const terminalListeners = new Set<(id: CommandId) => void>();
  const supervisor = new Supervisor({
    host,
    store: memoryStore,
    clock: systemClock,
    // No chat waits in the foreground that a detach could free.
    limits: { ...limitsOf(settings.current), foregroundMs: MAX_TIMER_MS },
    environment: commandEnvironment(env, fs.existsSync),
    findLine,
    renderScreen: screenText,
    artifacts: artifactFiles(path.join(data, 'artifacts'), (id, from, to) => host.readLogRange(id, from, to)),
    sha256: (text) => createHash('sha256').update(text).digest('hex'),
    provider: GUEST_PROVIDER,
    publish: (event) => {
      if (event.type === 'command.terminal')
        for (const listener of [...terminalListeners]) listener(event.command.id);
    },
    log,
  });
  await supervisor.restore();

  const server = createServer(version);
  const connection = new Connection({ server, supervisor, cwd: process.cwd(), log });
  const calls = new ToolCalls({
    connection,
    supervisor,
    host,
    findLine,
    onTerminal: (listener) => {
      terminalListeners.add(listener);
      return () => terminalListeners.delete(listener);
    },
  });
  serveTools(server, calls, systemClock);
  server.onerror = (error) => log(String(error));

  let isClosing = false;
  /** Aborts every call and leaves the host, where commands whose handle was given run on. */
  const close = async () => {
    if (isClosing) return;
    isClosing = true;
    await server.close();
    await Promise.race([calls.settled(), new Promise((resolve) => setTimeout(resolve, CLOSE_MS))]);
    host.dispose();
    process.exit(0);
  };
  for (const event of ['end', 'close', 'error']) process.stdin.once(event, close);
  process.stdout.on('error', close); // the client does not read any more
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, close);
  await server.connect(new StdioServerTransport());
}
