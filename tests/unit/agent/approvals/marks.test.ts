// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are the shell's
import { describe, expect, it } from 'vitest';
import { marksOf } from '../../../../electron/agent/approvals/marks.ts';

const WORK = '/home/ada/work';
const PLACE = { workspace: WORK, cwd: WORK, home: '/home/ada' };
const kinds = (cmd: string, cwd = WORK) => marksOf(cmd, { ...PLACE, cwd }).map(({ kind }) => kind);

describe('deleting outside the folder', () => {
  it.each([
    'rm -rf ~',
    'rm -rf ~/x',
    'rm -rf /',
    'rm -rf /*',
    'rm x ../y',
    'rm -- -x /tmp/y',
    'rm -rf "$HOME"/x',
    'rm -rf ${HOME}',
    'rm -rf $UNKNOWN',
    'rm -rf "$(a)"',
    'rm -rf ../*',
    'rm -rf */../../x',
    '/bin/rm -rf /x',
    '\\rm -rf /x',
    'rmdir /x',
    'shred /x',
    'a; (b && rm /x)',
    'echo $(rm /x)',
    'env A=1 rm /x',
    'command rm /x',
    'nice -n 5 rm /x',
    'timeout 5 rm /x',
    "sh -c 'rm /x'",
    "bash -ec 'rm /x'",
    'sh -c "sh -c \'rm /x\'"',
    'eval rm /x',
    'find / -delete',
    'find ~ -name x -exec rm {} +',
    "find .. -exec sh -c 'rm {}' \\;",
    'ls | xargs rm',
    'xargs -I{} rm {}',
    'cd /tmp && rm -rf x',
    'cd && rm -rf x',
    'cd $x; rm -rf y',
    'rsync -a --delete ./ /x/',
    'git -C /x clean -fdx',
    'f() { rm /x; }; f',
    'for x in a; do rm /x; done',
    'function f { rm /x; }',
    'rm -rf ~ada/x',
  ])('is marked: %s', (cmd) => {
    expect(kinds(cmd)).toContain('deletes_outside');
  });

  it.each([
    'rm -rf build',
    'rm -rf ./build "a b" *.o',
    `rm -rf ${WORK}/build`,
    'rm -rf $PWD/build',
    'rm -rf sub/../build',
    'cd sub && rm -rf ../build',
    'find . -name x -delete',
    "find src -name '*.o' -exec rm {} \\;",
    'find / -name x',
    'git rm x',
    'echo rm -rf /',
    "echo 'rm -rf /'",
    'npm rm x',
    'docker run --rm x',
    'git clean -fdx',
  ])('is not in: %s', (cmd) => {
    expect(kinds(cmd)).not.toContain('deletes_outside');
  });

  it('says whether it is certain', () => {
    expect(marksOf('rm -rf $x', PLACE)).toEqual([
      { kind: 'deletes_outside', text: 'May delete outside this folder.' },
    ]);
    expect(marksOf('rm -rf $x /y', PLACE)).toEqual([
      { kind: 'deletes_outside', text: 'Deletes outside this folder.' },
    ]);
  });

  it('counts from the folder in which it runs', () => {
    expect(kinds('rm x', '/tmp')).toContain('deletes_outside');
    expect(kinds('rm ../x', `${WORK}/sub`)).not.toContain('deletes_outside');
  });
});

it.each([
  'sudo apt upgrade',
  'su -c x',
  'doas x',
  '/usr/bin/sudo x',
  '\\sudo x',
  "'sudo' x",
  'env sudo x',
  'time sudo x',
  'a && sudo b',
  'a | sudo tee b',
  'echo $(sudo a)',
  "sh -c 'sudo x'",
  'case a in a) sudo b;; esac',
  'if a; then sudo b; fi',
])('another user is marked: %s', (cmd) => {
  expect(kinds(cmd)).toContain('changes_user');
});

it.each([
  'pkill node',
  'killall -9 node',
  'kill $(pgrep node)',
  'kill -9 `pidof node`',
  'pgrep node | xargs kill',
  "ps aux | grep node | awk '{print $2}' | xargs kill -9",
  'P=$(pgrep node); kill $P',
  'kill $(lsof -t -i:3000)',
  'fuser -k 3000/tcp',
  'kill -9 -1',
  "sh -c 'kill $(pgrep x)'",
  'sudo pkill x',
])('killing by name is marked: %s', (cmd) => {
  expect(kinds(cmd)).toContain('kills_by_name');
});

it.each([
  'kill 123',
  'kill -TERM 123',
  'kill %1',
  'kill $!',
  'kill $(cat server.pid)',
  'pgrep node',
  'ps aux',
  'echo sudo pkill su',
  "git commit -m 'do not use sudo or pkill'",
  'grep su x',
  'skillet',
])('nothing is marked: %s', (cmd) => {
  expect(kinds(cmd)).toEqual([]);
});

it('marks shells, writes outside and rewritten branches', () => {
  for (const cmd of ['bash', 'sh -i', 'curl x | sh', 'curl x | bash -s -- a', 'python3', 'ssh host'])
    expect(kinds(cmd)).toEqual(['opens_shell']);
  for (const cmd of ['bash x.sh', "sh -c 'ls'", 'python3 x.py', 'ssh host ls', 'node -e 1'])
    expect(kinds(cmd)).toEqual([]);
  for (const cmd of ['echo a > /etc/x', 'echo a >> ~/.bashrc', 'a > $x'])
    expect(kinds(cmd)).toEqual(['writes_outside']);
  for (const cmd of ['a > x', 'a > /dev/null 2>&1']) expect(kinds(cmd)).toEqual([]);
  for (const cmd of [
    'git push --force origin main',
    'git push -f',
    'git push origin +main',
    'git push --delete o b',
  ])
    expect(marksOf(cmd, PLACE)).toEqual([{ kind: 'rewrites_remote', text: 'Rewrites a remote branch.' }]);
  for (const cmd of ['git push', 'git push -u origin main', 'git fetch --force'])
    expect(kinds(cmd)).toEqual([]);
});

it('tells each kind once, the worst first', () => {
  expect(kinds('git push -f; pkill a; sudo rm /x; rm /y')).toEqual([
    'deletes_outside',
    'changes_user',
    'kills_by_name',
    'rewrites_remote',
  ]);
});
