/** A message that is being written: main and the window put it together from the same deltas. */
export interface Written {
  readonly text: string;
  readonly reasoning: string;
  /** Sentences about it: tried again, the conversation shortened. */
  readonly notes: readonly string[];
}

export const UNWRITTEN: Written = { text: '', reasoning: '', notes: [] };

/** The message with one more delta. After a note the request begins anew, and with it the thinking. */
export function withDelta<T extends Written>(
  written: T,
  delta: string,
  of: 'text' | 'reasoning' | 'note' = 'text',
): T {
  switch (of) {
    case 'text':
      return { ...written, text: written.text + delta };
    case 'reasoning':
      return { ...written, reasoning: written.reasoning + delta };
    case 'note':
      return { ...written, reasoning: '', notes: [...written.notes, delta] };
  }
}
