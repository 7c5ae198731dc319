import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type EventSink, followEvents } from '../../../renderer/bridge/events.ts';
import type { AppEvent, NumberedEvent, Snapshot } from '../../../shared/model/event.ts';
import { commandId, messageId, session, sessionId, snapshot } from './samples.ts';

const changed = (n: number): AppEvent => ({ type: 'session.changed', session: session(n) });
const progress = (bytes: number): AppEvent => ({
  type: 'command.progress',
  id: commandId(),
  outputBytes: bytes,
  lastOutputAt: 1,
});

/** A main process whose snapshots are answered by hand. */
class FakeMain {
  listener: ((event: NumberedEvent) => void) | null = null;
  readonly asked: { resolve: (snapshot: Snapshot) => void; reject: (error: Error) => void }[] = [];
  readonly sink = { begin: vi.fn(), apply: vi.fn(), fail: vi.fn() } satisfies EventSink;

  readonly follower = followEvents(
    {
      subscribe: (listener) => {
        this.listener = listener;
        return () => {
          this.listener = null;
        };
      },
      snapshot: () => new Promise((resolve, reject) => this.asked.push({ resolve, reject })),
    },
    this.sink,
  );

  send(seq: number, event: AppEvent = changed(seq)): void {
    this.listener?.({ seq, event });
  }

  async answer(seq: number): Promise<void> {
    this.asked.shift()?.resolve(snapshot(seq));
    await vi.advanceTimersByTimeAsync(0);
  }

  get applied(): AppEvent[] {
    return this.sink.apply.mock.calls.flatMap(([events]) => [...(events as readonly AppEvent[])]);
  }
}

describe('followEvents', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('begins with the snapshot and goes on with what follows it', async () => {
    const main = new FakeMain();
    main.send(4);
    main.send(5);
    main.send(6);
    expect(main.sink.begin).not.toHaveBeenCalled();
    await main.answer(5);
    expect(main.sink.begin).toHaveBeenCalledOnce();
    expect(main.applied).toEqual([changed(6)]);
    main.send(7);
    expect(main.applied).toEqual([changed(6), changed(7)]);
  });

  it('ignores what it knows already', async () => {
    const main = new FakeMain();
    await main.answer(5);
    main.send(5);
    main.send(6);
    main.send(6);
    expect(main.applied).toEqual([changed(6)]);
    expect(main.asked).toHaveLength(0);
  });

  it('asks for everything again after a gap, and applies nothing over it', async () => {
    const main = new FakeMain();
    await main.answer(5);
    main.send(7);
    expect(main.asked).toHaveLength(1);
    expect(main.applied).toEqual([]);
    main.send(8);
    await main.answer(7);
    expect(main.sink.begin).toHaveBeenCalledTimes(2);
    expect(main.applied).toEqual([changed(8)]);
  });

  it('notices a gap between the snapshot and what came early', async () => {
    const main = new FakeMain();
    main.send(9);
    await main.answer(5);
    expect(main.asked).toHaveLength(1);
    expect(main.applied).toEqual([]);
  });

  it('uses only the answer to its last question', async () => {
    const main = new FakeMain();
    main.follower.restart();
    const [first, second] = main.asked;
    second?.resolve(snapshot(9));
    await vi.advanceTimersByTimeAsync(0);
    first?.resolve(snapshot(2));
    await vi.advanceTimersByTimeAsync(0);
    expect(main.sink.begin).toHaveBeenCalledOnce();
    main.send(10);
    expect(main.applied).toEqual([changed(10)]);
  });

  it('tells when no snapshot can be had', async () => {
    const main = new FakeMain();
    main.asked.shift()?.reject(new Error('away'));
    await vi.advanceTimersByTimeAsync(0);
    expect(main.sink.fail).toHaveBeenCalledOnce();
    main.follower.restart();
    await main.answer(3);
    expect(main.sink.begin).toHaveBeenCalledOnce();
  });

  it('gathers progress for a while, and keeps the order', async () => {
    const main = new FakeMain();
    await main.answer(1);
    main.send(2, progress(1));
    main.send(3, progress(2));
    expect(main.sink.apply).not.toHaveBeenCalled();
    main.send(4);
    expect(main.sink.apply).toHaveBeenCalledOnce();
    expect(main.applied).toEqual([progress(1), progress(2), changed(4)]);
    main.send(5, progress(3));
    await vi.advanceTimersByTimeAsync(100);
    expect(main.applied.at(-1)).toEqual(progress(3));
    main.send(6, progress(4));
    main.send(7, { type: 'message.streaming', sessionId: sessionId(), messageId: messageId(), delta: 'a' });
    await vi.advanceTimersByTimeAsync(16);
    expect(main.applied).toHaveLength(6);
  });

  it('is silent after it was stopped', async () => {
    const main = new FakeMain();
    main.follower.stop();
    await main.answer(1);
    expect(main.sink.begin).not.toHaveBeenCalled();
    expect(main.listener).toBeNull();
  });
});
