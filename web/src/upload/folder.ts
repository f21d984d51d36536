import type { Brought } from "./zip";

/** What is dropped or chosen has at most so many files; more go by the command. */
export const MOST_FILES = 20_000;

export class TooManyFilesError extends Error {}

/** What was chosen as a folder, or as files: paths without the folder's own name. */
export function chosenFiles(list: FileList): Brought[] {
  if (list.length > MOST_FILES) throw new TooManyFilesError();
  return [...list].map((file) => ({ path: withoutFirst(file.webkitRelativePath) || file.name, file })).filter(isOwn);
}

/** What was dropped; of one folder its files, else the files themselves. Folders are read a hundred entries at a time. */
export async function droppedFiles(items: DataTransferItemList): Promise<Brought[]> {
  const entries = [...items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const found: Brought[] = [];
  for (const entry of entries) await walk(entry, "", found);
  const isFolder = entries.length === 1 && entries[0]?.isDirectory;
  return (isFolder ? found.map(({ path, file }) => ({ path: withoutFirst(path), file })) : found).filter(isOwn);
}

async function walk(entry: FileSystemEntry, above: string, found: Brought[]): Promise<void> {
  const path = `${above}${entry.name}`;
  if (isFile(entry)) {
    if (found.length >= MOST_FILES) throw new TooManyFilesError();
    found.push({ path, file: await new Promise<File>((resolve, reject) => entry.file(resolve, reject)) });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const some = () => new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
  for (let inner = await some(); inner.length > 0; inner = await some()) {
    for (const each of inner) await walk(each, `${path}/`, found);
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function withoutFirst(path: string): string {
  return path.slice(path.indexOf("/") + 1);
}

/** Files that systems leave in folders are nobody's. */
function isOwn({ path }: Brought): boolean {
  return !path
    .split("/")
    .some((name) => name.startsWith(".") || ["Thumbs.db", "desktop.ini", "__MACOSX"].includes(name));
}
