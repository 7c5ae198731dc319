import net from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { listModels } from '../../../electron/agent/providers/list-models.ts';
import { anthropicWire, completionsWire, streamed, WIRES } from '../../support/scripted-models/answers.ts';
import { ScriptedServer, type WireStep } from '../../support/scripted-models/scripted-server.ts';
import {
  assistant,
  collect,
  endpointAt,
  KEY,
  providerAt,
  QUICK_RETRY,
  requestOf,
  tool,
  user,
} from './support.ts';

const PRIVATE = 'the private words of a conversation that nobody else may read';

const servers: ScriptedServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});
async function serve(...steps: WireStep[]): Promise<ScriptedServer> {
  const server = await ScriptedServer.start(...steps);
  servers.push(server);
  return server;
}

describe.each(WIRES)('$kind', (wire) => {
  const refuse =
    (status: number, type: string, message: string, headers: Record<string, string> = {}): WireStep =>
    () => ({
      status,
      headers: { 'content-type': 'application/json', ...headers },
      body: wire.error(type, message),
    });
  const ask = async (server: ScriptedServer) =>
    collect(providerAt(wire, server.origin), requestOf([user(PRIVATE)]));

  test.each([
    [401, 'authentication_error', 'invalid x-api-key', 'key_refused', 'did not accept the key'],
    [403, 'permission_error', 'no access', 'key_refused', 'does not allow this key'],
    [402, 'billing_error', 'pay', 'quota', 'no credit or quota left'],
    [429, 'insufficient_quota', 'You exceeded your current quota', 'quota', 'no credit or quota left'],
    [400, 'invalid_request_error', 'Your credit balance is too low', 'quota', 'no credit or quota left'],
    [404, 'not_found_error', 'model: x', 'model_unknown', 'knows no model'],
    [
      400,
      'invalid_request_error',
      'tools are not supported',
      'request_refused',
      'It says: tools are not supported',
    ],
    [422, 'unprocessable', '', 'request_refused', 'refused the request (HTTP 422, unprocessable)'],
  ] as const)('HTTP %i %s (%s) is told as %s, and asked once', async (status, type, message, code, words) => {
    const server = await serve(refuse(status, type, message));
    const { error, events } = await ask(server);
    expect(error).toMatchObject({ code });
    expect(error?.message).toContain(words);
    expect(error?.message).toMatch(/ kept\. .*\.$/);
    expect(events).toEqual([]);
    expect(server.requests).toHaveLength(1);
  });

  test('a rate limit is waited for as long as the service asks, told, and then the answer comes', async () => {
    const server = await serve(
      refuse(429, 'rate_limit_error', 'slow down', { 'retry-after': '1' }),
      refuse(429, 'rate_limit_error', 'slow down', { 'retry-after-ms': '30' }),
      () => streamed(wire, { text: 'here' }),
    );
    const began = performance.now();
    const outcome = await ask(server);
    expect(performance.now() - began).toBeGreaterThanOrEqual(1030);
    expect(outcome).toMatchObject({ text: 'here', error: null, isDone: true });
    const retries = outcome.events.flatMap((event) => (event.type === 'retry' ? event : []));
    expect(retries.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(retries[0]?.waitMs).toBeGreaterThanOrEqual(1000);
    expect(retries[0]?.waitMs).toBeLessThanOrEqual(1250);
    expect(retries[0]?.message).toMatch(
      /^The service is asked too often just now\. Trying again in 1 s \(1 of 4\)\.$/,
    );
  });

  test('an overloaded service is asked a bounded number of times', async () => {
    const server = await serve(
      ...Array.from({ length: 9 }, () => refuse(529, 'overloaded_error', 'Overloaded')),
    );
    const { error, events } = await ask(server);
    expect(error).toMatchObject({ code: 'overloaded' });
    expect(events.filter(({ type }) => type === 'retry')).toHaveLength(4);
    expect(server.requests).toHaveLength(5);
  });

  test('a service that asks for a long wait is not waited for', async () => {
    const server = await serve(refuse(429, 'rate_limit_error', 'slow down', { 'retry-after': '900' }));
    const { error } = await ask(server);
    expect(error).toMatchObject({ code: 'rate_limited' });
    expect(error?.message).toContain('It asks to wait 15 min.');
    expect(server.requests).toHaveLength(1);
  });

  test('a stop ends the wait before a retry', async () => {
    const server = await serve(refuse(503, 'overloaded_error', 'busy', { 'retry-after': '50' }));
    const stop = new AbortController();
    const began = performance.now();
    const outcome = await collect(providerAt(wire, server.origin), requestOf([user('hi')]), stop.signal, () =>
      stop.abort(),
    );
    expect(outcome).toMatchObject({ error: null, isDone: false });
    expect(performance.now() - began).toBeLessThan(2_000);
    expect(server.requests).toHaveLength(1);
  });

  test('a connection that breaks before an answer is tried again', async () => {
    const server = await serve(
      () => ({ body: '', ending: 'cut' }),
      () => ({ body: '' }),
      () => streamed(wire, { text: 'here' }),
    );
    const outcome = await ask(server);
    expect(outcome).toMatchObject({ text: 'here', error: null, isDone: true });
    expect(server.requests).toHaveLength(3);
  });

  test('a conversation that is too long for the model is shortened once, and then told', async () => {
    const long = Array.from({ length: 12 }, (_, index) => [
      user(`question ${index} ${'x'.repeat(600)}`),
      assistant(`answer ${index}`, [
        { id: `call_${index}`, name: 'exec_command', input: { cmd: `step-${index}` } },
      ]),
      tool(`call_${index}`, 'exec_command', { status: 'completed', exit_code: 0, output: 'y'.repeat(600) }),
    ]).flat();
    const tooLong = refuse(
      400,
      'invalid_request_error',
      'prompt is too long: 250000 tokens > 200000 maximum',
    );
    const server = await serve(tooLong, () => streamed(wire, { text: 'here' }), tooLong, tooLong);
    const provider = providerAt(wire, server.origin);
    const live = { commands: [], wait: null, now: 0 };
    const outcome = await collect(provider, requestOf(long, { live }));
    expect(outcome).toMatchObject({ text: 'here', error: null });
    expect(outcome.events[0]).toMatchObject({ type: 'compacted' });
    expect(server.requests[0]?.text).not.toContain('about=\\"summary\\"');
    for (const part of [
      'about=\\"summary\\"',
      'question 0',
      'question 11',
      'step-11',
      'No command of this session',
    ])
      expect(server.requests[1]?.text).toContain(part);
    expect(server.requests[1]?.text.length).toBeLessThan(server.requests[0]?.text.length ?? 0);
    expect((await collect(provider, requestOf(long, { live }))).error).toMatchObject({
      code: 'context_too_long',
    });
    expect(server.requests).toHaveLength(4);
  });

  test('no key, header or request is ever in an error, whatever the service echoes', async () => {
    const echoes: WireStep[] = [
      ({ headers }) => refuse(400, 'bad_request', `headers were ${JSON.stringify(headers)}`)({} as never),
      ({ text }) => refuse(400, 'bad_request', `cannot read ${text.slice(0, 3_000)}`)({} as never),
      () => refuse(400, 'bad_request', `cannot read "${PRIVATE}"`)({} as never),
      () => refuse(401, 'invalid_api_key', `Incorrect API key provided: ${KEY}`)({} as never),
      () => refuse(400, KEY, `unknown token ${KEY.slice(0, -2)}`)({} as never),
      ({ text }) => ({ status: 400, body: `${KEY} ${text}` }),
      ({ text }) => ({ body: `data: ${KEY} ${text}\n\n` }),
    ];
    const server = await serve(
      ...echoes.map(
        (echo): WireStep =>
          (request) =>
            echo(request),
      ),
    );
    for (const _ of echoes) {
      const { error } = await ask(server);
      const told = `${error?.message} ${error?.stack} ${JSON.stringify(error)} ${String(error?.cause)}`;
      expect(error).not.toBeNull();
      for (const secret of [KEY, KEY.slice(0, -2), 'Bearer', 'private words', 'x-api-key'])
        expect(told).not.toContain(secret);
    }
  });

  test('an endpoint that is not there is told at once', async () => {
    const server = await ScriptedServer.start();
    const { origin } = server;
    await server.close();
    const { error, events } = await collect(providerAt(wire, origin), requestOf([user('hi')]));
    expect(events).toEqual([]);
    expect(error).toMatchObject({ code: 'unreachable' });
    expect(error?.message).toBe(
      `Nothing answers at ${origin.slice('http://'.length)}. The conversation is kept. Start the server, or check the address in Settings, and press Retry.`,
    );
  });

  test('a list of models, and what is wrong when there is none', async () => {
    const list = { data: [{ id: 'big', display_name: 'Big', max_model_len: 8192 }, { id: 'small' }] };
    const server = await serve(
      () => ({ body: JSON.stringify(list) }),
      refuse(401, 'authentication_error', `bad key ${KEY}`),
      () => ({ status: 404, body: 'no such page' }),
      () => ({ body: '<html>' }),
      () => ({ body: '{"data":', ending: 'hang' }),
    );
    const ask = () => listModels(endpointAt(wire, server.origin), KEY, { timeLimitMs: 300 });
    expect(await ask()).toEqual({
      ok: true,
      value: [
        { id: 'big', name: 'Big', contextTokens: 8192 },
        { id: 'small', name: 'small', contextTokens: null },
      ],
    });
    const [request] = server.requests;
    expect(request?.path).toMatch(/^\/v1\/models/);
    expect(
      wire.kind === 'anthropic' ? request?.headers['x-api-key'] : request?.headers.authorization,
    ).toContain(KEY);
    const errors = [await ask(), await ask(), await ask(), await ask()].map((it) =>
      it.ok ? null : it.error,
    );
    expect(errors.map((error) => error?.code)).toEqual([
      'key_refused',
      'model_unknown',
      'bad_answer',
      'unreachable',
    ]);
    expect(JSON.stringify(errors)).not.toContain(KEY);
    expect(errors[3]?.message).toContain('did not answer within');
  });
});

test('a host that does not exist is tried a few times; one that speaks no TLS is told', async () => {
  // As Node tells it; a real name would ask the machine's own network.
  const fetch = () =>
    Promise.reject(
      new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code: 'ENOTFOUND' }) }),
    );
  const gone = await collect(
    providerAt(completionsWire, 'http://nowhere.invalid', {}, { fetch }),
    requestOf([user('hi')]),
  );
  expect(gone.error).toMatchObject({ code: 'unreachable' });
  expect(gone.error?.message).toContain('The host nowhere.invalid was not found.');
  expect(gone.events.filter(({ type }) => type === 'retry')).toHaveLength(2);

  const plain = net.createServer((socket) => socket.end('no tls here\n'));
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
  const { port } = plain.address() as net.AddressInfo;
  const untrusted = await collect(
    providerAt(completionsWire, `https://127.0.0.1:${port}`),
    requestOf([user('hi')]),
  );
  plain.close();
  expect(untrusted.error).toMatchObject({ code: 'unreachable' });
  expect(untrusted.error?.message).toContain('No secure connection');
});

test('without a key nothing is sent, and a key that no header can carry is not in the error', async () => {
  const server = await serve();
  const ask = (key: string | null) =>
    collect(providerAt(anthropicWire, server.origin, {}, { keyOf: () => key }), requestOf([user('hi')]));
  expect((await ask(null)).error?.message).toBe(
    'There is no key for The service. Your message is kept. Add a key in Settings and press Retry.',
  );
  const { error } = await ask('sk-ü-secret');
  expect(error).toMatchObject({ code: 'key_refused' });
  expect(error?.message).not.toContain('secret');
  expect(server.requests).toHaveLength(0);
});

test('a key of the environment is never used', async () => {
  const server = await serve(() => streamed(completionsWire, { text: 'ok' }));
  process.env.OPENAI_API_KEY = 'sk-of-the-environment';
  try {
    await collect(
      providerAt(completionsWire, server.origin, {}, { keyOf: () => null, retry: QUICK_RETRY }),
      requestOf([user('hi')]),
    );
  } finally {
    delete process.env.OPENAI_API_KEY;
  }
  expect(JSON.stringify(server.requests[0]?.headers)).not.toContain('environment');
});
