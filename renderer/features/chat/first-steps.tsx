import { attempt } from '../../stores/notices.ts';
import { Button } from '../../ui/button.tsx';
import { sendMessage } from './send.ts';

/** Short, long-lived, and one with a true exit code: the three things that the app is about. */
const EXAMPLES = [
  'for i in 1 2 3; do echo step $i; sleep 2; done',
  'python3 -m http.server 8080',
  'sleep 120; printf done; exit 7',
] as const;

/** What an empty session offers: three commands to press. */
export function FirstSteps({ sessionId }: { sessionId: string | null }) {
  return (
    <div className="first-steps">
      <b>Nothing runs yet</b>
      Press one, or write a command.
      {EXAMPLES.map((cmd, index) => (
        <div className="example" key={cmd}>
          <code className="cmd-text" id={`example-${index}`}>
            {cmd}
          </code>
          <Button
            aria-describedby={`example-${index}`}
            onClick={() => void attempt(() => sendMessage(sessionId, cmd))}
          >
            Run
          </Button>
        </div>
      ))}
    </div>
  );
}
