import fs from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ToolError, toolError } from '../../supervisor/tool-error.ts';

/**
 * The folders that a client names as its roots, without links. Roots that are no folders of this machine are left out.
 * None at all is no restriction: clients name none when no folder is open in them.
 */
export async function rootFolders(roots: readonly { readonly uri: string }[]): Promise<string[]> {
  const folders = roots.flatMap(({ uri }) => {
    try {
      return fileURLToPath(uri);
    } catch {
      return []; // another scheme, or another machine
    }
  });
  return Promise.all(folders.map(withoutLinks));
}

/** Why a command may not be started in `workdir`; null when it may. A folder that is missing is told by the host. */
export async function refuseWorkdir(
  workdir: string,
  workspace: string,
  roots: readonly string[],
): Promise<ToolError | null> {
  if (roots.length === 0) return null;
  const folder = await withoutLinks(path.resolve(workspace, workdir));
  if (roots.some((root) => isWithin(folder, root))) return null;
  return toolError(
    'invalid_arguments',
    `workdir: ${folder} is outside the folders that this client allows: ${roots.join(', ')}.`,
  );
}

function isWithin(folder: string, root: string): boolean {
  const way = path.relative(root, folder);
  return way === '' || (way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way));
}

const withoutLinks = (folder: string) => fs.realpath(folder).catch(() => path.resolve(folder));
