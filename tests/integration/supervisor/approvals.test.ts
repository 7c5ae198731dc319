import fs from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { ApprovalMode } from '../../../shared/model/approval-mode.ts';
import type { Message } from '../../../shared/model/message.ts';
import { ScriptedProvider, type ScriptStep, type Supervised, supervise } from '../../support/supervised.ts';

const running: Supervised[] = [];

afterEach(async () => {
  for (const it of running.splice(0)) await it.close();
});

async function start(
  provider: ScriptedProvider,
  mode: ApprovalMode | (() => ApprovalMode) = 'rules',
  folder?: string,
): Promise<Supervised> {
  const it = await supervise(provider, {}, folder, mode);
  running.push(it);
  return it;
}

const exec =
  (...cmds: string[]): ScriptStep =>
  () => ({ calls: cmds.map((cmd) => ['exec_command', { cmd }]) });
const say: ScriptStep = () => ({ text: 'done' });

/** What is still asked, once as many as that are. */
const asked = (it: Supervised, count: number) =>
  it.until(`${count} questions`, () => {
    const open = it.session.view.approvals.filter(({ answer }) => answer === null);
    return open.length === count ? open : undefined;
  });
const atRest = (it: Supervised) =>
  it.until('the end of the turn', () => (it.session.turn ? undefined : it.session.view));
const answer = async (it: Supervised, index: number, how: Parameters<typeof it.approvals.answer>[2]) => {
  const open = it.session.view.approvals.filter((one) => one.answer === null);
  return it.approvals.answer(it.session, open[index]?.toolCallId ?? '', how);
};
const errorsOf = (results: readonly Record<string, unknown>[]) =>
  results.map((result) => (result.error as { code: string; message: string } | undefined) ?? null);
const touched = (it: Supervised, name: string) => fs.existsSync(path.join(it.host.folder, name));

test('a command that no rule covers waits without a request, and a refusal reaches the model with its reason', async () => {
  let seen: readonly Message[] = [];
  const provider = new ScriptedProvider(exec('touch made'), ({ messages }) => {
    seen = messages;
    return { text: 'as you wish' };
  });
  const it = await start(provider);
  await it.app.send(it.session, 'make it');
  const [approval] = await asked(it, 1);
  expect(approval).toMatchObject({
    cmd: 'touch made',
    cwd: it.host.folder,
    mode: 'rules',
    marks: [],
    suggestion: [{ words: ['touch', 'made'], isExact: true }],
  });
  expect(it.session.view.status).toBe('running');
  expect(it.events.filter((event) => event.type === 'approval.requested')).toHaveLength(1);
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect(provider.requests).toBe(1);
  expect(it.app.commands.views()).toEqual([]);

  expect(await answer(it, 0, { kind: 'refuse', reason: 'not in this folder' })).toBe(true);
  await atRest(it);
  expect(seen.at(-1)).toMatchObject({ role: 'tool', isError: true });
  const [error] = errorsOf(await it.results());
  expect(error).toMatchObject({ code: 'awaiting_approval_denied' });
  expect(error?.message).toContain('not in this folder');
  expect(touched(it, 'made')).toBe(false);
  expect(it.session.view.approvals).toEqual([]);
  expect(it.events.filter((event) => event.type === 'approval.settled')).toHaveLength(1);
  // An answer that comes too late changes nothing.
  expect(await it.approvals.answer(it.session, approval?.toolCallId ?? '', { kind: 'once' })).toBe(false);
});

test('"always" saves a rule, and the next command of the kind is not asked for; without the rule it is', async () => {
  const provider = new ScriptedProvider(
    exec('git status --short'),
    exec('git status', 'git status; touch made'),
    say,
    exec('git status'),
    say,
  );
  const it = await start(provider);
  await it.app.send(it.session, 'go');
  await asked(it, 1);
  await answer(it, 0, { kind: 'always' });
  // Only what the rule does not cover is asked for.
  const [second] = await asked(it, 1);
  expect(second?.cmd).toBe('git status; touch made');
  await answer(it, 0, { kind: 'refuse', reason: '' });
  await atRest(it);
  const results = await it.results();
  expect(results[0]).toHaveProperty('exit_code');
  expect(results[1]).toHaveProperty('exit_code');
  expect(errorsOf(results)[2]?.code).toBe('awaiting_approval_denied');
  const rules = await it.approvals.rules(it.host.folder);
  expect(rules).toMatchObject([{ words: ['git', 'status'], isExact: false, workspace: it.host.folder }]);
  expect(await it.approvals.rules('/elsewhere')).toEqual([]);

  await it.approvals.deleteRule(rules[0]?.id ?? '');
  await it.app.send(it.session, 'again');
  await asked(it, 1);
  await answer(it, 0, { kind: 'once' });
  await atRest(it);
  expect(await it.approvals.rules(it.host.folder)).toEqual([]);
});

test('a rule that is made answers what it covers in the same step', async () => {
  const provider = new ScriptedProvider(exec('git status', 'touch made', 'git status -s'), say);
  const it = await start(provider);
  await it.app.send(it.session, 'go');
  await asked(it, 3);
  await answer(it, 0, { kind: 'always' });
  expect((await asked(it, 1))[0]?.cmd).toBe('touch made');
  await answer(it, 0, { kind: 'once' });
  await atRest(it);
  expect(touched(it, 'made')).toBe(true);
});

test('several are asked at once and run in their order, whatever the order of the answers', async () => {
  const provider = new ScriptedProvider(exec('echo one >> log', 'echo two >> log', 'echo three >> log'), say);
  const it = await start(provider, 'ask');
  await it.app.send(it.session, 'go');
  expect((await asked(it, 3)).map(({ cmd }) => cmd.split(' ')[1])).toEqual(['one', 'two', 'three']);
  await answer(it, 2, { kind: 'once' });
  await answer(it, 1, { kind: 'refuse', reason: 'no' });
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(touched(it, 'log')).toBe(false);
  await answer(it, 0, { kind: 'once' });
  await atRest(it);
  expect(fs.readFileSync(path.join(it.host.folder, 'log'), 'utf8')).toBe('one\nthree\n');
  expect(errorsOf(await it.results()).map((error) => error?.code ?? null)).toEqual([
    null,
    'awaiting_approval_denied',
    null,
  ]);
});

test('in "ask always" rules do not count and none is offered; "runs freely" asks nothing', async () => {
  const provider = new ScriptedProvider(exec('git status'), exec('git status'), exec('git status'), say);
  let mode: ApprovalMode = 'rules';
  const it = await start(provider, () => mode);
  await it.app.send(it.session, 'go');
  await asked(it, 1);
  mode = 'ask';
  await answer(it, 0, { kind: 'always' });
  await it.until('the second', () => (provider.requests === 2 ? true : undefined));
  const [second] = await asked(it, 1);
  expect(second).toMatchObject({ mode: 'ask', suggestion: [] });
  expect(await answer(it, 0, { kind: 'always' })).toBe(false);
  mode = 'free';
  await answer(it, 0, { kind: 'once' });
  await atRest(it);
  expect(provider.requests).toBe(4);
});

test('stopping the turn refuses what is asked, and says so', async () => {
  const provider = new ScriptedProvider(exec('touch made', 'touch more'));
  const it = await start(provider);
  await it.app.send(it.session, 'go');
  await asked(it, 2);
  it.app.stopTurn(it.session);
  await atRest(it);
  expect(provider.requests).toBe(1);
  expect(it.session.view).toMatchObject({ status: 'idle', approvals: [] });
  for (const error of errorsOf(await it.results())) {
    expect(error?.code).toBe('awaiting_approval_denied');
    expect(error?.message).toContain('The turn was stopped');
  }
  expect(touched(it, 'made') || touched(it, 'more')).toBe(false);
});

test('what is asked survives the death of the app, is still asked, and the turn goes on from there', async () => {
  const first = await supervise(
    new ScriptedProvider(exec('echo before >> log', 'touch made', 'touch more')),
    {},
    undefined,
    'ask',
  );
  await first.app.send(first.session, 'go');
  await asked(first, 3);
  // The first ran and has its result; the second is asked; the third is answered already.
  await answer(first, 0, { kind: 'once' });
  await first.until('the first result', async () =>
    (await first.results()).length === 1 ? true : undefined,
  );
  await answer(first, 1, { kind: 'once' });
  const open = await asked(first, 1);
  await first.crash();

  const provider = new ScriptedProvider(say);
  const it = await start(provider, 'ask', first.host.folder);
  expect(await asked(it, 1)).toEqual(open);
  expect(it.session.view.status).toBe('running');
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect(provider.requests).toBe(0);
  expect(touched(it, 'made') || touched(it, 'more')).toBe(false);
  expect((await it.messages()).some((message) => message.role === 'runtime')).toBe(false);

  await answer(it, 0, { kind: 'once' });
  await atRest(it);
  expect(touched(it, 'made') && touched(it, 'more')).toBe(true);
  expect(fs.readFileSync(path.join(it.host.folder, 'log'), 'utf8')).toBe('before\n');
  expect((await it.results()).map((result) => result.exit_code)).toEqual([0, 0, 0]);
  expect(provider.requests).toBe(1);
});

test('a call that may have been made before the app died is not made again, and the rest is still asked', async () => {
  // The first is allowed and runs; the second is still asked.
  const first = await supervise(
    new ScriptedProvider(exec('echo once >> log; sleep 60', 'touch made')),
    {},
    undefined,
    'ask',
  );
  await first.app.send(first.session, 'go');
  await asked(first, 2);
  await answer(first, 0, { kind: 'once' });
  await first.until('the first command', () => first.app.commands.views()[0]);
  await first.crash();

  const it = await start(new ScriptedProvider(say), 'ask', first.host.folder);
  await asked(it, 1);
  await answer(it, 0, { kind: 'once' });
  await it.until('the second', () => (touched(it, 'made') ? true : undefined));
  const [error] = errorsOf(await it.results());
  expect(error?.message).toContain('The app ended before this call had a result');
  expect(fs.readFileSync(path.join(it.host.folder, 'log'), 'utf8')).toBe('once\n');
  await it.until('the suspension', () => (it.session.view.status === 'suspended' ? true : undefined));
  await it.app.stopWaiting(it.session);
  await it.app.stopOwnAndWait('user');
});

test('a message and the end of a command are no answer', async () => {
  const provider = new ScriptedProvider(
    () => ({ calls: [['exec_command', { cmd: 'sleep 1.5; exit 3', yield_time_ms: 250 }]] }),
    exec('touch made'),
    ({ messages }) => ({ text: JSON.stringify(messages.slice(-3)) }),
  );
  let mode: ApprovalMode = 'free';
  const it = await start(provider, () => mode);
  const sent = it.app.send(it.session, 'go');
  await it.until('the first command', () => it.app.commands.views()[0]);
  mode = 'rules';
  await sent;
  await asked(it, 1);
  await it.app.send(it.session, 'yes, do it');
  await it.until('the end', () => it.events.find((event) => event.type === 'command.terminal'));
  await new Promise((resolve) => setTimeout(resolve, 800));
  expect(await asked(it, 1)).toHaveLength(1);
  expect(touched(it, 'made')).toBe(false);
  expect(provider.requests).toBe(2);
  await answer(it, 0, { kind: 'refuse', reason: '' });
  await atRest(it);
  expect(touched(it, 'made')).toBe(false);
});

test('two calls of one id are not run by one answer', async () => {
  const provider = new ScriptedProvider(exec('echo a', 'touch made'), say);
  const it = await start(provider);
  const stream = provider.stream.bind(provider);
  provider.stream = async function* (request) {
    for await (const event of stream(request))
      yield event.type === 'tool_call' ? { ...event, call: { ...event.call, id: 'same' } } : event;
  };
  await it.app.send(it.session, 'go');
  await asked(it, 1);
  await answer(it, 0, { kind: 'once' });
  await atRest(it);
  expect(touched(it, 'made')).toBe(false);
});

test('a link in the workspace does not lead a covered command out of it', async () => {
  const provider = new ScriptedProvider(
    exec('git status'),
    exec('git status > out/x', 'git status > in/x'),
    say,
  );
  const it = await start(provider);
  const { folder } = it.host;
  fs.symlinkSync('/tmp', path.join(folder, 'out'));
  fs.mkdirSync(path.join(folder, 'in'));
  await it.app.send(it.session, 'go');
  await asked(it, 1);
  await answer(it, 0, { kind: 'always' });
  await it.until('the second step', () => (provider.requests === 2 ? true : undefined));
  expect((await asked(it, 1))[0]?.cmd).toBe('git status > out/x');
  await answer(it, 0, { kind: 'refuse', reason: '' });
  await atRest(it);
});

test('a question that cannot be saved runs nothing', async () => {
  const provider = new ScriptedProvider(exec('touch made'));
  const it = await start(provider);
  it.store.rejects = (change) => (change.session?.approvals.length ?? 0) > 0;
  await it.app.send(it.session, 'go');
  await atRest(it);
  expect(touched(it, 'made')).toBe(false);
  expect(it.session.view).toMatchObject({ status: 'idle', approvals: [] });
  expect(it.events.some((event) => event.type === 'approval.requested')).toBe(false);
});
