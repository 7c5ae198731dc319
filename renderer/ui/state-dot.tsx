/** The four looks of a state: alive, waiting, failed, at rest. */
export type Tone = 'run' | 'wait' | 'fail' | 'idle';

/** The dot beside a state's words. It says nothing that they do not. */
export function StateDot({ tone }: { tone: Tone }) {
  return <span className={`dot ${tone}`} aria-hidden="true" />;
}
