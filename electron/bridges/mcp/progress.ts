import type { Clock } from '../../supervisor/ports.ts';

/** Some clients give up a call that tells nothing for 60 s. */
const EVERY_MS = 5_000;
const MAX_CHARACTERS = 200;

/** Tells at once and then now and then how a call gets on. Returns the way out. */
export function reportProgress(
  clock: Clock,
  message: () => string,
  send: (progress: { progress: number; message: string }) => void,
): () => void {
  const began = clock.now();
  let isOver = false;
  let cancel = () => {};
  const tell = () => {
    if (isOver) return;
    const seconds = Math.round((clock.now() - began) / 1000);
    send({ progress: seconds, message: message().slice(0, MAX_CHARACTERS) });
    cancel = clock.after(EVERY_MS, tell);
  };
  tell();
  return () => {
    isOver = true;
    cancel();
  };
}
