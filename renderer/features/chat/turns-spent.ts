import type { Message } from '../../../shared/model/message.ts';
import { addSpent, NOTHING_SPENT, spentInWords } from '../../../shared/model/spent.ts';
import type { Spent } from '../../../shared/model/usage.ts';

const TITLE_CHARACTERS = 40;
const MOST_TURNS = 8;

/** What a turn has used, and what it was about. */
export interface TurnSpent {
  readonly about: string;
  readonly spent: Spent;
}

/** Sums by turn: each begins with a person's message or a wake. Turns that asked no model are left out. */
export function turnsSpent(messages: readonly Message[]): TurnSpent[] {
  const turns: TurnSpent[] = [];
  let about = 'Earlier';
  let spent = NOTHING_SPENT;
  const close = () => {
    if (spent.requests > 0) turns.push({ about, spent });
    spent = NOTHING_SPENT;
  };
  for (const message of messages) {
    if (message.role === 'assistant' && message.spent) spent = addSpent(spent, message.spent);
    else if (message.role === 'user') {
      close();
      about = shortened(message.text);
    } else if (message.role === 'runtime' && message.kind === 'resumed') {
      close();
      about = 'After the wake';
    }
  }
  close();
  return turns;
}

function shortened(text: string): string {
  const line = Array.from(text.trim().split('\n', 1)[0] ?? '');
  return line.length > TITLE_CHARACTERS ? `${line.slice(0, TITLE_CHARACTERS).join('')}…` : line.join('');
}

/** The newest turns, one a line, for a tooltip. */
export const turnsInWords = (messages: readonly Message[]): string =>
  turnsSpent(messages)
    .slice(-MOST_TURNS)
    .map((turn) => `${turn.about}: ${spentInWords(turn.spent)}`)
    .join('\n');
