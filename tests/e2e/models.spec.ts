import fs from 'node:fs';
import path from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page, test } from '@playwright/test';
import { type Gate, makeGate } from '../support/gate.ts';
import { type LaunchedApp, launchApp } from '../support/launch-app.ts';
import {
  anthropicWire,
  completionsWire,
  type ModelAnswer,
  streamed,
  type Wire,
} from '../support/scripted-models/answers.ts';
import {
  ScriptedServer,
  type WireAnswer,
  type WireRequest,
} from '../support/scripted-models/scripted-server.ts';
import { card, findCommand, regions, SHORT_LIMITS, send, snapshot } from '../support/window.ts';

const KEY = 'sk-test-Zq7pXw3vKf9tRb2mYc5n';
const WRONG_KEY = 'sk-test-wrong-8Hd4';
/** Long enough for six looks at a quiet command under the short limits, on a busy machine. */
const HANDOFF_MS = 30_000;
/** Where pictures are left for people; none are taken without it. */
const PICTURES = process.env.SWITCHYARD_PICTURES;

interface Service {
  readonly wire: Wire;
  /** As the settings name it. */
  readonly service: string;
  readonly name: string;
  readonly model: string;
  readonly cost: RegExp;
}

const SERVICES: readonly Service[] = [
  {
    wire: anthropicWire,
    service: 'Anthropic',
    name: 'Claude',
    model: 'claude-sonnet-4-5',
    cost: /^4 requests · 9\.6k in · 6\.4k cached · 480 out · \$0\.0\d$/,
  },
  {
    wire: completionsWire,
    service: 'OpenAI-compatible',
    name: 'Local model',
    model: 'llama-test',
    cost: /^4 requests · 9\.6k in · 6\.4k cached · 480 out · price not known$/,
  },
];
const USAGE = { input: 2_400, cached: 1_600, output: 120 };

/** `hangs`: the stream stands still before its end. */
type Answer = ModelAnswer & { readonly hangs?: boolean };

/** A service that takes one key only, lists one model, and answers by a script. */
class Endpoint {
  readonly #steps: ((request: WireRequest) => Answer)[] = [];
  readonly #wire: Wire;
  readonly #model: string;
  #server: ScriptedServer | null = null;
  /** Requests for an answer that had the right key. */
  asked = 0;

  constructor({ wire, model }: Service) {
    this.#wire = wire;
    this.#model = model;
  }

  async start(): Promise<void> {
    const answer = (request: WireRequest) => this.#answer(request);
    this.#server = await ScriptedServer.start(...Array.from({ length: 60 }, () => answer));
  }

  get address(): string {
    return `${this.#server?.origin}/v1`;
  }

  say(...answers: (Answer | ((request: WireRequest) => Answer))[]): void {
    for (const answer of answers) this.#steps.push(typeof answer === 'function' ? answer : () => answer);
  }

  /** Answers that the app did not wait for. */
  get abandoned(): number {
    return this.#server?.abandoned ?? 0;
  }

  close(): Promise<void> {
    return this.#server?.close() ?? Promise.resolve();
  }

  #answer(request: WireRequest): WireAnswer {
    const given = request.headers['x-api-key'] ?? request.headers.authorization?.replace('Bearer ', '');
    const json = { 'content-type': 'application/json' };
    if (given !== KEY)
      return {
        status: 401,
        headers: json,
        body: this.#wire.error('authentication_error', `invalid ${given}`),
      };
    if (request.method === 'GET') {
      const data = [{ id: this.#model, display_name: 'The model', type: 'model', object: 'model' }];
      return { headers: json, body: JSON.stringify({ data }) };
    }
    const step = this.#steps[this.asked++];
    const answer: Answer = { usage: USAGE, ...(step ? step(request) : { text: 'not in the script' }) };
    // Finish, usage and end mark are what a stream ends with.
    if (answer.hangs) return { body: this.#wire.events(answer).slice(0, -3).join(''), ending: 'hang' };
    return streamed(this.#wire, answer);
  }
}

/** Runs a test on an app and a service of its own, with a closed gate, and leaves nothing behind. */
async function withModel(
  service: Service,
  play: (it: LaunchedApp, endpoint: Endpoint, gate: Gate) => Promise<void>,
): Promise<void> {
  const gate = makeGate();
  const endpoint = new Endpoint(service);
  await endpoint.start();
  const it = await launchApp({ settings: { theme: 'dark', approvals: 'free', limits: SHORT_LIMITS } });
  try {
    await play(it, endpoint, gate);
    expect(it.errors, 'nothing was written to the console as an error').toEqual([]);
  } finally {
    gate.open();
    await it.close();
    await endpoint.close();
    gate.release();
  }
}

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Settings' });

/** Sets a model up as a person does. Leaves the settings open. */
async function addModel(page: Page, service: Service, address: string, key: string): Promise<void> {
  await page.getByRole('button', { name: 'Settings' }).click();
  await dialog(page).getByRole('button', { name: 'Add a model' }).click();
  const form = dialog(page).getByRole('form', { name: 'New model' });
  await form.getByLabel('Service').selectOption(service.service);
  await form.getByLabel('Name').fill(service.name);
  await form.getByLabel('Address').fill(address);
  await form.getByLabel('Key', { exact: true }).fill(key);
  await form.getByLabel('Model').fill(service.model);
}

async function chooseAgent(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /^Agent: / }).click();
  await page.getByRole('menuitemradio', { name }).click();
  await expect(page.getByRole('button', { name: `Agent: ${name}` })).toBeVisible();
}

/** Leaves a picture in both themes. */
async function picture(page: Page, name: string): Promise<void> {
  if (!PICTURES) return;
  for (const theme of ['light', 'dark'] as const) {
    await page.evaluate((wanted) => window.switchyard.invoke('settings.setTheme', { theme: wanted }), theme);
    await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
    await page.screenshot({ path: path.join(PICTURES, `${name}-${theme}.png`) });
  }
}

/** The files of a folder that hold a text, by their names in it. */
function filesWith(folder: string, text: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => fs.readFileSync(file).includes(text))
    .map((file) => path.relative(folder, file));
}

const handleOf = (wire: Wire, request: WireRequest): string =>
  wire.results(request.body ?? {}).findLast((result) => 'session_id' in result)?.session_id as string;

const isEnv = ({ cmd }: { cmd: string }) => cmd === 'env';

for (const service of SERVICES) {
  const { wire, name } = service;
  test(`the main job with ${service.service}: handoff, talk while waiting, one wake, exit 7, no request asleep`, async () => {
    await withModel(service, async ({ page, userData, mainOutput }, endpoint, gate) => {
      const { chat } = regions(page);
      await addModel(page, service, endpoint.address, KEY);
      const form = dialog(page).getByRole('form', { name: 'New model' });
      await expect(form.getByText('A key is kept until Switchyard ends')).toBeVisible();
      await form.getByRole('checkbox', { name: /readable in keys\.json/ }).check();
      await form.getByRole('button', { name: 'Test' }).click();
      await expect(form.getByRole('status')).toHaveText(`${name} answered: 1 model to choose from.`);
      await picture(page, `settings-form-${wire.kind}`);
      await form.getByRole('button', { name: 'Save' }).click();
      await expect(dialog(page).getByText(/Key readable in keys\.json\.$/)).toBeVisible();
      await page.keyboard.press('Escape');
      await expect(dialog(page)).toHaveCount(0);
      await expect(page.getByRole('button', { name: 'Settings' })).toBeFocused();
      await chooseAgent(page, name);

      // The main job, by a model that polls a quiet command.
      const cmd = `echo live-$((40+2)); ${gate.loop}; printf background-finished; exit 7`;
      endpoint.say(
        {
          reasoning: 'It may take long, so I look now and then.',
          text: 'I run it.',
          calls: [{ id: 'call_run', name: 'exec_command', input: { cmd, yield_time_ms: 250 } }],
        },
        (request) => ({
          calls: Array.from({ length: 9 }, (_, index) => ({
            id: `call_poll_${index}`,
            name: 'write_stdin',
            input: { session_id: handleOf(wire, request), yield_time_ms: 250 },
          })),
        }),
      );
      await send(page, 'run the job');
      const banner = chat.getByRole('status').filter({ hasText: /^Suspended\./ });
      await expect(banner).toBeVisible({ timeout: HANDOFF_MS });
      await expect(card(page, /^Command: echo live-/).getByText('In background')).toBeVisible();
      expect(endpoint.asked).toBe(2);
      await chat.getByRole('button', { name: 'Thought before this' }).click();
      await expect(chat.getByText('It may take long')).toBeVisible();
      await picture(page, `chat-asleep-${wire.kind}`);

      // Asleep nothing is asked; a person is answered, and the wait stays armed.
      await page.waitForTimeout(1_500);
      expect(endpoint.asked).toBe(2);
      const isJob = (command: { cmd: string }) => command.cmd === cmd;
      const asleep = await findCommand(page, isJob);
      endpoint.say({ text: 'We can talk meanwhile.' });
      await send(page, 'Are you there?');
      await expect(chat.getByText('We can talk meanwhile.')).toBeVisible();
      await expect(banner).toBeVisible();
      expect(endpoint.asked).toBe(3);
      expect((await findCommand(page, isJob)).session.wait).toEqual(asleep.session.wait);

      // The end wakes it once.
      endpoint.say({ text: 'The job exited with 7.' });
      gate.open();
      await expect(chat.getByText('The job exited with 7.')).toBeVisible();
      await expect(chat.getByText(/^Resumed: /)).toHaveCount(1);
      await expect(card(page, /^Command: echo live-/).getByText('Exited 7')).toBeVisible();
      await page.waitForTimeout(1_500);
      expect(endpoint.asked).toBe(4);
      const woken = await findCommand(page, isJob);
      expect(woken.command.exitCode).toBe(7);
      expect(woken.session).toMatchObject({ status: 'idle', wait: null, requests: 4 });
      const spent = chat.getByText(/^4 requests/);
      await expect(spent).toHaveText(service.cost);
      await expect(spent).toHaveAttribute(
        'title',
        /^run the job: 2 requests .*\nAre you there\?: 1 request .*\nAfter the wake: 1 request /,
      );
      await picture(page, `chat-woken-${wire.kind}`);

      // Chosen to be readable, the key is in keys.json and nowhere else.
      endpoint.say(
        { calls: [{ id: 'call_env', name: 'exec_command', input: { cmd: 'env' } }] },
        { text: 'Seen.' },
      );
      await send(page, 'show the environment');
      await expect(chat.getByText('Seen.')).toBeVisible();
      const { command } = await findCommand(page, isEnv);
      const log = path.join(userData, 'host/commands', command.id, 'output.log');
      expect(fs.readFileSync(log, 'utf8')).toMatch(/^PATH=/m);
      expect(filesWith(userData, KEY)).toEqual(['keys.json']);
      expect(fs.statSync(path.join(userData, 'keys.json')).mode & 0o777).toBe(0o600);
      expect(mainOutput()).not.toContain(KEY);
      expect(JSON.stringify(await snapshot(page))).not.toContain(KEY);
      expect(await page.content()).not.toContain(KEY);
    });
  });
}

const [CLAUDE, LOCAL] = SERVICES as readonly [Service, Service];

test('a wrong key is told, kept nowhere, and Retry goes on after the right one', async () => {
  await withModel(CLAUDE, async ({ page, userData, mainOutput, app }, endpoint) => {
    const { chat } = regions(page);
    await addModel(page, CLAUDE, endpoint.address, WRONG_KEY);
    const form = dialog(page).getByRole('form', { name: 'New model' });
    await form.getByRole('button', { name: 'Test' }).click();
    await expect(form.getByRole('alert')).toHaveText(/^Claude did not accept the key\./);
    await form.getByRole('button', { name: 'Save' }).click();
    await expect(dialog(page).getByText(/Key kept until Switchyard ends\.$/)).toBeVisible();
    await page.keyboard.press('Escape');
    await chooseAgent(page, 'Claude');

    await send(page, 'hello');
    const failure = chat.getByRole('note', { name: 'The turn broke off' });
    await expect(failure).toContainText('Claude did not accept the key. The conversation is kept.');
    await picture(page, 'chat-key-refused');
    await failure.getByRole('button', { name: 'Enter key' }).click();
    const known = dialog(page).getByRole('form', { name: 'Model Claude' });
    const key = known.getByLabel('Key', { exact: true });
    await expect(key).toBeFocused();
    await expect(key).toHaveValue('');
    await key.fill(KEY);
    await known.getByRole('button', { name: 'Save' }).click();
    await expect(known).toHaveCount(0);
    await page.keyboard.press('Escape');

    endpoint.say(
      { calls: [{ id: 'call_env', name: 'exec_command', input: { cmd: 'env' } }] },
      { text: 'Hello to you.' },
    );
    await failure.getByRole('button', { name: 'Retry' }).click();
    await expect(chat.getByText('Hello to you.')).toBeVisible();
    await expect(chat.getByRole('log').getByText('hello', { exact: true })).toHaveCount(1);
    await expect(failure.getByRole('button')).toHaveCount(0);
    expect(endpoint.asked).toBe(2);

    // In memory: in no file, no log, no command's environment, and not in that of the processes.
    const { command } = await findCommand(page, isEnv);
    const log = fs.readFileSync(path.join(userData, 'host/commands', command.id, 'output.log'), 'utf8');
    expect(log).toMatch(/^PATH=/m);
    for (const secret of [KEY, WRONG_KEY]) {
      expect(filesWith(userData, secret)).toEqual([]);
      expect(mainOutput()).not.toContain(secret);
      expect(JSON.stringify(await snapshot(page))).not.toContain(secret);
      expect(await page.content()).not.toContain(secret);
      expect(
        await app.evaluate(({ app: _app }) => JSON.stringify([process.env, process.argv])),
      ).not.toContain(secret);
    }
  });
});

test('a session whose model was removed says so and takes another; Stop ends an answer in the middle', async () => {
  await withModel(LOCAL, async ({ page, userData }, endpoint) => {
    const { chat } = regions(page);
    await addModel(page, LOCAL, endpoint.address, KEY);
    const form = dialog(page).getByRole('form', { name: 'New model' });
    await form.getByRole('checkbox', { name: /readable in keys\.json/ }).check();
    await form.getByRole('button', { name: 'Save' }).click();
    await expect(form).toHaveCount(0);

    // A limit is changed with its reason beside it, and found by a search.
    await dialog(page).getByRole('searchbox', { name: 'Search settings' }).fill('quiet');
    await expect(dialog(page).getByText('Another model')).toHaveCount(0);
    const quiet = dialog(page).getByLabel('Hand a quiet command off after');
    await expect(quiet).toHaveValue('0.6');
    await quiet.fill('0');
    await expect(dialog(page).getByText('From 0.1 to 86,400 s.')).toBeVisible();
    await quiet.fill('45');
    await quiet.press('Enter');
    await expect.poll(async () => (await snapshot(page)).settings.limits.quietAfterMs).toBe(45_000);
    await dialog(page).getByRole('searchbox', { name: 'Search settings' }).fill('');
    await dialog(page).getByText('Output kept per command').scrollIntoViewIfNeeded();
    await picture(page, 'settings-limits');
    await dialog(page).getByRole('button', { name: 'Add a model' }).click();
    const flaws = await new AxeBuilder({ page }).setLegacyMode(true).include('dialog').analyze();
    expect(flaws.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await page.keyboard.press('Escape');
    await chooseAgent(page, 'Local model');

    endpoint.say({ text: 'A long answer, and', hangs: true });
    await send(page, 'hello');
    await expect(chat.getByText('A long answer, and')).toBeVisible();
    await chat.getByRole('button', { name: 'Stop turn' }).click();
    await expect(chat.getByText(/^You stopped this turn\./)).toBeVisible();
    await expect(chat.getByText('A long answer, and')).toBeVisible();
    await expect.poll(() => endpoint.abandoned).toBe(1);

    await page.keyboard.press('Control+,');
    await dialog(page).getByRole('button', { name: 'Remove Local model' }).click();
    await dialog(page).getByRole('button', { name: 'Remove it and its key' }).click();
    await expect(dialog(page).getByText('Local model')).toHaveCount(0);
    await page.keyboard.press('Escape');
    expect(filesWith(userData, KEY)).toEqual([]);
    await expect(
      chat.getByRole('status').filter({ hasText: 'The agent of this session was removed.' }),
    ).toBeVisible();
    await picture(page, 'chat-agent-removed');
    await chat.getByRole('button', { name: 'Use Built-in agent' }).click();
    await expect(page.getByRole('button', { name: 'Agent: Built-in agent' })).toBeVisible();
    await send(page, 'echo back-$((6*7))');
    await expect(chat.getByRole('log').getByText('echo back-$((6*7)) exited 0')).toBeVisible();
  });
});
