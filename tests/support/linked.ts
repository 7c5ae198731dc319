import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { callTool } from '../../electron/agent/tools/call-tool.ts';
import { TOOLS } from '../../electron/agent/tools/index.ts';
import { HostLink } from '../../electron/host-client/host-link.ts';
import type { Session } from '../../electron/supervisor/sessions.ts';
import type { Supervisor } from '../../electron/supervisor/supervisor.ts';
import type { Limits } from '../../shared/limits.ts';
import type { AppEvent } from '../../shared/model/event.ts';
import type { CommandId } from '../../shared/model/ids.ts';
import type { ExitRecord, HostCommand, HostEvent } from '../../shared/protocol/host.ts';
import { hostProgram, type TestHostOptions, until } from './host.ts';
import { openTestStore, realSupervisor } from './real-supervisor.ts';

/** A HostLink, and all that it has told. */
export class TestLink {
  readonly events: HostEvent[] = [];
  /** Names of the listener's methods, in the order of their calls. */
  readonly told: string[] = [];
  readonly logged: string[] = [];
  readonly link: HostLink;

  private constructor(link: HostLink, told: string[], logged: string[]) {
    this.link = link;
    this.told = told;
    this.logged = logged;
    link.onEvent((event) => this.events.push(event));
  }

  static async connect(
    folder: string,
    options: Omit<TestHostOptions, 'folder'> = {},
    onListChanged: () => void = () => {},
  ): Promise<TestLink> {
    const told: string[] = [];
    const logged: string[] = [];
    const link = await HostLink.connect(hostProgram(folder, options), {
      onLost: () => told.push('lost'),
      onBack: () => told.push('back'),
      onOtherLost: () => told.push('other lost'),
      onSilent: () => told.push('silent'),
      onAnswers: () => told.push('answers'),
      onListChanged: () => {
        told.push('list changed');
        onListChanged();
      },
      log: (line) => logged.push(line),
    });
    return new TestLink(link, told, logged);
  }

  async listed(id: CommandId): Promise<HostCommand | undefined> {
    const listed = await this.link.list();
    if (!listed.ok) throw new Error(listed.error.message);
    return listed.value.find((command) => command.id === id);
  }

  /** Every end of a command that was told. */
  exits(id: CommandId): ExitRecord[] {
    return this.events.flatMap((event) => (event.type === 'exited' && event.id === id ? event.exit : []));
  }

  exited(id: CommandId): Promise<ExitRecord> {
    return until(`the end of ${id}`, () => this.exits(id)[0]);
  }

  /** Resolves once the listener was told this. */
  hears(what: string): Promise<true> {
    return until(`"${what}"`, () => (this.told.includes(what) ? true : undefined));
  }
}

/** A run of the app as far as commands go: link, store and supervisor, without a mind. */
export interface LinkedApp {
  readonly linked: TestLink;
  readonly app: Supervisor;
  readonly session: Session;
  readonly events: AppEvent[];
  /** Milliseconds from the connection to the host until every former command was accounted for. */
  readonly restoredMs: number;
  /** What the tool answers to an agent that runs this, once that was saved. */
  exec(cmd: string, yieldMs: number): Promise<Readonly<Record<string, unknown>>>;
  /** Leaves the hosts. */
  close(): Promise<void>;
}

/** Starts one on the folder of the hosts, where its store is too: with what an earlier run left, if there was one. */
export async function startLinkedApp(folder: string, limits: Partial<Limits> = {}): Promise<LinkedApp> {
  const store = await openTestStore(folder);
  const linked: TestLink = await TestLink.connect(folder, {}, () => void app.reconcile());
  const connectedAt = performance.now();
  const events: AppEvent[] = [];
  const app = realSupervisor({
    host: linked.link,
    store,
    folder,
    limits,
    provider: 'nobody',
    publish: (event) => {
      if (event.type === 'command.terminal' || event.type === 'command.changed') events.push(event);
    },
  });
  app.setTurnRunner(async () => {});
  await app.restore();
  const restoredMs = performance.now() - connectedAt;
  const id = app.views().sessions[0]?.id ?? (await app.createSession(folder)).id;
  const session = app.session(id) as Session;
  let calls = 0;
  return {
    linked,
    app,
    session,
    events,
    restoredMs,
    exec: async (cmd, yieldMs) => {
      const outcome = await callTool(
        TOOLS,
        { id: `call-${++calls}`, name: 'exec_command', input: { cmd, yield_time_ms: yieldMs } },
        {
          sessionId: id,
          workspace: folder,
          commands: app.commands,
          host: linked.link,
          now: () => app.clock.now(),
          limits: app.limits,
          signal: new AbortController().signal,
        },
      );
      if (!outcome.ok) throw new Error(`${cmd}: ${outcome.error.message}`);
      const { changes, result } = outcome.value;
      await app.saveResult(session, [], changes).finally(() => changes?.release());
      return result;
    },
    close: async () => {
      linked.link.dispose();
      await store.close();
    },
  };
}

/** `programs/linked-app.ts` in a process of its own, which the caller kills. `said` resolves with its first line. */
export function runLinkedApp(
  folder: string,
  ...args: readonly (string | number)[]
): { readonly child: ChildProcess; readonly said: Promise<string> } {
  const hooks = pathToFileURL(path.resolve(import.meta.dirname, '../../build/typescript-hooks.mjs')).href;
  const script = path.join(import.meta.dirname, 'programs/linked-app.ts');
  const line = ['--expose-gc', '--import', hooks, script, folder, ...args.map(String)];
  const child = spawn(process.execPath, line, { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = new Promise<string>((resolve, reject) => {
    let text = '';
    let errors = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
    child.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    child.once('close', () => reject(new Error(`the program said nothing: ${errors.slice(-2_000)}`)));
  });
  return { child, said };
}
