import { create } from 'zustand';
import { sentenceOf } from '../bridge/client.ts';

export interface Notice {
  readonly id: number;
  readonly text: string;
}

interface NoticesState {
  readonly notices: readonly Notice[];
  add(text: string): void;
  dismiss(id: number): void;
}

const MOST_NOTICES = 4;
let count = 0;

/** What went wrong, in sentences, until it is dismissed. */
export const useNotices = create<NoticesState>()((set) => ({
  notices: [],
  add: (text) =>
    set(({ notices }) => {
      const others = notices.filter((notice) => notice.text !== text);
      return { notices: [...others, { id: ++count, text }].slice(-MOST_NOTICES) };
    }),
  dismiss: (id) => set(({ notices }) => ({ notices: notices.filter((notice) => notice.id !== id) })),
}));

/** Runs an action of the user; a failure becomes a notice. Undefined tells that it failed. */
export async function attempt<T>(action: () => Promise<T>): Promise<T | undefined> {
  try {
    return await action();
  } catch (error) {
    useNotices.getState().add(sentenceOf(error));
    return undefined;
  }
}
