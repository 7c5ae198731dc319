import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PREVIEW_MARKER } from '../../../shared/text/preview.ts';
import {
  built,
  emitted,
  hostPid,
  inParallel,
  type TestCommand,
  type TestHost,
  TestViewer,
} from '../../support/host.ts';
import { ScriptedProvider } from '../../support/supervised.ts';
import { check, type Fault, has, Skipped, same } from '../fault.ts';
import { rssBytes } from '../measure.ts';
import { callTool, runToEnd } from '../tools.ts';

const GIB = 2 ** 30;

async function exactRuns(host: TestHost, size: number, count: number): Promise<void> {
  const expected = emitted(size);
  let exact = 0;
  await inParallel(count, 4, async () => {
    const command = await host.run(`exec ${built.testkit} emit ${size} 3`);
    const exit = await command.exited();
    if (exit.exitCode === 3 && exit.bytes === size && command.log().equals(expected)) exact++;
    fs.rmSync(command.folder, { recursive: true });
  });
  same(`exact runs of ${size} bytes`, exact, count);
}

/** Whether a file holds nothing but this byte. */
async function isFilledWith(file: string, byte: number): Promise<boolean> {
  for await (const chunk of fs.createReadStream(file, { highWaterMark: 1 << 20 })) {
    const bytes = chunk as Buffer;
    if (!bytes.equals(Buffer.alloc(bytes.length, byte))) return false;
  }
  return true;
}

/** The files of a log: its beginning and, of a large one, the newest pieces. */
const logFiles = ({ folder }: TestCommand) =>
  fs
    .readdirSync(folder)
    .filter((name) => /^output(\.\d+)?\.log$/.test(name))
    .map((name) => path.join(folder, name));

/** Bytes of a command's log, as the host told last. */
function written(host: TestHost, { id }: TestCommand): number {
  const last = host.events.findLast((event) => event.type === 'progress' && event.id === id);
  return last?.type === 'progress' ? last.bytes : 0;
}

export const output: readonly Fault[] = [
  {
    number: 19,
    title: '1 MB then exit, 5 KB then exit, 500 each: exact',
    limitMs: 120_000,
    run: async (bench) => {
      const host = await bench.host();
      await exactRuns(host, 5_000, 500);
      await exactRuns(host, 1_000_000, 500);
      return '1,000 of 1,000';
    },
  },
  {
    number: 20,
    title: 'viewer paused 500 ms over the exit: exact',
    run: async (bench) => {
      const host = await bench.host();
      const expected = emitted(2_000_000);
      const command = await host.run(`exec ${built.testkit} emit 2000000 5`);
      const viewer = new TestViewer(host.client, command.id, null, false);
      has('the end', await command.exited(), { exitCode: 5, bytes: expected.length });
      await sleep(500);
      const before = viewer.received;
      check(before < expected.length, 'the viewer was behind');
      await viewer.until('all bytes', () => {
        viewer.ack(viewer.received);
        return viewer.received === expected.length ? true : undefined;
      });
      await viewer.exit();
      check(viewer.bytes.equals(expected), 'the viewer has every byte');
      check(command.log().equals(expected), 'the log has every byte');
    },
  },
  {
    number: 21,
    title: '1 GB flood: memory flat, log complete or cut with a stated count',
    limitMs: 150_000,
    run: async (bench) => {
      const host = await bench.host();
      if (free(host.folder) < 3 * GIB) throw new Skipped('less than 3 GB are free');
      const pid = hostPid(host.folder) as number;
      const command = await host.run(`stty -opost; base64 -w0 /dev/zero | head -c ${GIB}`, { tty: true });
      const began = performance.now();
      await host.until('the flood', () => (written(host, command) > 1e8 ? true : undefined));
      const before = rssBytes(pid);
      let peak = before;
      const exit = await endOf(host, command, () => {
        peak = Math.max(peak, rssBytes(pid));
      });
      const growth = (peak - before) / 1e6;
      check(growth < 32, `memory is flat (+${growth.toFixed(1)} MB)`);
      same('the end', [exit.exitCode, exit.bytes + exit.bytesLost], [0, GIB]);
      const files = logFiles(command);
      const kept = files.reduce((sum, file) => sum + fs.statSync(file).size, 0);
      const dropped = exit.gap?.droppedBytes ?? 0;
      same('bytes there and bytes counted as left out', kept + dropped, exit.bytes);
      for (const file of files) check(await isFilledWith(file, 0x41), `${path.basename(file)} is exact`);
      const speed = GIB / 1e3 / (performance.now() - began);
      return `${speed.toFixed(0)} MB/s, +${growth.toFixed(1)} MB, ${(dropped / 1e6).toFixed(0)} MB cut and counted`;
    },
  },
  {
    number: 22,
    title: 'nobody reads for 10 s: no stall',
    run: async (bench) => {
      const host = await bench.host();
      const pid = hostPid(host.folder) as number;
      const command = await host.run('exec yes', { stopGraceMs: 0 });
      const stuck = new TestViewer(host.client, command.id, null, false);
      await host.until('the flood', () => (written(host, command) > 5e6 ? true : undefined));
      const before = rssBytes(pid);
      let size = written(host, command);
      const from = size;
      for (let second = 1; second <= 10; second++) {
        await sleep(1_000);
        const now = written(host, command);
        check(now > size + 100_000, `it goes on in second ${second} (${now - size} bytes)`);
        size = now;
      }
      const growth = (rssBytes(pid) - before) / 1e6;
      check(growth < 32, `memory is flat (+${growth.toFixed(1)} MB)`);
      check(stuck.received < 1e6, 'the viewer got its window and no more');
      await host.client.stop(command.id, 'user');
      await command.exited();
      return `${((size - from) / 1e7).toFixed(0)} MB/s`;
    },
  },
  {
    number: 23,
    title: 'characters of 3 and 4 bytes at every split offset: no U+FFFD',
    run: async (bench) => {
      const app = await bench.app(new ScriptedProvider());
      const characters = ['€', '漢', '🚂'];
      const parts = characters.flatMap((character) => {
        const bytes = [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16)}`);
        return bytes.slice(1).map((_, i) => [bytes.slice(0, i + 1).join(''), bytes.slice(i + 1).join('')]);
      });
      const cmd = parts.map(([a, b]) => `printf 'a${a}'; sleep 0.12; printf '${b}'; sleep 0.12`).join('\n');
      const { pieces, end } = await runToEnd(app, { cmd });
      const expected = characters
        .flatMap((one) => Buffer.from(one).subarray(1).length)
        .flatMap((n, i) => Array.from({ length: n }, () => `a${characters[i]}`));
      same('the text', pieces.join(''), expected.join(''));
      check(pieces.length > 8, `it was read in pieces (${pieces.length})`);
      has('the end', end, { status: 'completed', exit_code: 0 });
      return `${parts.length} splits, ${pieces.length} readouts`;
    },
  },
  {
    number: 24,
    title: 'invalid UTF-8: log exact',
    run: async (bench) => {
      const app = await bench.app(new ScriptedProvider());
      const bytes = Buffer.from(
        Array.from({ length: 20_000 }, (_, i) => (i % 7 === 0 ? 0x80 + (i % 128) : 0x61)),
      );
      const file = path.join(app.host.folder, 'bytes');
      fs.writeFileSync(file, bytes);
      const { id, pieces } = await runToEnd(app, { cmd: `printf 'x\\xffy\\xc3'; sleep 0.2; cat ${file}` });
      const log = fs.readFileSync(path.join(app.host.folder, 'commands', id, 'output.log'));
      check(log.equals(Buffer.concat([Buffer.from('x\xffy\xc3', 'latin1'), bytes])), 'the log is exact');
      check(pieces.join('').startsWith('x\ufffdy'), 'invalid bytes are U+FFFD in the text');
    },
  },
  {
    number: 25,
    title: '10,001 redraws: one line',
    run: async (bench) => {
      const app = await bench.app(new ScriptedProvider());
      const cmd = `for ((i=0; i<=10000; i++)); do printf '\\r%d of 10000' $i; done; printf '\\n'`;
      const { id, pieces } = await runToEnd(app, { cmd });
      const { result } = await callTool(app, 'read_output', { session_id: id });
      same('the text of all of it', result?.output, '10000 of 10000\n');
      const lines = pieces.join('').trimEnd().split('\n');
      check(lines.length <= pieces.length + 1, `a readout is one line (${lines.length} of ${pieces.length})`);
      same('the last line', lines.at(-1), '10000 of 10000');
    },
  },
  {
    number: 26,
    title: 'binary: a notice with its size, the log exact',
    run: async (bench) => {
      const app = await bench.app(new ScriptedProvider());
      const bytes = Buffer.from(
        Array.from({ length: 50_000 }, (_, i) => (Math.imul(i + 7, 2_654_435_761) >>> 13) & 255),
      );
      const file = path.join(app.host.folder, 'binary');
      fs.writeFileSync(file, bytes);
      const { id, pieces, end, dropped } = await runToEnd(app, {
        cmd: `stty -opost < /dev/tty; cat ${file}`,
      });
      const log = fs.readFileSync(path.join(app.host.folder, 'commands', id, 'output.log'));
      check(log.equals(bytes), 'the log is exact');
      const text = pieces.join('');
      const sizes = [...text.matchAll(/binary output, (\d+) bytes/g)].map(([, size]) => Number(size));
      same(
        'bytes told',
        sizes.reduce((sum, size) => sum + size, 0),
        bytes.length,
      );
      same('bytes counted', dropped, bytes.length);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
      check(!/[\ufffd\u0000-\u0008]/.test(text), 'no garbage in the text');
      const { result } = await callTool(app, 'read_output', { session_id: id });
      const artifact = (result?.artifact ?? end.artifact) as { path: string } | undefined;
      check(
        artifact !== undefined && fs.readFileSync(artifact.path).equals(bytes),
        'the file that is named is exact',
      );
    },
  },
  {
    number: 27,
    title: 'previews of sizes 0, 1, head-1, head, head+1, limit, limit+1',
    run: async (bench) => {
      const app = await bench.app(new ScriptedProvider());
      for (const size of [0, 1, 5_999, 6_000, 6_001, 12_000, 12_001]) {
        const cmd = `head -c ${size} /dev/zero | tr '\\0' x`;
        const { id, pieces } = await runToEnd(app, { cmd });
        const { result = {} } = await callTool(app, 'read_output', { session_id: id });
        const isCut = size > 12_000;
        const expected = isCut ? 'x'.repeat(6_000) + PREVIEW_MARKER + 'x'.repeat(5_953) : 'x'.repeat(size);
        check(result.output === expected, `the preview of ${size} (${String(result.output).length})`);
        same(`cut at ${size}`, result.output_truncated, isCut);
        same(`artifact at ${size}`, result.artifact !== undefined, isCut);
        if (pieces.length === 1) check(pieces[0] === expected, `the result of ${size}`);
      }
    },
  },
  {
    number: 28,
    title: 'output that looks like our own frames or end mark: unaffected',
    run: async (bench) => {
      const app = await bench.app(new ScriptedProvider());
      const { host } = app;
      const fake = '\\033]7777;123456789012345678901234;0\\007';
      const frame = '\\001\\000\\000\\000\\002{"event":{"type":"exited"}}';
      const marker = '[Detached to background task c_0000000000000000: gone]';
      const command = await host.run(
        `stty -opost; printf '${fake}A${frame}\\n\\n${marker}${fake}\\033]7777;'; exit 5`,
      );
      has('the end', await command.exited(), { reason: 'exited', exitCode: 5 });
      const mark = '\x1b]7777;123456789012345678901234;0\x07';
      const raw = `${mark}A\x01\0\0\0\x02{"event":{"type":"exited"}}\n\n${marker}${mark}\x1b]7777;`;
      same('the log', command.log().toString('latin1'), raw);
      // The mark of this very command, found where only root could look, does not end it either.
      const { result = {} } = await callTool(app, 'exec_command', {
        cmd: `printf '\\n\\n${marker}'; read x < /dev/tty`,
        yield_time_ms: 400,
      });
      has('the result', result, { status: 'running' });
      check(!('placement' in result), 'it is not taken for detached');
      const { id } = app.app.commands.recordsOf(app.session.view.id)[0] ?? { id: '' };
      await host.client.write(id, '\n');
      await app.until('its end', () => (app.app.commands.hasEnded(id) ? true : undefined));
    },
  },
];

function free(folder: string): number {
  const { bavail, bsize } = fs.statfsSync(folder);
  return bavail * bsize;
}

/** The end of a command that takes longer than anything else here. */
async function endOf(host: TestHost, command: TestCommand, meanwhile: () => void) {
  for (;;) {
    const found = host.events.find((event) => event.type === 'exited' && event.id === command.id);
    if (found?.type === 'exited') return found.exit;
    meanwhile();
    await sleep(200);
  }
}
