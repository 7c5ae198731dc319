import type { Message, RuntimeMessage, ToolCall, ToolMessage } from '../../../shared/model/message.ts';
import { elapsedInWords, endInWords } from '../../supervisor/completion.ts';
import { HELP } from './help.ts';
import { splitCommands } from './split-commands.ts';

/** What the built-in agent says and does next. Without calls its turn is over. */
export interface Step {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly input: Readonly<Record<string, unknown>> }[];
}

/**
 * A command of a message. `todo` until its call is made; `attached` while it is polled; `aside` when it runs in the
 * background and the runtime tells of its end.
 */
interface Line {
  readonly cmd: string;
  state: 'todo' | 'attached' | 'aside' | 'done';
  callId: string | null;
  handle: string | null;
  /** The last lines that its readouts gave. */
  seen: string;
}

/** The lines of one message run one after another. */
type Group = Line[];

const LAST_LINES = 10;
/** Characters of a command by which it is named in a sentence. */
const MAX_NAME = 48;

/**
 * Decides the next step from the conversation alone: the same conversation gives the same step, also after a restart.
 * Lines of one message follow each other; messages do not wait for each other.
 */
export function planStep(messages: readonly Message[]): Step {
  const plan = new Plan();
  const lastAssistant = messages.findLastIndex((message) => message.role === 'assistant');
  messages.forEach((message, index) => {
    plan.take(message, index > lastAssistant);
  });
  return plan.step();
}

class Plan {
  readonly #groups: Group[] = [];
  readonly #polls = new Map<string, Line>();
  /** What is to be said in this step. */
  readonly #reports: string[] = [];
  readonly #asks: { name: string; input: Record<string, unknown> }[] = [];
  #lastHandle: string | null = null;

  take(message: Message, isNew: boolean): void {
    if (message.role === 'user') this.#takeUser(message.text, isNew);
    else if (message.role === 'assistant') for (const call of message.toolCalls) this.#takeCall(call);
    else if (message.role === 'tool') this.#takeResult(message, isNew);
    else this.#takeRuntime(message, isNew);
  }

  step(): Step {
    const text = this.#reports.join('\n\n');
    if (this.#asks.length > 0) return { text, calls: this.#asks };
    const next = this.#groups.map(startable).find((line) => line !== null);
    if (next) return { text, calls: [{ name: 'exec_command', input: { cmd: next.cmd, tty: true } }] };
    const attached = this.#lines().filter((line) => line.state === 'attached' && line.handle !== null);
    return {
      text,
      calls: attached.map((line) => ({ name: 'write_stdin', input: { session_id: line.handle } })),
    };
  }

  #lines(): Line[] {
    return this.#groups.flat();
  }

  #takeUser(text: string, isNew: boolean): void {
    const [word = '', argument = ''] = text.trim().split(/\s+/, 2);
    const handle = argument === '' ? this.#lastHandle : argument;
    const ask = (name: string, input: Record<string, unknown>) => {
      if (isNew) this.#asks.push({ name, input });
    };
    const askOf = (name: string) => {
      if (handle) ask(name, { session_id: handle });
      else if (isNew) this.#reports.push('No command has been run in this session yet.');
    };
    if (/^(\/help|help)$/i.test(text.trim())) {
      if (isNew) this.#reports.push(HELP);
    } else if (word === '/jobs') ask('list_commands', {});
    else if (word === '/output') askOf('read_output');
    else if (word === '/stop') askOf('stop_command');
    else {
      const commands = splitCommands(text);
      if (commands.length === 0 && isNew)
        this.#reports.push('There was no command in that message. `help` says what I can do.');
      this.#groups.push(
        commands.map((cmd) => ({ cmd, state: 'todo', callId: null, handle: null, seen: '' })),
      );
    }
  }

  #takeCall(call: ToolCall): void {
    const input = call.input as { cmd?: unknown; session_id?: unknown };
    if (call.name === 'exec_command') {
      const line = this.#lines().find((one) => one.state === 'todo' && one.cmd === input.cmd);
      if (!line) return;
      line.state = 'attached';
      line.callId = call.id;
      this.#polls.set(call.id, line);
    } else if (call.name === 'write_stdin') {
      const line = this.#lines().find((one) => one.handle === input.session_id);
      if (line) this.#polls.set(call.id, line);
    }
  }

  #takeResult(message: ToolMessage, isNew: boolean): void {
    const result = message.result as Record<string, unknown>;
    const line = this.#polls.get(message.toolCallId);
    if (!line) {
      if (isNew) this.#reports.push(answerInWords(message.name, result));
      return;
    }
    if (message.isError) {
      line.state = 'done';
      if (isNew) this.#reports.push(`\`${firstLine(line.cmd)}\`: ${errorOf(result)}`);
      return;
    }
    const output = String(result.output ?? '');
    line.seen = lastLines(line.seen + withoutMarker(output));
    if (typeof result.session_id === 'string') {
      line.handle = result.session_id;
      this.#lastHandle = result.session_id;
      if (result.placement === 'background' && line.state === 'attached') {
        line.state = 'aside';
        const reason = /\[Detached to background task [^:\]]+: ([^\]]*)\]\s*$/.exec(output)?.[1];
        if (isNew)
          this.#reports.push(
            `\`${firstLine(line.cmd)}\` goes on in the background${reason ? `: ${reason}` : ''}.`,
          );
      }
      return;
    }
    line.state = 'done';
    if (isNew && result.status !== 'not_run')
      this.#reports.push(endReport(line.cmd, resultInWords(result), line.seen));
  }

  #takeRuntime(message: RuntimeMessage, isNew: boolean): void {
    const lines = this.#lines();
    if (message.kind === 'background_exec_wait') {
      for (const line of lines) {
        if (line.state === 'attached' && line.handle && message.commandIds.includes(line.handle))
          line.state = 'aside';
      }
    } else if (message.kind === 'completion') {
      for (const end of message.ends) {
        const line = lines.find((one) => one.handle === end.commandId);
        if (line) line.state = 'done';
        this.#lastHandle = end.commandId;
        if (isNew) this.#reports.push(endReport(end.cmd, endInWords(end), lastLines(end.tail)));
      }
    } else if (message.kind === 'turn_ended') {
      // The person stopped it, or it broke off: what was not begun is not begun behind their back.
      for (const line of lines) {
        if (line.state === 'todo') line.state = 'done';
        else if (line.state === 'attached') line.state = line.handle ? 'aside' : 'done';
      }
    }
  }
}

/** The next line of a group, unless the one before it still runs. */
function startable(group: Group): Line | null {
  const next = group.find((line) => line.state !== 'done');
  return next?.state === 'todo' ? next : null;
}

function endReport(cmd: string, how: string, seen: string): string {
  const lines = seen.trimEnd();
  const fence = lines.includes('```') ? '~~~' : '```';
  return `\`${firstLine(cmd)}\` ${how}.${lines === '' ? ' It wrote nothing.' : `\n\n${fence}\n${lines}\n${fence}`}`;
}

function resultInWords(result: Record<string, unknown>): string {
  const elapsedMs = Number(result.elapsed_ms ?? 0);
  const after = ` after ${elapsedInWords(elapsedMs)}`;
  if (result.status === 'timeout') return `was stopped by its deadline${after}`;
  if (result.status === 'stopped') return `was stopped${after}`;
  if (result.status === 'lost') return 'was lost: how it ended is not known';
  return typeof result.signal === 'string'
    ? `was ended by ${result.signal}${after}`
    : `exited ${String(result.exit_code)}${after}`;
}

/** The answer to /jobs, /output and /stop. */
function answerInWords(name: string, result: Record<string, unknown>): string {
  if (result.error) return errorOf(result);
  if (name === 'read_output') {
    const output = String(result.output ?? '').trimEnd();
    const fence = output.includes('```') ? '~~~' : '```';
    const rest =
      result.output_truncated === true ? '\n\nThe middle is cut out. The terminal has all of it.' : '';
    return output === '' ? 'It wrote nothing.' : `${fence}\n${output}\n${fence}${rest}`;
  }
  if (name === 'list_commands') {
    const commands = result.commands as {
      session_id: string;
      command: string;
      status: string;
      age_ms?: number;
      exit_code?: number | null;
    }[];
    if (commands.length === 0) return 'No command has been run in this session yet.';
    const rows = commands.map((one) => {
      const how =
        one.age_ms === undefined
          ? `${one.status}${one.exit_code == null ? '' : `, exit ${one.exit_code}`}`
          : `${one.status}, ${elapsedInWords(one.age_ms)}`;
      return `- \`${firstLine(one.command)}\`: ${how} (\`${one.session_id}\`)`;
    });
    return rows.join('\n');
  }
  if (name === 'stop_command') {
    if (typeof result.note === 'string') return result.note;
    return typeof result.exit_code === 'undefined' ? 'It is being stopped.' : `It ${resultInWords(result)}.`;
  }
  return '';
}

function errorOf(result: Record<string, unknown>): string {
  const error = result.error as { message?: unknown } | undefined;
  return String(error?.message ?? 'it could not be run.');
}

const withoutMarker = (output: string) =>
  output.replace(/\n\n\[Detached to background task [^\]]*\]\s*$/, '');

const lastLines = (text: string) =>
  text
    .split('\n')
    .slice(-LAST_LINES - 1)
    .join('\n')
    .slice(-4_096);

function firstLine(cmd: string): string {
  const [line = '', ...rest] = cmd.split('\n');
  const short = line.length > MAX_NAME ? `${line.slice(0, MAX_NAME - 1)}…` : line;
  return (rest.length > 0 && line.length <= MAX_NAME ? `${short} …` : short).replaceAll('`', "'");
}
