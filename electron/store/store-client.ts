import { Worker } from 'node:worker_threads';
import type { ApprovalRule } from '../../shared/model/approval.ts';
import type { Store } from '../supervisor/ports.ts';
import { StoreError } from './store-error.ts';
import type { ThreadData, ThreadReply, ThreadRequest } from './store-thread.ts';

export interface StoreOptions {
  /** The database; made, with its folder, if it does not exist. */
  readonly file: string;
  /** The bundled store-thread.js. */
  readonly script: string | URL;
  /** Told of what could not be read, and of a damaged database that was moved aside: sentences for people. */
  readonly report: (message: string) => void;
}

/** The durable state behind a worker thread. Calls are done in the order in which they were made. */
export interface ThreadStore extends Store {
  /** Rules of a workspace for what may run without being asked for, oldest first. */
  approvalRules(workspace: string): Promise<ApprovalRule[]>;
  deleteApprovalRule(id: string): Promise<void>;
  /**
   * Finishes what was asked before and closes the database; calls after it fail. To be awaited before the
   * process exits: libsql aborts the process when its thread is ended in the middle of a call.
   */
  close(): Promise<void>;
}

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: StoreError) => void;
}

/**
 * Opens the store in a thread of its own, so that the main one never waits for the disk. Rejects with
 * StoreError when the database cannot be opened. If the thread dies, all calls fail with a StoreError of code
 * `stopped`; what was answered before is on disk.
 */
export async function openStore({ file, script, report }: StoreOptions): Promise<ThreadStore> {
  const data: ThreadData = { file };
  const worker = new Worker(script, { workerData: data, execArgv: [] });
  const pending = new Map<number, Pending>();
  let lastId = 0;
  /** Why no call is taken any more. */
  let refusal: StoreError | null = null;

  const end = (error: StoreError): void => {
    refusal ??= error;
    for (const call of pending.values()) call.reject(error);
    pending.clear();
  };

  worker.on('message', (reply: ThreadReply) => {
    if ('report' in reply) {
      report(reply.report);
      return;
    }
    const call = pending.get(reply.id);
    pending.delete(reply.id);
    if (reply.ok) call?.resolve(reply.value);
    else call?.reject(new StoreError(reply.error.code, reply.error.message));
  });
  worker.on('error', (error) => end(stopped(error.message)));
  worker.on('exit', () => end(stopped('it ended')));

  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const answered = (id: number): Promise<unknown> =>
    new Promise((resolve, reject) => pending.set(id, { resolve, reject }));
  const call = async (method: ThreadRequest['method'], ...args: unknown[]): Promise<unknown> => {
    if (refusal) throw refusal;
    lastId += 1;
    const request: ThreadRequest = { id: lastId, method, args };
    worker.postMessage(request);
    return answered(request.id);
  };

  await answered(0);

  return {
    load: async () => (await call('load')) as Awaited<ReturnType<Store['load']>>,
    checkpoint: async (change) => {
      await call('checkpoint', change);
    },
    messages: async (...args) => (await call('messages', ...args)) as Awaited<ReturnType<Store['messages']>>,
    approvalRules: async (workspace) => (await call('approvalRules', workspace)) as ApprovalRule[],
    deleteApprovalRule: async (id) => {
      await call('deleteApprovalRule', id);
    },
    close: async () => {
      if (!refusal) {
        const closed = call('close');
        refusal = new StoreError('stopped', 'The chats are closed already.');
        await closed;
      }
      await exited;
    },
  };
}

const stopped = (detail: string): StoreError =>
  new StoreError(
    'stopped',
    `The part of Switchyard that saves chats has stopped (${detail}). Chats saved before are safe. ` +
      'Start Switchyard again.',
  );
