/** The last part of a folder's path, which is how people call a workspace. */
export const folderName = (path: string): string =>
  path.split(/[\\/]/).findLast((part) => part !== '') ?? path;
