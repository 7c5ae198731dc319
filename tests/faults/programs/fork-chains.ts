/** In a PID namespace of its own: stops chains that fork faster than anybody can scan. Prints what came of it. */
import fs from 'node:fs';
import { built, TestHost } from '../../support/host.ts';

/** Life in microseconds, width, setsid, cleared environment. */
const CHAINS = ['1000 4 1 0', '1000 4 1 1', '300 8 1 1', '1000 1 0 1'];
const rounds = Number(process.argv[2] ?? 20);
const host = await TestHost.start();

/** Everything here but process 1 and this process, the host and what keeps them: chains by their name. */
const chains = () =>
  fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const line = fs.readFileSync(`/proc/${pid}/cmdline`, 'latin1');
        return line.includes('\0chain\0') ? [pid] : [];
      } catch {
        return [];
      }
    });

let clean = 0;
const left: unknown[] = [];
for (let round = 0; round < rounds; round++) {
  const command = await host.run(`exec ${built.testkit} chain ${CHAINS[round % CHAINS.length]}`, {
    stopGraceMs: round % 2 === 0 ? 0 : 200,
  });
  await command.sees('up');
  await host.client.stop(command.id, 'user');
  const exit = await command.exited();
  const alive = chains();
  if (alive.length === 0 && exit.survivors.length === 0) clean++;
  else left.push({ round, alive, survivors: exit.survivors });
}
console.log(JSON.stringify({ clean, rounds, left }));
await host.close();
process.exit(0);
