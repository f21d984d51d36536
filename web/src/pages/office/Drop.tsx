import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useState } from "react";
import parts from "@/ui/parts.module.css";
import type { FolderFile } from "@/upload/zip";
import styles from "./office.module.css";

interface DropProps {
  title: ReactNode;
  /** Types of single files that are accepted besides a folder. */
  accept: string;
  take: (files: readonly FolderFile[]) => unknown;
  children?: ReactNode;
}

/** Area where a folder or files are dropped, or chosen by two buttons; they are read only when they are packed. */
export function Drop({ title, accept, take, children }: DropProps) {
  const { t } = useLingui();
  const [over, setOver] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const bring = async (files: () => readonly FolderFile[] | Promise<readonly FolderFile[]>) => {
    setError(null);
    try {
      const brought = await files();
      if (brought.length > 0) await take(brought);
    } catch (failure) {
      setError(failure);
    }
  };
  const most = MOST_FILES;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what is dropped can be chosen by the two inputs as well
    <div
      className={styles.drop}
      data-over={over || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        const { items } = event.dataTransfer;
        void bring(() => droppedFiles(items));
      }}
    >
      <p>{title}</p>
      <div className={styles.pair}>
        <label>
          <Trans>Choose a folder</Trans>{" "}
          <input
            type="file"
            {...{ webkitdirectory: "" }}
            onChange={({ currentTarget: { files } }) => files && void bring(() => chosenFiles(files))}
          />
        </label>
        <label>
          <Trans>Choose a file</Trans>{" "}
          <input
            type="file"
            accept={accept}
            onChange={({ currentTarget: { files } }) => files && void bring(() => chosenFiles(files))}
          />
        </label>
      </div>
      {error !== null && (
        <p role="alert" className={parts.void}>
          {error instanceof TooManyFilesError
            ? t`More than ${most} files: load the folder with contest cycle load FOLDER --direct.`
            : t`The files cannot be read. Choose them again.`}
        </p>
      )}
      {children}
    </div>
  );
}

/** Highest number of files dropped or chosen at once; more are loaded by the command. */
const MOST_FILES = 20_000;

class TooManyFilesError extends Error {}

/** Return the files chosen as a folder or one by one; paths are without the folder's own name. */
function chosenFiles(list: FileList): FolderFile[] {
  if (list.length > MOST_FILES) throw new TooManyFilesError();
  return [...list].map((file) => ({ path: withoutFirst(file.webkitRelativePath) || file.name, file })).filter(isOwn);
}

/** Return the dropped files, of a single folder those inside it. Folders are read a hundred entries at a time. */
async function droppedFiles(items: DataTransferItemList): Promise<FolderFile[]> {
  const entries = [...items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const files: FolderFile[] = [];
  for (const entry of entries) await walk(entry, "", files);
  const isFolder = entries.length === 1 && entries[0]?.isDirectory;
  return (isFolder ? files.map(({ path, file }) => ({ path: withoutFirst(path), file })) : files).filter(isOwn);
}

async function walk(entry: FileSystemEntry, above: string, files: FolderFile[]): Promise<void> {
  const path = `${above}${entry.name}`;
  if (isFile(entry)) {
    if (files.length >= MOST_FILES) throw new TooManyFilesError();
    files.push({ path, file: await new Promise<File>((resolve, reject) => entry.file(resolve, reject)) });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const some = () => new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
  for (let inner = await some(); inner.length > 0; inner = await some()) {
    for (const entry of inner) await walk(entry, `${path}/`, files);
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function withoutFirst(path: string): string {
  return path.slice(path.indexOf("/") + 1);
}

/** True unless it is a file that operating systems leave in folders. */
function isOwn({ path }: FolderFile): boolean {
  return !path
    .split("/")
    .some((name) => name.startsWith(".") || ["Thumbs.db", "desktop.ini", "__MACOSX"].includes(name));
}
