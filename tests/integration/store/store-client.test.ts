import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { openStore, type ThreadStore } from '../../../electron/store/store-client.ts';
import {
  buildStoreThread,
  command,
  messageId,
  session,
  sessionId,
  temporaryFolder,
  userMessage,
} from './support.ts';

let script: string;
let folder: string;
let remove: () => void;
let file: string;
let reports: string[];
const opened: ThreadStore[] = [];

beforeAll(async () => {
  script = await buildStoreThread();
});
beforeEach(() => {
  ({ folder, remove } = temporaryFolder());
  file = path.join(folder, 'state', 'switchyard.db');
  reports = [];
});
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  remove();
});

async function open(thread: string = script): Promise<ThreadStore> {
  const store = await openStore({ file, script: thread, report: (message) => reports.push(message) });
  opened.push(store);
  return store;
}

/** A thread in place of the store's that does what the test wants. */
function standIn(code: string): string {
  const name = path.join(folder, 'thread.mjs');
  fs.writeFileSync(name, `import { parentPort as port } from 'node:worker_threads';\n${code}`);
  return name;
}

it('saves and loads through the thread', async () => {
  const store = await open();
  await store.checkpoint({
    session: session(1),
    append: [{ sessionId: sessionId(1), message: userMessage(1) }],
    commands: [command(1)],
  });
  expect(await store.load()).toEqual({ sessions: [session(1)], commands: [command(1)], inbox: [] });
  expect(await store.messages(sessionId(1), 5)).toEqual({ messages: [userMessage(1)], hasMore: false });
});

it('does what was asked in its order, and a close last', async () => {
  const store = await open();
  const saves = Array.from({ length: 50 }, (_, i) =>
    store.checkpoint({ session: session(1, { requests: i }) }),
  );
  const loaded = store.load();
  await store.close();
  await Promise.all(saves);
  expect((await loaded).sessions).toEqual([session(1, { requests: 49 })]);
  await expect(store.load()).rejects.toThrow('The chats are closed already.');
  await store.close();
});

it('answers a failure with a sentence and goes on', async () => {
  const store = await open();
  const failure = store.checkpoint({ append: [{ sessionId: sessionId(1), message: userMessage(1) }] });
  await expect(failure).rejects.toMatchObject({ name: 'StoreError', code: 'failed' });
  const unclonable = { session: { ...session(1), title: (() => '') as unknown as string } };
  await expect(store.checkpoint(unclonable)).rejects.toThrow();
  await store.checkpoint({ session: session(1) });
  expect((await store.load()).sessions).toHaveLength(1);
});

it('rejects when the database cannot be opened', async () => {
  fs.writeFileSync(path.join(folder, 'state'), 'in the way');
  await expect(open()).rejects.toMatchObject({ name: 'StoreError', code: 'failed' });
});

it('reports a damaged database that was moved aside', async () => {
  fs.mkdirSync(path.dirname(file));
  fs.writeFileSync(file, 'this is no database at all'.repeat(100));
  const store = await open();
  expect((await store.load()).sessions).toEqual([]);
  expect(reports).toEqual([expect.stringMatching(/was damaged .* kept as .*\.damaged-20/)]);
});

it('keeps what was answered when the process is killed, and nothing half', async () => {
  // saves step n with message n, and tells each answer
  const saver = path.join(folder, 'saver.mjs');
  const shape = { session: session(1), append: [{ sessionId: sessionId(1), message: userMessage(0) }] };
  fs.writeFileSync(
    saver,
    `import { Worker } from 'node:worker_threads';
     const thread = new Worker(${JSON.stringify(script)}, { workerData: { file: ${JSON.stringify(file)} } });
     const save = (n) => {
       const change = ${JSON.stringify(shape)};
       change.session.requests = n;
       change.append[0].message.id = 'm_' + String(n).padStart(16, '0');
       thread.postMessage({ id: n, method: 'checkpoint', args: [change] });
     };
     thread.on('message', ({ id }) => {
       if (id > 0) process.stdout.write(id + '\\n');
       else for (let n = 1; n <= 5000; n += 1) save(n);
     });`,
  );
  const child = spawn(process.execPath, [saver], { stdio: ['ignore', 'pipe', 'inherit'] });
  let told = '';
  const ended = once(child, 'close');
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    told += text;
    if (told.includes('\n100\n')) child.kill('SIGKILL');
  });
  await ended;
  const answered = Number(told.slice(0, told.lastIndexOf('\n')).split('\n').at(-1));
  expect(answered).toBeGreaterThanOrEqual(100);
  expect(answered).toBeLessThan(5000);

  const store = await open();
  const [saved] = (await store.load()).sessions;
  const steps = saved?.requests ?? 0;
  expect(steps).toBeGreaterThanOrEqual(answered);
  const { messages } = await store.messages(sessionId(1), 5000);
  expect(messages.map((message) => message.id)).toEqual(
    Array.from({ length: steps }, (_, i) => messageId(i + 1)),
  );
  expect(reports).toEqual([]);
});

it.each([
  ['ends', 'port.on("message", () => process.exit(1));'],
  ['throws', 'port.on("message", () => { throw new Error("out of luck"); });'],
])('rejects what is pending, and what is asked later, when the thread %s', async (_, dies) => {
  const store = await open(standIn(`port.postMessage({ id: 0, ok: true, value: null });\n${dies}`));
  const first = store.load();
  const second = store.checkpoint({ session: session(1) });
  await expect(first).rejects.toMatchObject({
    code: 'stopped',
    message: expect.stringMatching(/has stopped/),
  });
  await expect(second).rejects.toMatchObject({ code: 'stopped' });
  await expect(store.load()).rejects.toMatchObject({ code: 'stopped' });
});
