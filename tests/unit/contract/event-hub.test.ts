import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventHub } from '../../../electron/ipc/event-hub.ts';
import type { AppEvent, NumberedEvent } from '../../../shared/model/event.ts';

/** An event that carries a number, to be told from others. */
const cleared = (n: number): AppEvent => ({ type: 'commands.cleared', ids: [String(n)] });
const numberOf = ({ event }: NumberedEvent): number =>
  Number(event.type === 'commands.cleared' && event.ids[0]);
const seqs = (events: NumberedEvent[]): number[] => events.map((event) => event.seq);

function hub(): { hub: EventHub; lines: string[] } {
  const lines: string[] = [];
  return { hub: new EventHub((line) => lines.push(line)), lines };
}

describe('EventHub', () => {
  it('numbers events from 1, whether anybody listens or not', () => {
    const { hub: events } = hub();
    const got: NumberedEvent[] = [];
    events.publish(cleared(1));
    const seq = events.subscribe(
      {},
      (event) => got.push(event),
      (at) => at,
    );
    events.publish(cleared(2));
    events.publish(cleared(3));
    expect(seq).toBe(1);
    expect(got).toEqual([2, 3].map((n) => ({ seq: n, event: cleared(n) })));
  });

  it('delivers in one order to all, also what a subscriber publishes', () => {
    const { hub: events } = hub();
    const first: NumberedEvent[] = [];
    const second: NumberedEvent[] = [];
    events.subscribe({}, (event) => {
      first.push(event);
      if (numberOf(event) < 3) events.publish(cleared(numberOf(event) + 1));
    }, () => null); // biome-ignore format: short
    events.subscribe({}, (event) => second.push(event), () => null); // biome-ignore format: short
    events.publish(cleared(1));
    expect(seqs(first)).toEqual([1, 2, 3]);
    expect(second).toEqual(first);
  });

  it('neither loses nor doubles an event for one that subscribes in the middle of a delivery', () => {
    const { hub: events } = hub();
    let state = 0;
    const publish = (n: number): void => {
      state = n;
      events.publish(cleared(n));
    };
    const late: NumberedEvent[] = [];
    let snapshot: { seq: number; state: number } | null = null;
    events.subscribe({}, (event) => {
      if (numberOf(event) === 1) publish(2);
      snapshot ??= events.subscribe({}, (one) => late.push(one), (seq) => ({ seq, state }));
    }, () => null); // biome-ignore format: short
    publish(1);
    publish(3);
    expect(snapshot).toEqual({ seq: 2, state: 2 });
    expect(seqs(late)).toEqual([3]);
  });

  it('gives snapshot and events that agree, wherever it is subscribed', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('publish', 'subscribe'), { maxLength: 40 }), (steps) => {
        const { hub: events } = hub();
        let sum = 0;
        const views: { sum: number }[] = [];
        for (const step of steps) {
          if (step === 'publish') {
            sum += 1;
            events.publish(cleared(sum));
          } else {
            const view = { sum: 0 };
            view.sum = events.subscribe({}, (event) => { view.sum += event.seq === view.sum + 1 ? 1 : 100; }, () => sum); // biome-ignore format: short
            views.push(view);
          }
        }
        for (const view of views) expect(view.sum).toBe(sum);
      }),
    );
  });

  it('replaces the subscription of the same subscriber: a page that was reloaded', () => {
    const { hub: events } = hub();
    const page = {};
    const got: string[] = [];
    events.subscribe(page, () => got.push('old'), () => null); // biome-ignore format: short
    events.subscribe(page, () => got.push('new'), () => null); // biome-ignore format: short
    events.publish(cleared(1));
    expect(got).toEqual(['new']);
    events.unsubscribe(page);
    events.unsubscribe(page);
    events.publish(cleared(2));
    expect(got).toEqual(['new']);
  });

  it('goes on when a subscriber throws', () => {
    const { hub: events, lines } = hub();
    const got: NumberedEvent[] = [];
    events.subscribe({}, () => { throw new Error('the page is gone'); }, () => null); // biome-ignore format: short
    events.subscribe({}, (event) => got.push(event), () => null); // biome-ignore format: short
    events.publish(cleared(1));
    events.publish(cleared(2));
    expect(seqs(got)).toEqual([1, 2]);
    expect(lines).toHaveLength(2);
  });
});
