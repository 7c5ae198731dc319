// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are the shell's
import { describe, expect, it } from 'vitest';
import { isCovered, suggestRules } from '../../../../electron/agent/approvals/rules.ts';

const WORK = '/home/ada/work';
const at = (cwd = WORK) => ({ workspace: WORK, cwd, home: '/home/ada' });
const prefix = (...words: string[]) => ({ words, isExact: false });
const exactly = (...words: string[]) => ({ words, isExact: true });

const STATUS = [prefix('git', 'status')];

describe('a rule for git status', () => {
  it.each([
    'git status',
    'git status -s',
    'git  status --short "a b"',
    "'git' status",
    'git status; git status',
    'git status && git status | git status &',
    '(git status)',
    '{ git status; }',
    'if git status; then git status; fi',
    'git status $(git status)',
    'git status "$HOME" $x *.ts',
    'git status > out.txt',
    'git status > sub/out.txt 2>&1',
    'git status >/dev/null 2>&1',
    `git status > ${WORK}/out`,
    'git status < in',
    'cd sub && git status',
    `cd ${WORK}/sub; git status`,
    'git status <<EOF\n$(git status)\nEOF',
    'git status # rm -rf ~',
    "git status '; rm -rf ~'",
  ])('covers: %s', (cmd) => {
    expect(isCovered(STATUS, cmd, at())).toBe(true);
    expect(isCovered(STATUS, cmd, at(`${WORK}/deep/er`))).toBe(true);
    expect(isCovered([], cmd, at())).toBe(false);
  });

  it.each([
    '',
    '   ',
    '# git status',
    'git stash',
    'git',
    'git statusx',
    'git -c core.pager=x status',
    'status git',
    'git status; rm -rf ~',
    'git status\nrm -rf ~',
    'git status & rm x',
    'git status || rm x',
    'git status | sh',
    'git status $(rm x)',
    'git status "$(rm x)"',
    'git status `rm x`',
    'git status "`rm x`"',
    'git status $(git status $(rm x))',
    'git status <(rm x)',
    'git status > /etc/passwd',
    'git status >> ~/.bashrc',
    'git status > ../out',
    'git status > $x',
    'git status > "$HOME/x"',
    'git status > *.txt',
    'git status >& /etc/x',
    'git status &> /etc/x',
    'git status <> /etc/x',
    'git status 2> /etc/x',
    '> /etc/x git status',
    'git status > .git/hooks/pre-commit',
    'git status > /dev/tcp/example.org/80',
    'git status < /dev/tcp/example.org/80',
    'PATH=. git status',
    'PATH=.; git status',
    'export PATH=.; git status',
    'alias git=rm; git status',
    'git() { rm x; }; git status',
    'function git { rm x; }; git status',
    'env git status',
    'sudo git status',
    'command git status',
    'exec git status',
    'nohup git status',
    'time git status',
    'xargs git status',
    'sh -c "git status"',
    "eval 'git status'",
    '/usr/bin/git status',
    './git status',
    '~/git status',
    '$git status',
    'git $x',
    'git stat?s',
    'git {status,push}',
    '{git,status}',
    "g'it status",
    'git status "',
    'git status (',
    'git status $((1))',
    'git status ${x:=y}',
    "git status $'x'",
    'for x in a; do git status; done',
    'while git status; do git status; done',
    'case a in a) git status;; esac',
    '[[ a ]] && git status',
    'git status &> out rm x',
    'cd .. && git status',
    // The cd may fail.
    'cd sub; git status > ../out',
    'cd && git status',
    'cd ~ && git status',
    'cd - ; git status',
    'cd $x && git status',
    'cd sub && cd ../.. && git status',
    'cd a b && git status',
    'pushd sub && git status',
    'git status <<EOF\n$(rm x)\nEOF',
    'git status <<EOF\nEOF\nrm x',
    'git status <<EOF\nEO\\\nF\nrm x\nEOF',
    'git status --output=/etc/x',
    'git status \u00a0; rm x',
    'git\u00a0status',
    'git status\r\n; rm x',
    'trap "rm x" EXIT; git status',
    'set -- x; git status',
    '. ./x; git status',
  ])('does not cover: %j', (cmd) => {
    expect(isCovered(STATUS, cmd, at())).toBe(false);
  });

  it('covers nothing outside its folder', () => {
    for (const cwd of ['/home/ada', '/', '/home/ada/workshop', '/tmp'])
      expect(isCovered(STATUS, 'git status', at(cwd))).toBe(false);
  });
});

it('an exact rule covers these words and no more', () => {
  const rules = [exactly('./build.sh', '--fast')];
  expect(isCovered(rules, './build.sh --fast', at())).toBe(true);
  expect(isCovered(rules, './build.sh "--fast" > log', at())).toBe(true);
  for (const cmd of ['./build.sh', './build.sh --fast x', './build.sh --fas*', './build.sh --fast && a'])
    expect(isCovered(rules, cmd, at())).toBe(false);
});

it('no rule covers what is marked as dangerous, or what changes the shell', () => {
  const rules = [
    exactly('sudo', 'make'),
    exactly('pkill', 'node'),
    exactly('rm', '-rf', '/tmp/x'),
    exactly('rm', '-rf', 'build'),
    exactly('bash'),
    prefix('xargs'),
    prefix('export'),
    prefix('rm'),
  ];
  for (const cmd of [
    'sudo make',
    'pkill node',
    'rm -rf /tmp/x',
    'rm -rf ~',
    'bash',
    'xargs rm',
    'export A=1',
  ])
    expect(isCovered(rules, cmd, at())).toBe(false);
  expect(isCovered(rules, 'rm -rf build', at())).toBe(true);
});

describe('"Always allow" suggests', () => {
  it.each<[string, string[][]]>([
    ['git push --force origin main', [['git', 'push']]],
    ['git status -s', [['git', 'status']]],
    ['npm test', [['npm', 'test']]],
    ['npm run build -- --watch', [['npm', 'run', 'build']]],
    ['pnpm run lint', [['pnpm', 'run', 'lint']]],
    ['docker compose up -d', [['docker', 'compose', 'up']]],
    ['cargo test', [['cargo', 'test']]],
    ['gh pr list', [['gh', 'pr', 'list']]],
    ['cd sub && npm test', [['npm', 'test']]],
    [
      'npm test && git push',
      [
        ['npm', 'test'],
        ['git', 'push'],
      ],
    ],
    ['npm test; npm test -- x', [['npm', 'test']]],
    ['npm test > out.log 2>&1', [['npm', 'test']]],
    ['make', [['make', '=']]],
    ['make test', [['make', 'test', '=']]],
    ['ls -la', [['ls', '-la', '=']]],
    ['./run.sh a', [['./run.sh', 'a', '=']]],
    ['python3 x.py', [['python3', 'x.py', '=']]],
    ['npm exec x', [['npm', 'exec', 'x', '=']]],
    ['npx vitest run', [['npx', 'vitest', 'run', '=']]],
    ['git config a b', [['git', 'config', 'a', 'b', '=']]],
    ['docker run alpine', [['docker', 'run', 'alpine', '=']]],
    ['uv run x.py', [['uv', 'run', 'x.py', '=']]],
  ])('%s', (cmd, expected) => {
    const rules = expected.map((words) =>
      words.at(-1) === '=' ? exactly(...words.slice(0, -1)) : prefix(...words),
    );
    expect(suggestRules([], cmd, at())).toEqual(rules);
    expect(isCovered(suggestRules([], cmd, at()), cmd, at())).toBe(true);
  });

  it('only what is not allowed yet', () => {
    expect(suggestRules([prefix('npm', 'test')], 'npm test && git push', at())).toEqual([
      prefix('git', 'push'),
    ]);
  });

  it.each([
    'sudo make',
    'pkill node',
    'rm -rf ~',
    'bash',
    'ls *.ts',
    'ls $x',
    'A=1 npm test',
    'npm test > /tmp/x',
    'npm test | sh',
    'xargs rm',
    'eval x',
    'export A=1',
    'for x in a; do npm test; done',
    'git -c a=b push',
    'a && b && c && d',
    'git push --receive-pack=x',
    "npm 'a",
    '',
  ])('nothing for %j', (cmd) => {
    const suggested = suggestRules([], cmd, at());
    if (cmd === 'git -c a=b push') expect(suggested).toEqual([exactly('git', '-c', 'a=b', 'push')]);
    else expect(suggested).toEqual([]);
  });
});
