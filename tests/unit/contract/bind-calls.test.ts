import { beforeEach, describe, expect, it } from 'vitest';
import { bindCalls, type Handlers } from '../../../electron/ipc/bind-calls.ts';
import { StoreError } from '../../../electron/store/store-error.ts';
import {
  type CallError,
  type CallName,
  CHANNELS,
  calls,
  SIZE_CLASSES,
} from '../../../shared/contract/calls.ts';
import { err, ok, type Result } from '../../../shared/model/result.ts';
import { VALID_INPUTS } from './valid-inputs.ts';

interface FakeEvent {
  readonly sender: { readonly name: string };
  readonly isOurs: boolean;
}
type Answer = Result<unknown, CallError>;
type Work = (input: unknown, sender: { readonly name: string }) => Promise<Answer> | Answer;

const NAMES = Object.keys(calls) as CallName[];
const ours: FakeEvent = { sender: { name: 'page' }, isOurs: true };

let reached: { name: string; input: unknown; sender: unknown }[];
let lines: string[];
let work: Work;
let channel: string;
let listener: (event: FakeEvent, ...args: unknown[]) => unknown;

beforeEach(() => {
  reached = [];
  lines = [];
  work = () => ok(null);
  const handlers = Object.fromEntries(
    NAMES.map((name) => [
      name,
      (input: unknown, sender: { readonly name: string }) => {
        reached.push({ name, input, sender });
        return work(input, sender);
      },
    ]),
  ) as unknown as Handlers<{ readonly name: string }>;
  bindCalls({
    ipc: {
      handle: (name, bound) => {
        channel = name;
        listener = bound;
      },
    },
    handlers,
    isTrusted: (event: FakeEvent) => event.isOurs,
    log: (line) => lines.push(line),
  });
});

const call = async (name: unknown, input: unknown, event = ours): Promise<Answer> =>
  (await listener(event, name, input)) as Answer;

async function expectRefusal(name: unknown, input: unknown, code: string, message: RegExp): Promise<void> {
  const answer = await call(name, input);
  expect(answer).toEqual({ ok: false, error: { code, message: expect.stringMatching(message) } });
  expect(reached).toEqual([]);
}

describe.each(NAMES)('%s', (name) => {
  const valid = VALID_INPUTS[name] as Record<string, unknown>;
  const parameters = Object.keys(valid);

  it('reaches its handler with what it asked for', async () => {
    work = () => ok('done');
    expect(await call(name, valid)).toEqual({ ok: true, value: 'done' });
    expect(reached).toEqual([{ name, input: valid, sender: ours.sender }]);
  });

  it('is refused to anyone but our page', async () => {
    const answer = await call(name, valid, { ...ours, isOurs: false });
    expect(answer).toMatchObject({ ok: false, error: { code: 'forbidden' } });
    expect(reached).toEqual([]);
    expect(lines).toHaveLength(1);
  });

  it('refuses a parameter that it does not know, by name', async () => {
    await expectRefusal(name, { ...valid, surplus: 1 }, 'invalid_input', /^surplus: no such parameter$/);
  });

  it('refuses wrong types, by name', async () => {
    for (const parameter of parameters) {
      for (const wrong of [null, true, 1.5, ['x'], { x: 1 }]) {
        if (typeof (valid as Record<string, unknown>)[parameter] === 'boolean' && wrong === true) continue;
        const input = { ...valid, [parameter]: wrong };
        await expectRefusal(name, input, 'invalid_input', new RegExp(`^${parameter}(\\.\\w+)*: `));
      }
    }
  });

  it('refuses what is no object of parameters', async () => {
    const cycle: Record<string, unknown> = { ...valid };
    cycle.self = cycle;
    for (const wrong of [undefined, null, 'text', 7, [], [valid], 10n, cycle, () => valid]) {
      await expectRefusal(name, wrong, 'invalid_input', /^input: /);
    }
  });

  it('refuses what is larger than its size class, before its schema is asked', async () => {
    const padding = 'x'.repeat(SIZE_CLASSES[calls[name].size]);
    await expectRefusal(name, { ...valid, surplus: padding }, 'too_large', /^input: \d+ bytes/);
    for (const parameter of parameters) {
      await expectRefusal(name, { ...valid, [parameter]: padding }, 'too_large', /^input: /);
    }
  });
});

describe('the channel', () => {
  it('is one for the whole table', () => {
    expect(channel).toBe(CHANNELS.call);
  });

  it('refuses names that are not in the table', async () => {
    for (const name of ['nothing', 'toString', '__proto__', '', null, 7, {}]) {
      await expectRefusal(name, {}, 'invalid_input', /^name: no such call$/);
    }
  });

  it('counts bytes of UTF-8, not characters', async () => {
    const text = '€'.repeat(SIZE_CLASSES.message / 3);
    const input = { ...VALID_INPUTS['session.send'], text };
    await expectRefusal('session.send', input, 'too_large', /bytes/);
  });

  it('gives a handler the parsed input: what was measured, trimmed as the schema says', async () => {
    const input = new Map(Object.entries({ sessionId: 'x' })) as unknown;
    expect(await call('commands.stopAll', input)).toMatchObject({ ok: true });
    await call('session.rename', { ...VALID_INPUTS['session.rename'], title: '  Title ' });
    expect(reached.map((one) => one.input)).toEqual([{}, VALID_INPUTS['session.rename']]);
  });

  it('names a missing parameter', async () => {
    await expectRefusal('session.stopTurn', {}, 'invalid_input', /^sessionId: missing$/);
  });

  it('passes on the failures that a handler gives', async () => {
    const failure = { code: 'unknown_session', message: 'There is no such chat.' } as const;
    work = () => err(failure);
    expect(await call('session.stopTurn', VALID_INPUTS['session.stopTurn'])).toEqual({
      ok: false,
      error: failure,
    });
  });

  it.each([
    ['throws', () => { throw new Error('secret /home/someone'); }],
    ['rejects', async () => { throw new TypeError('secret /home/someone'); }],
    ['throws what is no error', () => { throw { secret: true }; }],
  ] as [string, Work][])('answers a handler that %s without what it said, and logs it', async (_, fails) => {
    work = fails;
    const answer = await call('commands.stopAll', {});
    expect(answer).toMatchObject({ ok: false, error: { code: 'internal' } });
    expect(JSON.stringify(answer)).not.toMatch(/secret|home|\bat /);
    expect(lines).toEqual([expect.stringMatching(/^commands\.stopAll failed: /)]);
  }); // biome-ignore format: a table

  it('answers a failure of the store with its sentence', async () => {
    work = () => {
      throw new StoreError('failed', 'The disk is full.');
    };
    expect(await call('commands.stopAll', {})).toEqual({
      ok: false,
      error: { code: 'store_failed', message: 'The disk is full.' },
    });
  });
});
