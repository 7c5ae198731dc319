import type { SessionView } from '../../../shared/model/session.ts';
import { spentInWords } from '../../../shared/model/spent.ts';
import { useChats } from '../../stores/chats.ts';
import { plural } from '../commands/command-text.ts';
import { turnsInWords } from './turns-spent.ts';

/** What a session has used so far; by turn in the tooltip. Of an agent without a model only the requests. */
export function SessionSpent({ session }: { session: SessionView }) {
  const messages = useChats(({ chats }) => chats[session.id]?.messages);
  const { requests, spent } = session;
  if (requests === 0) return null;
  const words = spent ? spentInWords(spent) : plural(requests, 'request');
  const others = requests - (spent?.requests ?? requests);
  const title = [
    spent && messages ? turnsInWords(messages) : '',
    others > 0 ? `${plural(others, 'more request')} used nothing that was counted` : '',
  ].filter((line) => line !== '');
  return (
    <p className="session-spent num cut" title={title.length > 0 ? title.join('\n') : words}>
      {words}
    </p>
  );
}
