import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useState } from "react";
import parts from "@/ui/parts.module.css";
import { chosenFiles, droppedFiles, MOST_FILES, TooManyFilesError } from "@/upload/folder";
import type { Brought } from "@/upload/zip";
import styles from "./office.module.css";

interface DropProps {
  title: ReactNode;
  /** Kinds of single files that are taken beside a folder. */
  accept: string;
  take: (files: readonly Brought[]) => unknown;
  children?: ReactNode;
}

/** Where a folder or files are dropped, or chosen by two buttons; reading them begins only when they are packed. */
export function Drop({ title, accept, take, children }: DropProps) {
  const { t } = useLingui();
  const [over, setOver] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const bring = async (files: () => readonly Brought[] | Promise<readonly Brought[]>) => {
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
