import { describe, expect, test } from 'vitest';
import { planStep } from '../../../electron/agent/built-in/plan.ts';
import type { Message, ToolCall } from '../../../shared/model/message.ts';

const HANDLE = 'c_aaaaaaaaaaaaaaaa';

/** A conversation that is written down as it happens. */
class Chat {
  readonly messages: Message[] = [];
  #count = 0;

  #base() {
    return { id: `m_${String(this.#count++).padStart(16, '0')}`, at: 0 };
  }

  user(text: string): this {
    this.messages.push({ ...this.#base(), role: 'user', text });
    return this;
  }

  /** Takes the step that the plan wants, and gives it back. */
  step() {
    const step = planStep(this.messages);
    const toolCalls: ToolCall[] = step.calls.map((call, index) => ({
      id: `call-${this.#count}-${index}`,
      ...call,
    }));
    this.messages.push({ ...this.#base(), role: 'assistant', text: step.text, toolCalls });
    return step;
  }

  result(result: Record<string, unknown>, isError = false): this {
    const assistant = this.messages.findLast((message) => message.role === 'assistant');
    const call = assistant?.role === 'assistant' ? assistant.toolCalls[0] : undefined;
    if (!call) throw new Error('nothing was called');
    this.messages.push({
      ...this.#base(),
      role: 'tool',
      toolCallId: call.id,
      name: call.name,
      result,
      isError,
    });
    return this;
  }

  running(output = '', more = {}): this {
    return this.result({ status: 'running', session_id: HANDLE, output, ...more });
  }

  runtime(kind: 'background_exec_wait' | 'completion' | 'turn_ended', tail = ''): this {
    const end = {
      commandId: HANDLE,
      cmd: 'make',
      state: 'failed' as const,
      exitCode: 7,
      signal: null,
      elapsedMs: 12_000,
      tail,
      alive: [],
    };
    this.messages.push({
      ...this.#base(),
      role: 'runtime',
      kind,
      text: '',
      commandIds: [HANDLE],
      ends: kind === 'completion' ? [end] : [],
    });
    return this;
  }
}

const names = (step: ReturnType<typeof planStep>) => step.calls.map((call) => call.name);

describe('the built-in agent', () => {
  test('runs a message as a command and reports its end with exit code and last lines', () => {
    const chat = new Chat().user('make');
    expect(chat.step().calls).toEqual([{ name: 'exec_command', input: { cmd: 'make', tty: true } }]);
    const end = chat.result({ status: 'failed', exit_code: 2, output: 'boom\n', elapsed_ms: 3_000 }).step();
    expect(end).toEqual({ text: '`make` exited 2 after 3 s.\n\n```\nboom\n```', calls: [] });
  });

  test('polls while it runs, and keeps the last lines of all readouts', () => {
    const chat = new Chat().user('make');
    chat.step();
    expect(chat.running('one\n').step().calls).toEqual([
      { name: 'write_stdin', input: { session_id: HANDLE } },
    ]);
    expect(chat.running('two\n').step().text).toBe('');
    expect(
      chat.result({ status: 'completed', exit_code: 0, output: 'three\n', elapsed_ms: 1_000 }).step().text,
    ).toContain('one\ntwo\nthree');
  });

  test('the lines of a message run one after another', () => {
    const chat = new Chat().user('a\nb');
    chat.step();
    const second = chat.result({ status: 'completed', exit_code: 0, output: '', elapsed_ms: 0 }).step();
    expect(second.text).toBe('`a` exited 0 after 0 s. It wrote nothing.');
    expect(second.calls).toEqual([{ name: 'exec_command', input: { cmd: 'b', tty: true } }]);
  });

  test('after a handoff it reports the end that it is told, and goes on with the next line', () => {
    const chat = new Chat().user('make\nls');
    chat.step();
    chat.running().step();
    chat.running().runtime('background_exec_wait').runtime('completion', 'background-finished');
    const woken = chat.step();
    expect(woken.text).toBe('`make` exited 7 after 12 s.\n\n```\nbackground-finished\n```');
    expect(woken.calls).toEqual([{ name: 'exec_command', input: { cmd: 'ls', tty: true } }]);
  });

  test('a message is answered while an earlier command waits', () => {
    const chat = new Chat().user('make');
    chat.step();
    chat.running().runtime('background_exec_wait').user('date');
    expect(chat.step().calls).toEqual([{ name: 'exec_command', input: { cmd: 'date', tty: true } }]);
    expect(
      chat.result({ status: 'completed', exit_code: 0, output: 'Mon\n', elapsed_ms: 0 }).step().calls,
    ).toEqual([]);
  });

  test('a detached command is named with its reason, and its message waits for it', () => {
    const chat = new Chat().user('make\nls');
    chat.step();
    const step = chat
      .running(`x\n\n[Detached to background task ${HANDLE}: the user moved it]`, { placement: 'background' })
      .step();
    expect(step).toEqual({ text: '`make` goes on in the background: the user moved it.', calls: [] });
  });

  test('a refused command is told with its reason', () => {
    const chat = new Chat().user('make');
    chat.step();
    expect(
      chat.result({ error: { code: 'too_many_commands', message: 'Too many.' } }, true).step().text,
    ).toBe('`make`: Too many.');
  });

  test('after a stopped turn nothing is begun behind the back of the person', () => {
    const chat = new Chat().user('make\nls');
    chat.step();
    chat.running().runtime('turn_ended').user('date');
    expect(chat.step().calls).toEqual([{ name: 'exec_command', input: { cmd: 'date', tty: true } }]);
  });

  test('help explains, and /jobs, /output and /stop ask the tools', () => {
    expect(new Chat().user('help').step().text).toContain('built-in agent');
    expect(names(new Chat().user('/jobs').step())).toEqual(['list_commands']);
    const chat = new Chat().user('make');
    chat.step();
    chat.running().runtime('background_exec_wait').runtime('completion').step();
    expect(chat.user('/output').step().calls).toEqual([
      { name: 'read_output', input: { session_id: HANDLE } },
    ]);
    expect(chat.result({ output: 'background-finished', next_offset: 19, total_bytes: 19 }).step().text).toBe(
      '```\nbackground-finished\n```',
    );
    expect(new Chat().user('/output').step().text).toContain('No command');
  });

  test('a path is a command, not a word of the agent', () => {
    expect(new Chat().user('/usr/bin/env').step().calls).toEqual([
      { name: 'exec_command', input: { cmd: '/usr/bin/env', tty: true } },
    ]);
  });
});
