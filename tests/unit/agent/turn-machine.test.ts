import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  nextTurn,
  TURN_BEGUN,
  type TurnEvent,
  type TurnState,
} from '../../../electron/agent/turn-machine.ts';
import { untilEnded } from '../../../electron/supervisor/wait-machine.ts';
import { DEFAULT_LIMITS } from '../../../shared/limits.ts';

const ID = 'c_aaaaaaaaaaaaaaaa';
const OTHER = 'c_bbbbbbbbbbbbbbbb';
const CALL = { id: 'call', name: 'write_stdin', input: {} };
const nothing = { fired: null, waitFor: null, polledJob: null };

const play = (events: TurnEvent[], from: TurnState = TURN_BEGUN) =>
  events.reduce((state, event) => nextTurn(state, event, DEFAULT_LIMITS), from);
const step = (change: Partial<Extract<TurnEvent, { type: 'called' }>['step']>): TurnEvent[] => [
  { type: 'answered', calls: [CALL] },
  { type: 'called', step: { ...nothing, ...change } },
];
const refused: TurnEvent = { type: 'suspend_refused', hasMoved: false };

describe('a turn', () => {
  test('requests and calls by turns, and finishes when nothing more is asked', () => {
    expect(play([{ type: 'answered', calls: [CALL] }]).phase).toEqual({ kind: 'calling', calls: [CALL] });
    expect(play(step({})).phase.kind).toBe('requesting');
    expect(play([...step({}), { type: 'answered', calls: [] }]).phase.kind).toBe('finishing');
    expect(play([{ type: 'answered', calls: [] }, { type: 'news' }]).phase.kind).toBe('requesting');
    expect(play([{ type: 'answered', calls: [] }, { type: 'finished' }]).phase.kind).toBe('ended');
  });

  test('sleeps by what the agent asked for first, and by the guard only if that is refused', () => {
    const wish = untilEnded([OTHER]);
    const both = play(step({ fired: ID, waitFor: wish }));
    expect(both.phase).toMatchObject({ kind: 'suspending', wishes: [wish, untilEnded([ID])], fired: ID });
    expect(play([refused], both).phase).toMatchObject({ kind: 'suspending', wishes: [untilEnded([ID])] });
    expect(play([{ type: 'suspended' }], both).phase.kind).toBe('ended');
  });

  test('the third poll of a background command in a row sleeps; other work or another command begins anew', () => {
    const poll = step({ polledJob: ID });
    expect(play([...poll, ...poll]).phase.kind).toBe('requesting');
    expect(play([...poll, ...poll, ...poll]).phase).toMatchObject({ wishes: [untilEnded([ID])] });
    expect(play([...poll, ...poll, ...step({}), ...poll]).phase.kind).toBe('requesting');
    expect(play([...poll, ...poll, ...step({ polledJob: OTHER }), ...poll]).phase.kind).toBe('requesting');
  });

  test('a refused handoff costs a diagnostic packet, unless something has moved; the fourth time the turn gives up', () => {
    let state = TURN_BEGUN;
    for (const left of [2, 1, 0]) {
      state = play([...step({ fired: ID }), refused], state);
      expect(state.phase).toEqual({ kind: 'diagnosing', commandId: ID, packetsLeft: left });
      state = play([{ type: 'diagnosed' }], state);
      const moved = play([...step({ fired: ID }), { type: 'suspend_refused', hasMoved: true }], state);
      expect(moved.phase.kind).toBe('requesting');
    }
    expect(play([...step({ fired: ID }), refused], state).phase.kind).toBe('giving_up');
  });

  test('whatever comes: the end is final, packets stay within the budget, and what sleeps has a wish', () => {
    const outcome = fc.record({
      fired: fc.constantFrom(null, ID, OTHER),
      waitFor: fc.constantFrom(null, untilEnded([ID])),
      polledJob: fc.constantFrom(null, ID, OTHER),
    });
    const event: fc.Arbitrary<TurnEvent> = fc.oneof(
      fc.record({ type: fc.constant('answered' as const), calls: fc.constantFrom([], [CALL]) }),
      fc.record({ type: fc.constant('called' as const), step: outcome }),
      fc.record({ type: fc.constant('suspend_refused' as const), hasMoved: fc.boolean() }),
      fc.constantFrom<TurnEvent>(
        { type: 'suspended' },
        { type: 'diagnosed' },
        { type: 'news' },
        { type: 'finished' },
        { type: 'stopped' },
      ),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        let state = TURN_BEGUN;
        for (const one of events) {
          const next = nextTurn(state, one, DEFAULT_LIMITS);
          if (state.phase.kind === 'ended') expect(next).toBe(state);
          if (next.phase.kind === 'suspending') expect(next.phase.wishes.length).toBeGreaterThan(0);
          if (next.phase.kind === 'diagnosing') expect(next.phase.packetsLeft).toBeGreaterThanOrEqual(0);
          state = next;
        }
      }),
    );
  });
});
