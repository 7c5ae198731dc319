/** An app that starts a command with a deadline, says so, and is then suspended or killed. FOLDER DEADLINE_MS */
import { connect, newId } from '../../support/host.ts';

const [folder = '', deadline = ''] = process.argv.slice(2);
const client = await connect(folder);
const id = newId();
const spawned = await client.spawn({
  id,
  owner: 's_0000000000000000',
  ownerName: '',
  cmd: 'sleep 600',
  shell: '/bin/bash',
  cwd: '/',
  env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
  tty: false,
  cols: 80,
  rows: 24,
  deadlineMs: Number(deadline),
  stopGraceMs: 1_000,
});
if (!spawned.ok) throw new Error(spawned.error.message);
console.log(`started ${id}`);
setInterval(() => {}, 60_000);
