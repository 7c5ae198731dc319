import { useShallow } from 'zustand/shallow';
import { isTerminal } from '../../../shared/model/command-state.ts';
import type { SessionView, Wait } from '../../../shared/model/session.ts';
import { call } from '../../bridge/client.ts';
import { useFacts } from '../../stores/facts.ts';
import { attempt } from '../../stores/notices.ts';
import { Button } from '../../ui/button.tsx';
import { Elapsed } from '../../ui/elapsed.tsx';
import { StateDot } from '../../ui/state-dot.tsx';
import { plural, shortCommand } from '../commands/command-text.ts';

const BANNER_CHARACTERS = 36;

const stopWaiting = (sessionId: string): void =>
  void attempt(() => call('session.stopWaiting', { sessionId }));

/** Says what a sleeping session waits for, for how long, and how to get out. Slimmer while a turn runs meanwhile. */
export function SuspendedBanner({ session }: { session: SessionView }) {
  const { wait } = session;
  const cmds = useFacts(useShallow(({ commands }) => waitedCommands(wait, commands)));
  if (wait === null) return null;
  const [first] = cmds;
  const wished = wishOf(wait.until);
  const short = first === undefined || cmds.length > 1 ? '' : shortCommand(first, BANNER_CHARACTERS);
  const waited =
    short !== '' ? (
      <code className="mono waited" title={first}>
        {short}
      </code>
    ) : (
      plural(cmds.length, 'command')
    );

  if (session.status !== 'suspended') {
    return (
      <div className="banner slim" role="status">
        <StateDot tone="wait" />
        <span className="banner-text muted">
          Still waiting for {waited}
          {wished}
        </span>
        <Elapsed since={wait.registeredAt} until={null} />
        <Button look="plain" onClick={() => stopWaiting(session.id)}>
          Stop waiting
        </Button>
      </div>
    );
  }
  return (
    <div className="banner" role="status">
      <StateDot tone="wait" />
      <span className="banner-text">
        <b>Suspended.</b>{' '}
        <span className="muted">
          Waiting for {waited}
          {wished}
          {wished === '' && short.endsWith('…') ? '' : '.'} No requests are sent while it sleeps.
        </span>
      </span>
      <Elapsed since={wait.registeredAt} until={null} />
      <Button onClick={() => stopWaiting(session.id)}>Stop waiting</Button>
    </div>
  );
}

/** What a command is to do for the session to wake. Its end is what is meant when nothing is said. */
function wishOf(until: Wait['until']): string {
  switch (until.kind) {
    case 'exit':
      return '';
    case 'match':
      return ` to print ${until.pattern}`;
    case 'port':
      return ` to listen on port ${until.port}`;
  }
}

/** Texts of the commands still waited for. */
function waitedCommands(
  wait: Wait | null,
  commands: ReturnType<typeof useFacts.getState>['commands'],
): string[] {
  const waited = (wait?.commandIds ?? []).map((id) => commands[id]);
  const known = waited.filter((command) => command !== undefined);
  const live = known.filter(({ state }) => !isTerminal(state));
  return (live.length > 0 ? live : known).map(({ cmd }) => cmd);
}
