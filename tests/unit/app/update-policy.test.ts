import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  exitStep,
  failureSentence,
  mayCheck,
  nextUpdateState,
  type UpdateEvent,
} from '../../../electron/app/update-policy.ts';
import { readyNotice, updateInWords } from '../../../renderer/features/updates/update-words.ts';
import type { UpdateState } from '../../../shared/model/update.ts';

const IDLE: UpdateState = { kind: 'idle', checkedAt: null };
const READY: UpdateState = { kind: 'ready', version: '0.1.1', isOnQuit: true };
const begun = (isAsked: boolean): UpdateEvent => ({ type: 'check_begun', isAsked });
const DOWNLOADED: UpdateEvent = { type: 'downloaded', version: '0.1.1', isOnQuit: true };
const FAILED: UpdateEvent = { type: 'failed', message: 'why' };

const stateAfter = (...events: UpdateEvent[]) => events.reduce(nextUpdateState, IDLE);

describe('the state of updates', () => {
  it('goes from a check to a version that is ready', () => {
    expect(stateAfter(begun(false), { type: 'download_begun', version: '0.1.1' }, DOWNLOADED)).toEqual(READY);
    expect(stateAfter(begun(true), { type: 'nothing_newer', at: 7 })).toEqual({ kind: 'idle', checkedAt: 7 });
  });

  it('tells a failure only to somebody who asked, also while it was under way', () => {
    expect(stateAfter(begun(false), FAILED)).toEqual(IDLE);
    expect(stateAfter(begun(true), FAILED)).toEqual({ kind: 'failed', message: 'why' });
    expect(stateAfter(begun(false), begun(true), FAILED)).toEqual({ kind: 'failed', message: 'why' });
    const late = stateAfter(begun(true), { type: 'download_begun', version: '0.1.1' }, begun(false), FAILED);
    expect(late).toEqual({ kind: 'failed', message: 'why' });
  });

  it('keeps a version that is ready as it was verified, unless its channel is not wanted any more', () => {
    for (const event of [begun(true), FAILED, { type: 'nothing_newer', at: 1 }] as const)
      expect(nextUpdateState(READY, event)).toBe(READY);
    expect(mayCheck(READY)).toBe(false);
    expect(nextUpdateState(READY, { type: 'channel_changed' })).toEqual(IDLE);
  });

  it('is ready only by a download that was found by a check, whatever comes in whatever order', () => {
    const event = fc.constantFrom<UpdateEvent>(
      begun(false),
      begun(true),
      { type: 'nothing_newer', at: 1 },
      { type: 'download_begun', version: '0.1.1' },
      { type: 'download_begun', version: '0.1.2' },
      DOWNLOADED,
      FAILED,
      { type: 'channel_changed' },
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 12 }), (events) => {
        let state: UpdateState = IDLE;
        for (const each of events) {
          const before = state;
          state = nextUpdateState(before, each);
          if (state.kind !== 'ready' || before.kind === 'ready') continue;
          expect(before).toMatchObject({ kind: 'downloading', version: state.version });
          expect(each.type).toBe('downloaded');
        }
      }),
    );
  });

  it('of a copy that cannot update itself stays what it is', () => {
    const none: UpdateState = { kind: 'unavailable', reason: 'This build has no update feed.' };
    expect(nextUpdateState(none, begun(true))).toBe(none);
    expect(mayCheck(none)).toBe(false);
  });
});

describe('the end of the app', () => {
  it.each([
    [IDLE, { isForced: false, restarts: false }, 'quit'],
    [IDLE, { isForced: false, restarts: true }, 'quit'],
    [READY, { isForced: false, restarts: false }, 'install'],
    [READY, { isForced: false, restarts: true }, 'install_and_run'],
    [READY, { isForced: true, restarts: false }, 'quit'],
    [READY, { isForced: true, restarts: true }, 'quit'],
    [{ ...READY, isOnQuit: false }, { isForced: false, restarts: false }, 'quit'],
    [{ ...READY, isOnQuit: false }, { isForced: false, restarts: true }, 'install_and_run'],
  ] as const)('with %j, %j: %s', (state, leaving, step) => {
    expect(exitStep(state, leaving)).toBe(step);
  });
});

describe('the words', () => {
  it('promise that commands run on only if they do', () => {
    expect(readyNotice(READY, 'ask')).toBe('Version 0.1.1 is installed when you quit. Commands run on.');
    expect(readyNotice(READY, 'stop')).toBe('Version 0.1.1 is installed when you quit.');
    expect(updateInWords({ ...READY, isOnQuit: false })).toContain('password');
  });

  it.each([
    [{ code: 'ERR_CHECKSUM_MISMATCH', message: 'x' }, 'thrown away'],
    [{ message: 'net::ERR_CONNECTION_REFUSED' }, 'cannot be reached'],
    [{ code: 'ERR_UPDATER_CHANNEL_FILE_NOT_FOUND', message: 'HttpError: 404' }, 'no versions'],
    [{ message: 'first line\nsecond' }, 'first line'],
  ])('of %j', (error, words) => {
    const sentence = failureSentence(error);
    expect(sentence).toContain(words);
    expect(sentence).not.toContain('\n');
  });
});
