export const HELP = `Switchyard runs commands in real terminals, under a supervisor.

  switchyard                         open the window
  switchyard [--new-session] FOLDER  open it on a session in that folder
  switchyard run -- COMMAND...       run a command here, supervised
  switchyard jobs [--json]           list everything that is running
  switchyard stop ID...              stop a command with all that it started
  switchyard mcp                     serve the terminals to an MCP client

The window opens once: a second start shows the one that is open. A folder's
empty session is shown again; --new-session always makes another one.

run      has a terminal of its own, and Ctrl+C goes there. The exit status is
         the command's: 128 + n after signal n, 124 when the time of
         --timeout SECONDS was up, 125 when its end was not seen.
         Ctrl+] twice leaves the command to itself. Then, or when this
         terminal is closed, it runs on: "switchyard jobs" and the window
         show it, and "switchyard stop" ends it.
         One word behind "--" is a line for the shell: run -- 'make && ./a'.
         Several are a program and its arguments: run -- grep -r 'a b' src.
         Input is passed on from a terminal only, not from a pipe or a file.
jobs     shows the beginning of each ID; any unique beginning will do.
stop     waits until everything is gone. Exit status 1: something survived.

  --data-dir PATH    another data folder than the app's own, for each of
                     these; so does SWITCHYARD_DATA_DIR
  -v, --version      -h, --help
`;
