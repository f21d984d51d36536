import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, type Schemas } from "@/api/client";
import { setKindWord } from "@/pages/cabinet/words";
import { Button } from "@/ui/controls";
import { Problem } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { bring } from "@/upload/bring";
import { measured } from "@/upload/parts";
import { WhatWord } from "./importWords";

type Kind = NonNullable<Schemas["ImportRequest"]["set_kind"]>;

const KINDS: readonly Kind[] = ["training", "test", "final", "reserve"];
const MEBIBYTE = 1024 * 1024;

/** A zip on its way to the platform: announced by its SHA-256, brought in parts, then checked by a worker. */
export function Importing({ names }: { names: readonly string[] }) {
  const { i18n } = useLingui();
  const navigate = useNavigate();
  const [what, setWhat] = useState<"set" | "cycle">("set");
  const [name, setName] = useState("");
  const [kind, setKind] = useState<Kind>("training");
  const [file, setFile] = useState<File | null>(null);
  const [arrived, setArrived] = useState(0);
  const isNew = what === "set" && name !== "" && !names.includes(name);
  const bringing = useMutation({
    mutationFn: async (zip: File) => {
      setArrived(0);
      const of = what === "set" ? { set: name, ...(isNew ? { set_kind: kind } : {}) } : {};
      const { data } = await api.POST("/v1/imports", { body: { kind: what, ...of, ...(await measured(zip)) } });
      const importId = String(data?.import_id);
      const address = async (part: number) => {
        const path = { import_id: importId, part };
        return String((await api.GET("/v1/imports/{import_id}/parts/{part}", { params: { path } })).data?.address);
      };
      await bring({ file: zip, address, tell: setArrived });
      await api.POST("/v1/imports/{import_id}/complete", { params: { path: { import_id: importId } } });
      return importId;
    },
    onSuccess: (importId) => navigate({ to: "/desk/imports/$importId", params: { importId } }),
  });
  return (
    <section aria-labelledby="import-title">
      <h2 id="import-title">
        <Trans>Import</Trans>
      </h2>
      <p>
        <Trans>
          A zip goes to the platform, which checks all of it, lists every fault there is, and loads all or nothing. What
          is in the cycle stays until then.
        </Trans>
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (file) bringing.mutate(file);
        }}
      >
        {bringing.error && <Problem error={bringing.error} />}
        <label className={parts.field}>
          <Trans>What the zip holds</Trans>
          <select value={what} onChange={(event) => setWhat(event.currentTarget.value as "set")}>
            <option value="set">
              <WhatWord what="set" />
            </option>
            <option value="cycle">
              <WhatWord what="cycle" />
            </option>
          </select>
        </label>
        {what === "set" && (
          <label className={parts.field}>
            <Trans>Name of the set (one that is there is replaced)</Trans>
            <input
              required
              list="set-names"
              maxLength={40}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <datalist id="set-names">
              {names.map((each) => (
                <option key={each} value={each} />
              ))}
            </datalist>
          </label>
        )}
        {isNew && (
          <label className={parts.field}>
            <Trans>Kind of the new set</Trans>
            <select value={kind} onChange={(event) => setKind(event.currentTarget.value as Kind)}>
              {KINDS.map((each) => (
                <option key={each} value={each}>
                  {i18n._(setKindWord(each))}
                </option>
              ))}
            </select>
          </label>
        )}
        <label className={parts.field}>
          <Trans>Zip (256 MiB at most)</Trans>
          <input
            required
            type="file"
            accept=".zip,application/zip"
            onChange={(event) => setFile(event.currentTarget.files?.[0] ?? null)}
          />
        </label>
        <p>
          <Button primary type="submit" isDisabled={bringing.isPending || !file}>
            <Trans>Bring the zip</Trans>
          </Button>
        </p>
      </form>
      {bringing.isPending && file && <Progress arrived={arrived} of={file.size} />}
    </section>
  );
}

function Progress({ arrived, of }: { arrived: number; of: number }) {
  const { t } = useLingui();
  const done = Math.round(arrived / MEBIBYTE);
  const whole = Math.ceil(of / MEBIBYTE);
  return (
    <p role="status">
      <progress value={arrived} max={of} aria-label={t`Upload`} />{" "}
      <Trans>
        {done} of {whole} MiB have arrived. Leave this page open.
      </Trans>
    </p>
  );
}
