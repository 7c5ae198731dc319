/** What a model is told about each tool. A short version of the same stands in the system prompt. */
export const TOOL_DESCRIPTIONS = {
  exec_command: `Runs a shell command in a terminal of its own and returns its output so far.

When it ends at once you get its end: status, exit_code, output, and no session_id. When it has written something and goes
on, or still runs after yield_time_ms, you get status running and a handle, session_id, for write_stdin, wait, read_output
and stop_command. Yielding never ends the command; only timeout_ms does, and only if you set it.

Without tty the command gets end of file when it reads. Set tty to true for one that asks questions, and answer with
write_stdin. An exit_code of null means that no exit code was observed: after a signal, or when the end was not seen.
Each call is a new shell: put cd and exports into the same cmd.`,

  write_stdin: `Writes chars to a running command exactly as given (no newline is added: end a line with "\\n"), and returns its
new output. Empty chars only look for new output. The command must have been started with tty: true to be written to;
chars of exactly U+0003 interrupt any command. eof: true ends its input. A result's attention says what a command waits
for: needs-input (chars), needs-secret (only the person may type it), serving (ports), quiet.

Do not look in a loop. Call wait, which costs nothing and wakes you when the command ends.`,

  wait: `Ends your turn and sleeps, at no cost, until all of these commands have ended. You are woken once and told how each
ended. This is the right way to wait for builds, tests, installs and anything else that takes more than some seconds.

With until {"match": regular expression} you are woken when one of them writes a line that matches, with {"port": n}
when one of them listens on that port: use these for servers, which do not end. With deadline_ms you are woken then at
the latest. The commands run on in every case.`,

  list_commands: `Lists the commands of this session, also ended ones: session_id, state, age, quiet time, exit, and processes that they left
running. Use it when you have lost a handle; not to wait.`,

  read_output: `Reads the complete output of a command, also of an ended one: a page from a byte offset, or, with search, the lines
that contain a text. It does not move what write_stdin returns next.`,

  stop_command: `Stops one command and everything that it started: SIGTERM, two seconds to clean up, SIGKILL, and a look whether all is
gone. On an ended command it stops what that left running. Use this instead of kill, pkill or killall, which hit
processes that are not yours.`,
} as const;
