/** What the built-in agent answers to "help". */
export const HELP = `I am the **built-in agent**. I have no model and need no key: a message to me is a shell command, or several of them, one a line. Each runs in a terminal of its own that you can watch and type into.

- A command that goes quiet, or that you **Detach**, moves to the background. The chat then sleeps without a request and wakes by itself, once, when the command ends.
- You can write to me meanwhile: \`date\` is answered while a build runs.
- Lines of one message run one after another; a fenced code block is one script.
- **Stop** ends a command with everything it started.

Besides commands I know \`help\`, \`/jobs\` (what runs in this session), \`/output\` (the output of the last command, or of a handle) and \`/stop\` (the last live command, or a handle).`;
