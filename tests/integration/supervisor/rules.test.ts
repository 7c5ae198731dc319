/** Rules of the session supervisor on real processes, a real host and a real store; each test is named after its rule. */

import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ReadAnswer, readEvents } from '../../../electron/supervisor/commands.ts';
import { detachMarker } from '../../../electron/supervisor/detach-registry.ts';
import type { Limits } from '../../../shared/limits.ts';
import type { Message } from '../../../shared/model/message.ts';
import { type Gate, makeGate } from '../../support/gate.ts';
import { ScriptedProvider, type Supervised, supervise } from '../../support/supervised.ts';

let gate: Gate;
const cleanUps: (() => Promise<void>)[] = [];

beforeEach(() => {
  gate = makeGate();
});

afterEach(async () => {
  gate.open();
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  gate.release();
});

async function start(provider = new ScriptedProvider(), limits: Partial<Limits> = {}): Promise<Supervised> {
  const it = await supervise(provider, limits);
  cleanUps.push(() => it.close());
  return it;
}

type Calls = [name: string, input: object][];
const calling =
  (...calls: Calls) =>
  () => ({ calls });
const saying = (text: string) => () => ({ text });
const atRest = (it: Supervised, requests: number) =>
  it.until(`request ${requests}`, () =>
    it.provider.requests >= requests && !it.session.turn ? true : undefined,
  );
const handlesIn = (messages: readonly Message[]) =>
  messages.flatMap((message) =>
    message.role === 'tool' && message.name === 'exec_command'
      ? [(message.result as { session_id: string }).session_id]
      : [],
  );

/** Starts a command outside a turn, as the tool does. */
async function launch(it: Supervised, cmd: string, toolCallId = `call-${Math.random()}`) {
  const started = await it.app.commands.start({
    sessionId: it.session.view.id,
    toolCallId,
    cmd,
    cwd: it.host.folder,
    tty: false,
    deadlineMs: null,
  });
  if (!started.ok) throw new Error(started.error.message);
  return started.value;
}

function read(it: Supervised, commandId: string, toolCallId: string, yieldMs = 20_000, isUntilEnd = false) {
  return it.app.commands
    .read({
      commandId,
      toolCallId,
      yieldMs,
      maxTokens: 8_192,
      signal: new AbortController().signal,
      isUntilEnd,
    })
    .then(async (answer) => {
      await it.app.saveResult(it.session, [], { commandId, events: readEvents(answer) });
      answer.release();
      return answer;
    });
}

test('observing never changes the next readout', async () => {
  const it = await start();
  const record = await launch(it, `echo one; echo two; ${gate.loop}`);
  await it.until('the output', () =>
    (it.app.commands.record(record.id)?.outputBytes ?? 0) >= 10 ? true : undefined,
  );
  const frames: Uint8Array[] = [];
  const stream = it.host.client.openStream(record.id, null, (frame) => frames.push(frame));
  await it.until('the bytes in a pane', () => (frames.length > 1 ? true : undefined));
  await it.app.commands.snapshot(record.id);
  await it.host.client.list();
  await it.host.client.readLog(record.id, 0, 100);
  expect(it.app.commands.reserve([record.id], it.session.view.id)).toBe(true);
  it.app.commands.release([record.id]);
  stream.close();
  expect(it.app.commands.record(record.id)?.cursor).toBe(0);
  const answer = await read(it, record.id, 'call-1');
  expect(answer.text).toBe('one\ntwo\n');
});

test('a completion is delivered once, and a redelivery is a no-op', async () => {
  const it = await start(
    new ScriptedProvider(
      calling(['exec_command', { cmd: `${gate.loop}; exit 3`, yield_time_ms: 250 }]),
      saying('off'),
      saying('told'),
    ),
  );
  await it.app.send(it.session, 'go');
  await atRest(it, 2);
  gate.open();
  await atRest(it, 3);
  const completions = async () =>
    (await it.messages()).filter((message) => message.role === 'runtime' && message.kind === 'completion');
  expect(await completions()).toHaveLength(1);
  const [handle] = handlesIn(await it.messages());
  const listed = await it.host.client.list();
  const ended = listed.ok ? listed.value.find((command) => command.id === handle) : undefined;
  if (!handle || !ended?.exit) throw new Error('the host does not know the end');
  it.app.commands.noteExit(handle, ended.exit, ended.tail);
  await it.app.reconcile();
  const entry = await it.until('the turn', async () =>
    (await completions()).length === 1 ? true : undefined,
  );
  expect(entry).toBe(true);
  expect(it.session.pending).toEqual([]);
  expect(it.provider.requests).toBe(3);
});

test('two waited commands: the first is stored, the second wakes, both are told in order', async () => {
  const second = makeGate();
  cleanUps.push(async () => second.release());
  const it = await start(
    new ScriptedProvider(
      calling(
        ['exec_command', { cmd: `${gate.loop}; exit 1`, yield_time_ms: 250 }],
        ['exec_command', { cmd: `${second.loop}; exit 2`, yield_time_ms: 250 }],
      ),
      ({ messages }) => ({ calls: [['wait', { session_ids: handlesIn(messages) }]] }),
      saying('both'),
    ),
  );
  await it.app.send(it.session, 'go');
  await it.until('the wait', () => (it.session.view.status === 'suspended' ? true : undefined));
  gate.open();
  await it.until('the first end', () => (it.session.pending.length === 1 ? true : undefined));
  // The backstop has looked, and the merge time has passed: nothing wakes for the first.
  await new Promise((resolve) =>
    it.app.clock.after(it.app.limits.wakeMergeMs + it.app.limits.backstopFirstMs, () => resolve(null)),
  );
  expect(it.provider.requests).toBe(2);
  expect(it.session.view.status).toBe('suspended');
  second.open();
  await atRest(it, 3);
  const told = (await it.messages()).flatMap((message) =>
    message.role === 'runtime' && message.kind === 'completion' ? message.ends : [],
  );
  expect(told.map((end) => end.exitCode)).toEqual([1, 2]);
  expect(it.events.filter((event) => event.type === 'session.resumed')).toHaveLength(1);
});

test('ends within the merge time are one wake', async () => {
  const it = await start(
    new ScriptedProvider(
      calling(
        ...Array.from({ length: 3 }, (): Calls[number] => [
          'exec_command',
          { cmd: gate.loop, yield_time_ms: 250 },
        ]),
      ),
      ({ messages }) => ({ calls: [['wait', { session_ids: handlesIn(messages) }]] }),
      saying('all'),
    ),
  );
  await it.app.send(it.session, 'go');
  await it.until('the wait', () => (it.session.view.status === 'suspended' ? true : undefined));
  gate.open();
  await atRest(it, 3);
  expect(
    (await it.messages()).filter((message) => message.role === 'runtime' && message.kind === 'completion'),
  ).toHaveLength(3);
  expect(it.events.filter((event) => event.type === 'session.resumed')).toHaveLength(1);
});

test('all readouts plus dropped bytes are the captured text, across a detach and over a flood', async () => {
  const it = await start();
  // 1 MB in bursts, so that some of it is read, some falls out of the unread window.
  const record = await launch(
    it,
    `for i in $(seq 40); do head -c 25000 /dev/zero | tr '\\0' Z; sleep 0.01; done`,
  );
  let given = 0;
  let dropped = 0;
  let answer: ReadAnswer;
  for (let i = 0; ; i++) {
    const reading = read(it, record.id, `call-${i}`);
    if (i === 3) it.app.commands.detach(record.id, 'user', 'aside');
    answer = await reading;
    given += answer.text.split('Z').length - 1;
    dropped += answer.droppedBytes;
    if (answer.end === 'exit') break;
  }
  const log = await it.host.client.readLog(record.id, 0, 2_000_000);
  expect(log.length).toBe(1_000_000);
  expect(given + dropped).toBe(log.length);
  expect(dropped).toBeGreaterThan(0);
});

test('detach against exit, 500 times with jitter: one winner, both settle, no stall, no lost line', {
  timeout: 120_000,
}, async () => {
  const it = await start(new ScriptedProvider(), { maxLiveCommandsPerSession: 64 });
  let detached = 0;
  let exited = 0;
  const once = async (index: number) => {
    const jitter = (index % 50) / 1000;
    const toolCallId = `race-${index}`;
    const record = await launch(
      it,
      `echo first; sleep ${(0.02 + (index % 7) / 1000).toFixed(3)}; echo last-${index}; exit 5`,
      toolCallId,
    );
    const reading = read(it, record.id, toolCallId, 20_000, true);
    await new Promise((resolve) => setTimeout(resolve, jitter * 1000));
    const wins = it.app.commands.detach(record.id, 'user', 'race');
    const answer = await reading;
    expect(it.app.commands.registry.isRunning(toolCallId)).toBe(false);
    let text = answer.text;
    if (answer.end === 'detached') {
      expect(wins).toBe(true);
      detached++;
      const marker = detachMarker({ jobId: record.id, reason: 'race' });
      expect(text.endsWith(marker)).toBe(true);
      text = text.slice(0, -marker.length);
      const rest = await read(it, record.id, `${toolCallId}-rest`, 20_000, true);
      expect(rest.record.exitCode).toBe(5);
      text += rest.text;
    } else {
      expect(answer.end).toBe('exit');
      exited++;
    }
    expect(text).toBe(`first\nlast-${index}\n`);
    expect(it.app.commands.detach(record.id, 'user', 'late')).toBe(false);
  };
  for (let i = 0; i < 500; i += 10) await Promise.all(Array.from({ length: 10 }, (_, k) => once(i + k)));
  expect(detached + exited).toBe(500);
  expect(detached, 'detach won sometimes').toBeGreaterThan(20);
  expect(exited, 'the exit won sometimes').toBeGreaterThan(20);
});

describe('abort of a turn', () => {
  test('stops a command that was attached and never gave a handle', async () => {
    const it = await start(
      new ScriptedProvider(calling(['exec_command', { cmd: gate.loop, yield_time_ms: 30_000 }])),
    );
    await it.app.send(it.session, 'go');
    const record = await it.until('the command', () => it.app.commands.live()[0]);
    await it.until('the attachment', () => (it.app.commands.view(record.id)?.isAttached ? true : undefined));
    it.app.stopTurn(it.session);
    await it.until('its end', () =>
      it.app.commands.record(record.id)?.state === 'stopped' ? true : undefined,
    );
    expect(it.app.commands.record(record.id)).toMatchObject({ by: 'user', exitCode: null });
  });

  test('lets a command run on whose handle was given', async () => {
    const it = await start(
      new ScriptedProvider(
        calling(['exec_command', { cmd: gate.loop, yield_time_ms: 250 }]),
        ({ messages }) => ({
          calls: [['write_stdin', { session_id: handlesIn(messages)[0], yield_time_ms: 30_000 }]],
        }),
      ),
    );
    await it.app.send(it.session, 'go');
    const record = await it.until('the poll', () => {
      const live = it.app.commands.live()[0];
      return it.provider.requests === 2 && live && it.app.commands.view(live.id)?.isAttached
        ? live
        : undefined;
    });
    it.app.stopTurn(it.session);
    await it.until('the end of the turn', () => (it.session.turn ? undefined : true));
    expect(it.app.commands.record(record.id)).toMatchObject({ state: 'running', placement: 'background' });
  });
});

test('where no handoff is possible the diagnostic budget ends the turn, and the command lives', async () => {
  const polls = ({ messages }: { messages: readonly Message[] }) => ({
    calls: Array.from({ length: 6 }, (): Calls[number] => [
      'write_stdin',
      { session_id: handlesIn(messages)[0], yield_time_ms: 250 },
    ]),
  });
  const it = await start(
    new ScriptedProvider(
      calling(['exec_command', { cmd: gate.loop, yield_time_ms: 250 }]),
      polls,
      polls,
      polls,
      polls,
      polls,
    ),
    { quietAfterMs: 100, foregroundMs: 3_600_000 },
  );
  await it.app.send(it.session, 'go');
  const record = await it.until('the command', () => it.app.commands.live()[0]);
  // Something else observes it: the monitor is taken.
  it.app.commands.reserve([record.id], it.session.view.id);
  await it.until('the end of the turn', () => (it.session.turn ? undefined : true));
  const packets = (await it.messages()).filter(
    (message) => message.role === 'runtime' && message.kind === 'guard',
  );
  expect(packets).toHaveLength(3);
  const notices = (await it.messages()).filter(
    (message) => message.role === 'runtime' && message.kind === 'turn_ended',
  );
  expect(notices.map((message) => (message.role === 'runtime' ? message.text : ''))).toEqual([
    expect.stringContaining('The command runs on'),
  ]);
  expect(it.provider.requests).toBe(5);
  expect(it.app.commands.record(record.id)?.state).toBe('running');
  it.app.commands.release([record.id]);
});

test('a third poll of a background command in a row, without other work, suspends the session', async () => {
  const poll = ({ messages }: { messages: readonly Message[] }) => ({
    calls: [['write_stdin', { session_id: handlesIn(messages)[0], yield_time_ms: 250 }]] as Calls,
  });
  const it = await start(
    new ScriptedProvider(
      calling(['exec_command', { cmd: gate.loop, yield_time_ms: 20_000 }]),
      poll,
      poll,
      calling(['list_commands', {}]),
      poll,
      poll,
      poll,
    ),
  );
  await it.app.send(it.session, 'go');
  const record = await it.until('the attachment', () => {
    const live = it.app.commands.live()[0];
    return live && it.app.commands.view(live.id)?.isAttached ? live : undefined;
  });
  expect(it.app.detach(record.id)).toBe(true);
  await it.until('the suspension', () => (it.session.view.status === 'suspended' ? true : undefined));
  expect(it.provider.requests, 'other work begins the count anew').toBe(7);
  const [first] = await it.results();
  expect(String(first?.output)).toContain(
    `[Detached to background task ${record.id}: the user moved it to the background]`,
  );
  it.provider.goOn(saying('told'));
});

test('the foreground limit detaches the attached call with a reason that says so', async () => {
  const it = await start(
    new ScriptedProvider(
      calling(['exec_command', { cmd: gate.loop, yield_time_ms: 30_000 }]),
      saying('free'),
    ),
    { foregroundMs: 400 },
  );
  await it.app.send(it.session, 'go');
  await atRest(it, 2);
  const [first] = await it.results();
  expect(String(first?.output)).toMatch(
    /\[Detached to background task c_\w+: it ran 0 s in the foreground, which is the limit\]$/,
  );
  expect(it.session.view.status).toBe('suspended');
  it.provider.goOn(saying('told'));
});

describe('artifacts', () => {
  const LONG = `seq 1 9000; exit 4`;

  test('the artifact is on the disk before the cut result is given, exactly once, with the hash of the log', async () => {
    const it = await start(
      new ScriptedProvider(calling(['exec_command', { cmd: LONG, yield_time_ms: 30_000 }]), saying('ok')),
    );
    await it.app.send(it.session, 'go');
    await atRest(it, 2);
    let results = await it.results();
    while (!('exit_code' in (results.at(-1) ?? {}))) {
      it.provider.goOn(
        ({ messages }) => ({ calls: [['write_stdin', { session_id: handlesIn(messages)[0] }]] }),
        saying('ok'),
      );
      await it.app.send(it.session, 'more');
      const wanted = it.provider.requests + 2;
      await atRest(it, wanted);
      results = await it.results();
    }
    const record = it.app.commands.recordsOf(it.session.view.id)[0];
    if (!record) throw new Error('no record');
    const snapshot = (await it.app.commands.snapshot(record.id)) as {
      artifact: { path: string; sha256: string; size_bytes: number };
      output: string;
    };
    const log = await it.host.client.readLog(record.id, 0, 1_000_000);
    const kept = fs.readFileSync(snapshot.artifact.path);
    expect(Buffer.compare(kept, log)).toBe(0);
    expect(snapshot.artifact).toMatchObject({
      size_bytes: log.length,
      sha256: createHash('sha256').update(log).digest('hex'),
    });
    expect(fs.statSync(snapshot.artifact.path).mode & 0o777).toBe(0o600);
    expect(Array.from(snapshot.output)).toHaveLength(12_000);
    const again = (await it.app.commands.snapshot(record.id)) as typeof snapshot;
    expect(again.artifact).toEqual(snapshot.artifact);
    expect(fs.readdirSync(path.dirname(snapshot.artifact.path))).toHaveLength(1);
  });

  test('after a failure the state stays terminal, the next read tries again, and listeners are not called again', async () => {
    const it = await start();
    const folder = path.join(it.host.folder, 'artifacts');
    fs.writeFileSync(folder, 'a file in the place of the folder');
    const record = await launch(it, LONG);
    let told = 0;
    it.app.commands.onTerminal(record.id, () => told++);
    const answer = await read(it, record.id, 'call-1', 20_000, true);
    expect(answer).toMatchObject({
      isTruncated: true,
      artifactError: { code: 'artifact_persist_failed' },
      record: { state: 'failed', exitCode: 4 },
    });
    expect(await it.app.commands.snapshot(record.id)).toMatchObject({
      artifact_error_code: 'artifact_persist_failed',
    });
    fs.rmSync(folder);
    expect(await it.app.commands.snapshot(record.id)).toHaveProperty('artifact.sha256');
    expect(told).toBe(1);
  });

  test('a link in the place of the folder is not followed', async () => {
    const it = await start();
    const elsewhere = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-elsewhere-'));
    cleanUps.push(async () => fs.rmSync(elsewhere, { recursive: true }));
    fs.mkdirSync(path.join(it.host.folder, 'artifacts'));
    fs.symlinkSync(elsewhere, path.join(it.host.folder, 'artifacts', it.session.view.id));
    const record = await launch(it, LONG);
    const answer = await read(it, record.id, 'call-1', 20_000, true);
    expect(answer.artifactError?.code).toBe('artifact_path_invalid');
    expect(fs.readdirSync(elsewhere)).toEqual([]);
  });

  test('the deadline fires while an artifact is being written', async () => {
    const it = await start();
    // Another command's artifact hangs: its log is a pipe that nobody writes.
    const slow = await launch(it, LONG);
    await it.until('its end', () => (it.app.commands.hasEnded(slow.id) ? true : undefined));
    const hung = it.host.client.readLog.bind(it.host.client);
    const hanging = new Promise<Uint8Array>(() => {});
    it.host.client.readLog = (id, from, to) => (id === slow.id && from > 0 ? hanging : hung(id, from, to));
    const reading = it.app.commands.snapshot(slow.id);
    reading.catch(() => {});
    const started = await it.app.commands.start({
      sessionId: it.session.view.id,
      toolCallId: 'deadline',
      cmd: gate.loop,
      cwd: it.host.folder,
      tty: false,
      deadlineMs: 300,
    });
    if (!started.ok) throw new Error(started.error.message);
    const { id } = started.value;
    await it.until('the deadline', () =>
      it.app.commands.record(id)?.state === 'timeout' ? true : undefined,
    );
    it.host.client.readLog = hung;
  });
});

describe('listeners', () => {
  test('an unknown id is a no-op; a terminal one calls back once, later; one that throws does not stop the others', async () => {
    const it = await start();
    const record = await launch(it, 'exit 6');
    const told: string[] = [];
    it.app.commands.onTerminal('c_nothing', () => told.push('unknown'));
    it.app.commands.onTerminal(record.id, () => {
      throw new Error('a listener that fails');
    });
    it.app.commands.onTerminal(record.id, ({ exitCode }) => told.push(`early ${exitCode}`));
    const stop = it.app.commands.onTerminal(record.id, () => told.push('unsubscribed'));
    stop();
    stop();
    await it.until('the end', () => (told.length > 0 ? true : undefined));
    let isAsync = false;
    it.app.commands.onTerminal(record.id, () => told.push(`late ${isAsync}`));
    isAsync = true;
    await it.until('the late one', () => (told.length > 1 ? true : undefined));
    expect(told).toEqual(['early 6', 'late true']);
  });
});

describe('restart', () => {
  const folders: string[] = [];
  const folder = () => {
    const made = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-restart-'));
    folders.push(made);
    cleanUps.push(async () => fs.rmSync(made, { recursive: true, force: true }));
    return made;
  };

  async function startOn(place: string, provider: ScriptedProvider): Promise<Supervised> {
    const it = await supervise(provider, {}, place);
    cleanUps.push(() => it.close());
    return it;
  }

  test('a command that ended while the app was away is told as ended, once', async () => {
    const place = folder();
    const first = await supervise(
      new ScriptedProvider(
        calling(['exec_command', { cmd: `${gate.loop}; echo away; exit 9`, yield_time_ms: 250 }]),
        saying('off'),
      ),
      {},
      place,
    );
    await first.app.send(first.session, 'go');
    await first.until('the suspension', () => (first.session.view.status === 'suspended' ? true : undefined));
    const [handle] = handlesIn(await first.messages());
    await first.crash();
    gate.open();
    const exit = path.join(place, 'commands', String(handle), 'exit.json');
    await first.until('its record', () =>
      fs.existsSync(exit) && fs.readFileSync(exit, 'utf8').startsWith('{') ? true : undefined,
    );
    const second = await startOn(place, new ScriptedProvider(saying('told')));
    await atRest(second, 1);
    const told = (await second.messages()).flatMap((message) =>
      message.role === 'runtime' && message.kind === 'completion' ? message.ends : [],
    );
    expect(told).toMatchObject([{ commandId: handle, exitCode: 9, state: 'failed', tail: 'away' }]);
    expect(second.session.view).toMatchObject({ status: 'idle', wait: null });
    await second.crash();
    const third = await startOn(place, new ScriptedProvider());
    expect(third.session.pending).toEqual([]);
    expect(third.session.view.status).toBe('idle');
  });

  test('a command that lives is taken up again, and its end wakes the session', async () => {
    const place = folder();
    const first = await supervise(
      new ScriptedProvider(
        calling(['exec_command', { cmd: `${gate.loop}; exit 9`, yield_time_ms: 250 }]),
        saying('off'),
      ),
      {},
      place,
    );
    await first.app.send(first.session, 'go');
    await first.until('the suspension', () => (first.session.view.status === 'suspended' ? true : undefined));
    await first.crash();
    const second = await startOn(place, new ScriptedProvider(saying('told')));
    expect(second.session.view.status).toBe('suspended');
    expect(second.app.commands.live()).toHaveLength(1);
    gate.open();
    await atRest(second, 1);
    expect(second.session.view.status).toBe('idle');
  });

  test('a command whose host died is lost, with no exit code, and told once', async () => {
    const place = folder();
    const first = await supervise(
      new ScriptedProvider(calling(['exec_command', { cmd: gate.loop, yield_time_ms: 250 }]), saying('off')),
      {},
      place,
    );
    await first.app.send(first.session, 'go');
    await first.until('the suspension', () => (first.session.view.status === 'suspended' ? true : undefined));
    const { hostPid } = first.host.client;
    await first.crash();
    process.kill(hostPid, 'SIGKILL');
    const second = await startOn(place, new ScriptedProvider(saying('told')));
    await atRest(second, 1);
    const told = (await second.messages()).flatMap((message) =>
      message.role === 'runtime' && message.kind === 'completion' ? [message] : [],
    );
    expect(told).toHaveLength(1);
    expect(told[0]?.ends[0]).toMatchObject({ state: 'lost', exitCode: null, signal: null });
    expect(told[0]?.text).toContain('Its exit was not observed');
  });
});

describe('wait', () => {
  test('for a line of output wakes at the line, and the command runs on', async () => {
    const it = await start(
      new ScriptedProvider(
        calling([
          'exec_command',
          { cmd: `echo before; sleep 0.3; echo server ready on 7; ${gate.loop}`, yield_time_ms: 250 },
        ]),
        ({ messages }) => ({
          calls: [['wait', { session_ids: handlesIn(messages), until: { match: 'ready on \\d' } }]],
        }),
        ({ messages }) => ({ text: JSON.stringify(messages.at(-1)) }),
      ),
    );
    await it.app.send(it.session, 'go');
    await it.until('the wake', () => (it.provider.requests === 3 ? true : undefined));
    await it.until('the end of the turn', () => (it.session.turn ? undefined : true));
    const resumed = (await it.messages()).find(
      (message) => message.role === 'runtime' && message.kind === 'resumed',
    );
    expect(resumed?.role === 'runtime' && resumed.text).toContain('wrote "server ready on 7"; it runs on');
    expect(it.app.commands.live()).toHaveLength(1);
    it.provider.goOn(saying('told'));
  });

  test('for a port wakes when a process of the command listens', async () => {
    const it = await start();
    const server = `const s = require('net').createServer().listen(0, '127.0.0.1', () => console.log('port ' + s.address().port))`;
    const record = await launch(it, `sleep 0.2; ${process.execPath} -e "${server}"`);
    const text = (await read(it, record.id, 'call-1')).text;
    const port = Number(/port (\d+)/.exec(text)?.[1]);
    it.provider.goOn(saying('open'));
    const request = { commandIds: [record.id], until: { kind: 'port' as const, port }, deadlineMs: null };
    expect(await it.session.lock.run(() => it.app.handoff.suspend(it.session, request))).toBe(true);
    await it.until('the wake', () => (it.provider.requests === 1 ? true : undefined));
    const resumed = (await it.messages()).find(
      (message) => message.role === 'runtime' && message.kind === 'resumed',
    );
    expect(resumed?.role === 'runtime' && resumed.text).toContain(`listens on port ${port}`);
    await it.app.commands.stop(record.id, 'user');
    it.provider.goOn(saying('told'));
  });

  test('with a deadline wakes then at the latest, and a pattern that backtracks without end is refused in time', async () => {
    const it = await start(
      new ScriptedProvider(
        calling([
          'exec_command',
          { cmd: `printf 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\\n'; ${gate.loop}`, yield_time_ms: 250 },
        ]),
        ({ messages }) => ({
          calls: [
            ['wait', { session_ids: handlesIn(messages), until: { match: 'never' }, deadline_ms: 300 }],
          ],
        }),
        saying('woken'),
      ),
    );
    await it.app.send(it.session, 'go');
    await it.until('the wake', () => (it.provider.requests === 3 && !it.session.turn ? true : undefined));
    const [handle] = handlesIn(await it.messages());
    it.provider.goOn(saying('again'));
    const until = { kind: 'match' as const, pattern: '^(a+)+$', from: { [String(handle)]: 0 } };
    await it.session.lock.run(() =>
      it.app.handoff.suspend(it.session, { commandIds: [String(handle)], until, deadlineMs: null }),
    );
    await it.until('the second wake', () => (it.provider.requests === 4 ? true : undefined));
    const resumed = (await it.messages()).flatMap((message) =>
      message.role === 'runtime' && message.kind === 'resumed' ? message.text : [],
    );
    expect(resumed[0]).toContain('the deadline of the wait passed');
    expect(resumed[1]).toContain('the pattern takes too long');
    it.provider.goOn(saying('told'));
  });
});

test('a wait that the agent has fulfilled by reading wakes nobody', async () => {
  const it = await start(
    new ScriptedProvider(calling(['exec_command', { cmd: gate.loop, yield_time_ms: 250 }]), saying('off')),
  );
  await it.app.send(it.session, 'go');
  await it.until('the suspension', () => (it.session.view.status === 'suspended' ? true : undefined));
  const [handle] = handlesIn(await it.messages());
  it.provider.goOn(() => {
    gate.open();
    return { calls: [['write_stdin', { session_id: handle, yield_time_ms: 20_000 }]] as Calls };
  }, saying('read it'));
  await it.app.send(it.session, 'look');
  await it.until('rest', () =>
    it.provider.requests === 4 && it.session.view.status === 'idle' ? true : undefined,
  );
  expect(it.session.view.wait).toBeNull();
  expect(
    (await it.messages()).filter(
      (message) => message.role === 'runtime' && message.kind !== 'background_exec_wait',
    ),
  ).toEqual([]);
});

test('list_commands tells state, age, quiet time and ports', async () => {
  const server = `require('net').createServer().listen(0, '127.0.0.1', () => console.log('up'))`;
  const it = await start(
    new ScriptedProvider(
      calling(['exec_command', { cmd: 'exit 3' }]),
      calling(['exec_command', { cmd: `exec ${process.execPath} -e "${server}"` }]),
      calling(['list_commands', {}]),
      saying('seen'),
    ),
  );
  await it.app.send(it.session, 'go');
  await it.until('the list', () => (it.provider.requests === 4 ? true : undefined));
  await it.until('the end of the turn', () => (it.session.turn ? undefined : true));
  const listed = (await it.results()).at(-1) as { commands: Record<string, unknown>[] };
  expect(listed.commands).toMatchObject([
    { command: 'exit 3', status: 'failed', exit_code: 3 },
    {
      status: 'running',
      age_ms: expect.any(Number),
      idle_ms: expect.any(Number),
      ports: [expect.any(Number)],
    },
  ]);
  it.provider.goOn(saying('told'));
  await it.app.stopAll();
});

test('read_output pages by byte offset and searches by line, without moving the next readout', async () => {
  const it = await start(
    new ScriptedProvider(
      calling([
        'exec_command',
        { cmd: `for i in $(seq 1 3000); do echo line-$i; done; ${gate.loop}`, yield_time_ms: 2_000 },
      ]),
      ({ messages }) => {
        const session_id = handlesIn(messages)[0];
        return {
          calls: [
            ['read_output', { session_id, offset: 7, limit: 20 }],
            ['read_output', { session_id, search: 'line-2999' }],
            ['read_output', { session_id, search: 'line-1', offset: 20_000 }],
            ['read_output', { session_id }],
            ['read_output', { session_id, page: 3 }],
          ],
        };
      },
      saying('seen'),
    ),
  );
  await it.app.send(it.session, 'go');
  await it.until('the reads', () => (it.provider.requests === 3 ? true : undefined));
  await it.until('the end of the turn', () => (it.session.turn ? undefined : true));
  const [page, found, later, whole, refused] = (await it.results()).slice(-5);
  // The terminal ends lines with CR LF: the log is what the terminal showed.
  expect(page).toMatchObject({ output: '\nline-2\nline-3\nlin', offset: 7, next_offset: 27 });
  expect(found).toMatchObject({ matches: [{ line_number: 2999, line: 'line-2999' }] });
  expect((later as { matches: { offset: number }[] }).matches.every(({ offset }) => offset >= 20_000)).toBe(
    true,
  );
  expect((later as { matches: unknown[] }).matches.length).toBeGreaterThan(0);
  expect(whole).toMatchObject({ status: 'running', output_truncated: true });
  expect(refused).toMatchObject({
    error: { code: 'invalid_arguments', message: 'page: there is no such parameter.' },
  });
  it.provider.goOn(saying('told'));
});

test('before a quit all that is alive of our own is stopped: what runs, and what an ended command left', async () => {
  const it = await start();
  const { id: lives } = await launch(it, gate.loop);
  const { id: leaves } = await launch(it, 'sleep 600 & echo $!');
  const left = await it.until('what it left', () => {
    const record = it.app.commands.record(leaves);
    return record?.state === 'completed' ? record.descendants[0]?.pid : undefined;
  });
  expect(new Set(it.app.alive().map(({ id }) => id))).toEqual(new Set([lives, leaves]));
  await it.app.stopOwnAndWait('quit');
  expect(it.app.alive()).toEqual([]);
  expect(it.app.commands.record(lives)).toMatchObject({ state: 'stopped', by: 'quit' });
  expect(fs.existsSync(`/proc/${left}`)).toBe(false);
});
