/** Tells the person something that is no output of a command. */
export function say(sentence: string): void {
  process.stderr.write(`switchyard: ${sentence}\n`);
}
