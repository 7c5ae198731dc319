import fs from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { HEARTBEAT_MS, SILENT_AFTER_BEATS } from '../../../shared/limits.ts';
import { type Gate, makeGate } from '../../support/gate.ts';
import {
  endHost,
  hostPid,
  removeFolder,
  startTime,
  TestHost,
  temporaryFolder,
  until,
} from '../../support/host.ts';
import { TestLink } from '../../support/linked.ts';

let folder = '';
let gate: Gate;
beforeEach(() => {
  folder = temporaryFolder('silent');
  gate = makeGate();
});
afterEach(async () => {
  gate.release();
  endHost(folder);
  await removeFolder(folder);
});

it('a host that hangs is told, and told again when it answers; its command lives, and no other host is started', async () => {
  const linked = await TestLink.connect(folder);
  const { link } = linked;
  const test = await TestHost.start({ folder }); // for its specifications only
  test.client.dispose();
  const spec = test.spec(`i=0; while [ ! -f ${gate.file} ]; do echo line $((i++)); sleep 0.05; done; exit 3`);
  const spawned = await link.spawn(spec);
  if (!spawned.ok) throw new Error(spawned.error.message);
  const pid = hostPid(folder) as number;
  process.kill(pid, 'SIGSTOP');
  try {
    const hanging = link.list();
    const refused = test.spec('echo never');
    const late = link.spawn(refused);
    const began = performance.now();
    await linked.hears('silent');
    expect(performance.now() - began).toBeGreaterThan((SILENT_AFTER_BEATS - 1) * HEARTBEAT_MS);
    // What waited, and what is asked meanwhile, is refused: nobody waits for ever.
    const unavailable = { ok: false, error: { code: 'host_unavailable' } };
    expect([await hanging, await late, await link.stop(spec.id, 'user')]).toMatchObject([
      unavailable,
      unavailable,
      unavailable,
    ]);
    expect(startTime(spawned.value.pid)).not.toBeNull();
    expect([hostPid(folder), fs.readdirSync(folder).filter((name) => name.endsWith('.pid'))]).toEqual([
      pid,
      [expect.stringMatching(/^host-/)],
    ]);
    process.kill(pid, 'SIGCONT');
    await linked.hears('answers');
    await linked.hears('list changed');
    expect(linked.told).toEqual(['silent', 'answers', 'list changed']);
    // What was refused does not run behind the back of whoever asked for it.
    await until(
      'the end of what was refused',
      async () => (await linked.listed(refused.id))?.exit ?? undefined,
    );
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  gate.open();
  expect(await linked.exited(spec.id)).toMatchObject({ reason: 'exited', exitCode: 3 });
  expect(hostPid(folder)).toBe(pid);
  link.dispose();
});
