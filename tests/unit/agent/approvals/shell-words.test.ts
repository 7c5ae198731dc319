// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are the shell's
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parseShell, type Word } from '../../../../electron/agent/approvals/shell-words.ts';

/** Words whose value is not fixed by the text are shown by their source in guillemets. */
const shown = (word: Word) => word.text ?? `«${word.source}»`;
const wordsOf = (cmd: string) => parseShell(cmd).commands.map(({ words }) => words.map(shown));

describe('understood', () => {
  it.each<[string, string[][]]>([
    ['git status', [['git', 'status']]],
    ['  git\tstatus  ', [['git', 'status']]],
    [
      'git status; rm -rf ~',
      [
        ['git', 'status'],
        ['rm', '-rf', '«~»'],
      ],
    ],
    ['a && b || c | d & e', [['a'], ['b'], ['c'], ['d'], ['e']]],
    ['a\nb\n\nc', [['a'], ['b'], ['c']]],
    ['a;b;', [['a'], ['b']]],
    ['a|&b', [['a'], ['b']]],
    ['a&&b||c', [['a'], ['b'], ['c']]],
    ['echo \'a b\' "c d" e\\ f', [['echo', 'a b', 'c d', 'e f']]],
    ['echo \'a; rm x\' "b && c" d\\;e', [['echo', 'a; rm x', 'b && c', 'd;e']]],
    ['\'git\' "sta"tus', [['git', 'status']]],
    ["g'i't st\\atus", [['git', 'status']]],
    ['echo "a\\"b\\\\c\\d"', [['echo', 'a"b\\c\\d']]],
    ["echo ''", [['echo', '']]],
    ['git \\\n status', [['git', 'status']]],
    ['git sta\\\ntus', [['git', 'status']]],
    ['echo "a\\\nb"', [['echo', 'ab']]],
    ['echo a # ; rm x', [['echo', 'a']]],
    ['# nothing\ngit status', [['git', 'status']]],
    ['echo a#b', [['echo', 'a#b']]],
    [
      'echo $(rm x)',
      [
        ['rm', 'x'],
        ['echo', '«$(rm x)»'],
      ],
    ],
    [
      'echo "$(rm x)"',
      [
        ['rm', 'x'],
        ['echo', '«"$(rm x)"»'],
      ],
    ],
    [
      'echo `rm x`',
      [
        ['rm', 'x'],
        ['echo', '«`rm x`»'],
      ],
    ],
    [
      'echo "`rm x`"',
      [
        ['rm', 'x'],
        ['echo', '«"`rm x`"»'],
      ],
    ],
    ['echo `a \\`b\\``', [['b'], ['a', '«`b`»'], ['echo', '«`a \\`b\\``»']]],
    ['echo $(a $(b))', [['b'], ['a', '«$(b)»'], ['echo', '«$(a $(b))»']]],
    ['echo $(a; b) c', [['a'], ['b'], ['echo', '«$(a; b)»', 'c']]],
    [
      'echo "$(echo ")")"',
      [
        ['echo', ')'],
        ['echo', '«"$(echo ")")"»'],
      ],
    ],
    ["echo '$(rm x)'", [['echo', '$(rm x)']]],
    ['echo \\$x', [['echo', '$x']]],
    ['(a; b) && c', [['a'], ['b'], ['c']]],
    ['((a)|b)'.slice(1, 4), [['a']]],
    ['{ a; b; }', [['a'], ['b']]],
    ['{ a; } > f', [['a'], []]],
    ['! a', [['a']]],
    ['if a; then b; elif c; then d; else e; fi', [['a'], ['b'], ['c'], ['d'], ['e']]],
    ['"if" a', [['if', 'a']]],
    ['echo if then', [['echo', 'if', 'then']]],
    ['echo $x "$y" ${z}', [['echo', '«$x»', '«"$y"»', '«${z}»']]],
    ['echo $1 $@ $$ $! $?', [['echo', '«$1»', '«$@»', '«$$»', '«$!»', '«$?»']]],
    ['echo a$', [['echo', 'a$']]],
    ['ls *.ts a?b [ab]', [['ls', '«*.ts»', '«a?b»', '«[ab]»']]],
    ["ls '*'", [['ls', '*']]],
    ['[ -f x ] && a', [['[', '-f', 'x', ']'], ['a']]],
    ['find . -exec a {} \\;', [['find', '.', '-exec', 'a', '{}', ';']]],
    ['git {push,pull}', [['git', '«{push,pull}»']]],
    [
      'cd ~ && cd ~ada/x',
      [
        ['cd', '«~»'],
        ['cd', '«~ada/x»'],
      ],
    ],
    ['echo a~b "~"', [['echo', 'a~b', '~']]],
    ['git status > out 2>&1', [['git', 'status']]],
    ['git status 2>err >>out <in', [['git', 'status']]],
    ['> f', [[]]],
    ['>f git status', [['git', 'status']]],
    ['echo 2 >f', [['echo', '2']]],
    ['echo a2>f', [['echo', 'a2']]],
    ['a &>f', [['a'], []]],
    ['cat <<EOF\nrm -rf ~\n$x\nEOF\necho b', [['cat'], ['echo', 'b']]],
    ['cat <<EOF\n$(rm x) `rm y`\nEOF', [['cat'], ['rm', 'x'], ['rm', 'y']]],
    ["cat <<'EOF'\n$(rm x)\nEOF", [['cat']]],
    ['cat <<\\EOF\n$(rm x)\nEOF', [['cat']]],
    ['cat <<-EOF\n\ta\n\tEOF\nb', [['cat'], ['b']]],
    ['cat <<A <<B\na\nA\nb\nB\nc', [['cat'], ['c']]],
    ['cat <<EOF; rm x\na\nEOF', [['cat'], ['rm', 'x']]],
    ['cat <<<"$(rm x)"', [['rm', 'x'], ['cat']]],
    [
      "git commit -m \"$(cat <<'EOF'\nit's; rm x\nEOF\n)\"",
      [['cat'], ['git', 'commit', '-m', expect.anything()]],
    ],
  ])('%s', (cmd, expected) => {
    expect(wordsOf(cmd)).toEqual(expected);
    expect(parseShell(cmd).isUnderstood).toBe(true);
  });
});

describe('not understood, and what is found in it', () => {
  it.each<[string, string[]]>([
    ["echo 'a", ['echo']],
    ['echo "a', ['echo']],
    ['echo `a', ['echo']],
    ['echo $(a', ['a']],
    ['echo $((1+1))', ['echo']],
    ['((x=1))', []],
    ['echo ${x:-$(rm y)}', ['rm']],
    ['echo "${x:=`rm y`}"', ['rm']],
    ["echo $'a\\'; rm x; #'", ['echo']],
    ['echo $"a"', ['echo']],
    ['echo $[1+1]', ['echo']],
    ['f() { sudo rm x; }', ['sudo']],
    ['f () ( rm x )', ['rm']],
    ['function f { rm x; }', ['function']],
    ['x=(a b)', []],
    ['case x in a) rm y;; esac', ['rm']],
    ['for f in a b; do rm $f; done', ['rm']],
    ['while a; do rm b; done', ['rm']],
    ['[[ -f x ]] && rm x', ['rm']],
    ['coproc rm x', []],
    ['diff <(rm a) <(b)', ['rm', 'b']],
    ['a >(rm b)', ['rm']],
    ['ls *(e:x:)', ['ls']],
    ['git status (rm x)', ['rm']],
    ['a >', ['a']],
    ['a > ; rm x', ['rm']],
    ['a >! b', ['a']],
    ['a )', ['a']],
    ['cat <<EOF\nrm x', ['cat']],
    ['cat <<EOF\nEO\\\nF\nrm -rf ~\nEOF', ['cat']],
    ['cat <<EOF $(a\nb)\nEOF', ['a']],
    ['{ echo a }', ['echo']],
    ['a;;b', ['a', 'b']],
    ['a \\', ['a']],
    ['a &| b', ['a', 'b']],
    [`${'$('.repeat(200)}a`, []],
    [`${'$('.repeat(20_000)}`, []],
    [`${'`'.repeat(20_001)}`, []],
    [`echo ${'${x:-'.repeat(20_000)}`, ['echo']],
  ])('%#', (cmd, programs) => {
    const shell = parseShell(cmd);
    expect(shell.isUnderstood).toBe(false);
    const found = shell.commands.map(({ words }) => words[0]?.text);
    for (const program of programs) expect(found).toContain(program);
  });
});

it('tells assignments in front of a command from words', () => {
  const [first, second] = parseShell('A=1 B="$(x)" env C=2; a D=3').commands.slice(1);
  expect(first?.assignments.map(shown)).toEqual(['A=1', '«B="$(x)"»']);
  expect(first?.words.map(shown)).toEqual(['env', 'C=2']);
  expect(second?.words.map(shown)).toEqual(['a', 'D=3']);
});

it('tells redirections with their targets', () => {
  const [command] = parseShell('a 2>>x >&2 <> y >|"z z" &').commands;
  expect(command?.redirections.map(({ operator, target }) => [operator, target?.text])).toEqual([
    ['>>', 'x'],
    ['>&', '2'],
    ['<>', 'y'],
    ['>|', 'z z'],
  ]);
});

test('quoting a word for the shell gives the word back, whatever it is', () => {
  const anyWord = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.includes('\0'));
  fc.assert(
    fc.property(fc.array(anyWord, { minLength: 1, maxLength: 5 }), (words) => {
      const cmd = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
      expect(wordsOf(cmd)).toEqual([words]);
    }),
  );
});

test('any text is read to its end, in time and without a throw', () => {
  const piece = fc.constantFrom(
    ...[
      'a',
      ' ',
      '\n',
      ';',
      '&',
      '|',
      '(',
      ')',
      '{',
      '}',
      '<',
      '>',
      '<<',
      'EOF',
      '$',
      '$(',
      '${',
      '`',
      '"',
      "'",
    ],
    ...['\\', '#', '~', '*', '=', 'if', 'do', 'case', 'esac', '2>', '!'],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const cmd = pieces.join('');
      expect(Array.isArray(parseShell(cmd).commands)).toBe(true);
    }),
    { numRuns: 3_000 },
  );
});
