import { describe, expect, test } from 'vitest';
import { splitCommands } from '../../../electron/agent/built-in/split-commands.ts';

describe('splitCommands', () => {
  const cases: [string, string, string[]][] = [
    ['one line is one command', 'echo hi', ['echo hi']],
    ['each line is a command', 'echo a\n\n  echo b  \n', ['echo a', 'echo b']],
    ['comments and blank lines are left out', '# first\necho a # tail\n#x', ['echo a # tail']],
    ['a hash inside a word is no comment', 'echo a#"\n"\necho b', ['echo a#"\n"', 'echo b']],
    ['an open quote goes on', "printf 'a\nb'\necho c", ["printf 'a\nb'", 'echo c']],
    ['an escaped quote does not close', 'echo "a\\"\nb"\nls', ['echo "a\\"\nb"', 'ls']],
    ['a backslash joins lines', 'echo a \\\n b\nls', ['echo a \\\n b', 'ls']],
    [
      'a list operator goes on',
      'true &&\necho b\nfalse ||\nls\nls |\nwc',
      ['true &&\necho b', 'false ||\nls', 'ls |\nwc'],
    ],
    ['a background job does not go on', 'sleep 1 &\nls', ['sleep 1 &', 'ls']],
    [
      'a loop goes on to done',
      'for i in 1 2; do\n echo $i\ndone\nls',
      ['for i in 1 2; do\n echo $i\ndone', 'ls'],
    ],
    ['while with the do on its own line', 'while true\ndo ls\ndone\nls', ['while true\ndo ls\ndone', 'ls']],
    ['a done before its loop is left to the shell', 'done\nls', ['done', 'ls']],
    [
      'if and case nest',
      'if true; then\ncase x in\n x) echo y;;\nesac\nfi\nls',
      ['if true; then\ncase x in\n x) echo y;;\nesac\nfi', 'ls'],
    ],
    ['the word do as an argument opens nothing', 'echo do\nls', ['echo do', 'ls']],
    ['a function body goes on', 'f() {\n echo hi\n}\nf', ['f() {\n echo hi\n}', 'f']],
    ['a subshell goes on', '(cd /\nls)\npwd', ['(cd /\nls)', 'pwd']],
    ['command substitution goes on', 'echo $(date\n)\nls', ['echo $(date\n)', 'ls']],
    ['a heredoc goes on to its word', "cat <<'X' > f\nif a (\nX\nls", ["cat <<'X' > f\nif a (\nX", 'ls']],
    ['an indented heredoc', 'cat <<-E\n\ta\n\tE\nls', ['cat <<-E\n\ta\n\tE', 'ls']],
    ['a here string is no heredoc', 'cat <<< "a"\nls', ['cat <<< "a"', 'ls']],
    ['a fenced block is one script', '```sh\necho a\necho b\n```', ['echo a\necho b']],
    ['what never becomes complete is still run', 'echo "a\nls', ['echo "a\nls']],
    [
      'the gate loop of the main job is one line',
      "while [ ! -f '/tmp/g' ]; do sleep 0.01; done; printf x; exit 7",
      ["while [ ! -f '/tmp/g' ]; do sleep 0.01; done; printf x; exit 7"],
    ],
  ];
  test.each(cases)('%s', (_name, text, commands) => {
    expect(splitCommands(text)).toEqual(commands);
  });
});
