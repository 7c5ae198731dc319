import fs from 'node:fs/promises';
import path from 'node:path';

/**
 * Replaces a file whole or not at all, 0600, made with its folder. A reader sees the old text or the new one.
 */
export async function writeFileAtomically(file: string, text: string): Promise<void> {
  await fs.mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    const handle = await fs.open(temporary, 'w', 0o600);
    try {
      await handle.writeFile(text);
      // a rename that reaches the disk before the bytes would leave an empty file after a power cut
      await handle.sync();
    } finally {
      await handle.close();
    }
    await fs.rename(temporary, file);
  } catch (error) {
    await fs.rm(temporary, { force: true });
    throw error;
  }
}
