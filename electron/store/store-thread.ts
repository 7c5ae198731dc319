// The thread of the store: SQLite's calls are synchronous, and each commit waits for the disk.
import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase, type SqliteStore } from './store.ts';
import { type StoreErrorCode, storeErrorOf } from './store-error.ts';

export interface ThreadData {
  readonly file: string;
}

/** What the main thread sends. Requests are answered in their order. */
export interface ThreadRequest {
  readonly id: number;
  readonly method: 'load' | 'checkpoint' | 'messages' | 'approvalRules' | 'deleteApprovalRule' | 'close';
  readonly args: readonly unknown[];
}

export interface ThreadFailure {
  readonly code: StoreErrorCode;
  readonly message: string;
}

/** What the thread sends. `id` 0 answers the opening itself. */
export type ThreadReply =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly error: ThreadFailure }
  | { readonly report: string };

if (!parentPort) throw new Error('store-thread is started as a worker thread');
const port = parentPort;
const post = (reply: ThreadReply): void => port.postMessage(reply);

function answer(id: number, work: () => unknown): void {
  try {
    post({ id, ok: true, value: work() });
  } catch (error) {
    const { code, message } = storeErrorOf(error);
    post({ id, ok: false, error: { code, message } });
  }
}

let store: SqliteStore | null = null;
answer(0, () => {
  store = openDatabase((workerData as ThreadData).file, (report) => post({ report }));
  return null;
});

const opened: SqliteStore | null = store;
if (opened) {
  port.on('message', (request: ThreadRequest) => {
    answer(request.id, () => run(opened, request));
    if (request.method === 'close') port.close();
  });
}

/** The arguments are those of the store's client, which TypeScript has checked. */
function run(target: SqliteStore, { method, args }: ThreadRequest): unknown {
  switch (method) {
    case 'load':
      return target.load();
    case 'checkpoint':
      target.checkpoint(...(args as Parameters<SqliteStore['checkpoint']>));
      return null;
    case 'messages':
      return target.messages(...(args as Parameters<SqliteStore['messages']>));
    case 'approvalRules':
      return target.approvalRules(...(args as Parameters<SqliteStore['approvalRules']>));
    case 'deleteApprovalRule':
      target.deleteApprovalRule(...(args as Parameters<SqliteStore['deleteApprovalRule']>));
      return null;
    case 'close':
      target.close();
      return null;
  }
}
