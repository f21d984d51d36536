import { Plural, useLingui } from "@lingui/react/macro";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { post, read, type Schemas } from "@/api/client";
import { useAction } from "@/ui/forms";
import { bring, measured } from "@/upload/parts";
import { type FolderFile, zipOf } from "@/upload/zip";
import suffixes from "./exports.json";

/** Endings of zips and of every format that the platform reads; tests/docs/test_formats.py writes the list. */
export const EXPORTS = ["application/zip", ...suffixes].join(",");

const MEBIBYTE = 1024 * 1024;

type Order = Pick<Schemas["ImportRequest"], "kind" | "set" | "set_kind" | "new_cycle">;

interface Way {
  readonly step: "packing" | "measuring" | "uploading";
  readonly done: number;
  readonly all: number;
}

/** Return the file itself if it is the only one and a zip, else a zip of all files; report what is read. */
async function packed(files: readonly FolderFile[], tell: (way: Way) => void): Promise<Blob> {
  const [only] = files;
  if (files.length === 1 && only?.path.endsWith(".zip")) return only.file;
  const all = files.reduce((sum, { file }) => sum + file.size, 0);
  return zipOf(files, { tell: (done) => tell({ step: "packing", done, all }) });
}

/**
 * Announce the files, upload them in parts, and let a worker check and load them; return the import's id. The same
 * files make the same zip, so an interrupted upload continues where it was.
 */
async function imported(order: Order, files: readonly FolderFile[], tell: (way: Way) => void): Promise<string> {
  const zip = await packed(files, tell);
  const all = zip.size;
  const about = await measured(zip, { tell: (done) => tell({ step: "measuring", done, all }) });
  const { import_id, missing_parts: missing } = await post("/v1/imports", {}, { ...order, ...about });
  const address = async (part: number) =>
    (await read("/v1/imports/{import_id}/parts/{part}", { import_id, part })).address;
  const some = missing ? { missing } : {};
  await bring({ file: zip, address, ...some, tell: (done) => tell({ step: "uploading", done, all }) });
  await post("/v1/imports/{import_id}/complete", { import_id });
  return import_id;
}

function Progress({ of: { step, done, all } }: { of: Way }) {
  const { t } = useLingui();
  const [some, whole] = [Math.round(done / MEBIBYTE), Math.ceil(all / MEBIBYTE)];
  const words = {
    packing: t`Packing: ${some} of ${whole} MiB.`,
    measuring: t`Measuring: ${some} of ${whole} MiB.`,
    uploading: t`${some} of ${whole} MiB have arrived. Leave this page open.`,
  };
  return (
    <p role="status">
      <progress value={done} max={Math.max(1, all)} aria-label={t`Upload`} /> {words[step]}
    </p>
  );
}

/** Upload files as `order` says and open the page of their import; `progress` shows the upload's progress. */
export function useImport(order: () => [order: Order, files: readonly FolderFile[]]) {
  const navigate = useNavigate();
  const [way, setWay] = useState<Way | null>(null);
  const action = useAction(
    () => imported(...order(), setWay),
    (importId) => navigate({ to: "/desk/imports/$importId", params: { importId } }),
    { onSettled: () => setWay(null) },
  );
  return { ...action, progress: way && <Progress of={way} /> };
}

/** Number of chosen files. */
export function Chosen({ files }: { files: readonly FolderFile[] }) {
  if (files.length === 0) return null;
  return (
    <p role="status">
      <Plural value={files.length} one="# file chosen" other="# files chosen" />
    </p>
  );
}
