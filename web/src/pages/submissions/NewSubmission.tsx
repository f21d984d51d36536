import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { api, type Schemas } from "@/api/client";
import type { Cycle } from "@/ui/contest";
import { Button } from "@/ui/controls";
import { Problem } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { measured } from "@/upload/parts";
import styles from "./submissions.module.css";
import { Bar } from "./Uploading";
import { askedAnew, carryOn } from "./uploads";
import { KINDS, type Kind, type Submission } from "./words";

type Order = Schemas["SubmissionRequest"];

/** What is submitted, from the choice of a file to its announcement; its upload is shown on its own page. */
export function NewSubmission({ cycle }: { cycle: Cycle }) {
  const { i18n, t } = useLingui();
  const navigate = useNavigate();
  const sets = Object.entries(cycle.sets);
  const subtasks = [...new Set(Object.values(cycle.languages).flat())];
  const [kind, setKind] = useState<Kind>(cycle.submissions[0] ?? "answers");
  const [set, setSet] = useState((sets.find(([, { kind: of }]) => of === "test") ?? sets[0])?.[0] ?? "");
  const [left, setLeft] = useState<readonly string[]>([]);
  const [file, setFile] = useState<File | null>(null);
  const [read, setRead] = useState(0);
  const stop = useRef<AbortController>(null);
  const key = useKey();
  useEffect(() => () => stop.current?.abort(), []);
  const chosen = kind === "program" ? subtasks.filter((each) => !left.includes(each)) : [];
  const announcing = useMutation({
    mutationFn: async (of: File) => {
      setRead(0);
      stop.current = new AbortController();
      const { size, sha256, parts: hashes } = await measured(of, { tell: setRead, signal: stop.current.signal });
      const some = chosen.length < subtasks.length ? chosen : [];
      const body: Order = { kind, bytes: size, sha256, parts: hashes, set, groups: [...some] };
      const params = { header: { "Idempotency-Key": key(body) } };
      const { data } = await api.POST("/v1/submissions", { params, body });
      return data as Submission;
    },
    onSuccess: async (made, of) => {
      void carryOn(made, of);
      await askedAnew();
      await navigate({ to: "/cabinet/submissions/$submissionId", params: { submissionId: made.submission_id } });
    },
  });
  const isStopped = announcing.error instanceof DOMException && announcing.error.name === "AbortError";
  return (
    <section className={styles.box} aria-labelledby="new-title">
      <h2 id="new-title">
        <Trans>New submission</Trans>
      </h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (file) announcing.mutate(file);
        }}
      >
        {announcing.error && !isStopped && <Problem error={announcing.error} />}
        {cycle.submissions.length > 1 && (
          <label className={parts.field}>
            <Trans>What is submitted</Trans>
            <select value={kind} onChange={(event) => setKind(event.currentTarget.value as Kind)}>
              {cycle.submissions.map((each) => (
                <option key={each} value={each}>
                  {i18n._(KINDS[each])}
                </option>
              ))}
            </select>
          </label>
        )}
        {sets.length > 1 && (
          <label className={parts.field}>
            <Trans>Set that it answers</Trans>
            <select value={set} onChange={(event) => setSet(event.currentTarget.value)}>
              {sets.map(([name, { files, kind: of }]) => (
                <option key={name} value={name}>
                  {of === "test" ? t`${name}: test, items: ${files}` : t`${name}: training, items: ${files}`}
                </option>
              ))}
            </select>
          </label>
        )}
        {kind === "program" && subtasks.length > 1 && (
          <fieldset className={styles.choice}>
            <legend>
              <Trans>Subtasks that it answers; the others count zero</Trans>
            </legend>
            {subtasks.map((each) => (
              <label key={each}>
                <input
                  type="checkbox"
                  checked={!left.includes(each)}
                  onChange={() => setLeft(left.includes(each) ? left.filter((one) => one !== each) : [...left, each])}
                />
                {each}
              </label>
            ))}
          </fieldset>
        )}
        <label className={parts.field}>
          {kind === "program" ? (
            <Trans>Archive (zip with metadata.json at its root)</Trans>
          ) : (
            <Trans>File with the answers to the whole set</Trans>
          )}
          <input required type="file" onChange={(event) => setFile(event.currentTarget.files?.[0] ?? null)} />
        </label>
        {announcing.isPending && file ? (
          <>
            <p role="status">
              <Trans>The file is read; its SHA-256 is announced with it.</Trans>
            </p>
            <Bar done={read} of={file.size} />
            <Button onPress={() => stop.current?.abort()}>
              <Trans context="deed">Stop</Trans>
            </Button>
          </>
        ) : (
          <Button primary type="submit" isDisabled={!file || (kind === "program" && chosen.length === 0)}>
            <Trans>Submit</Trans>
          </Button>
        )}
      </form>
    </section>
  );
}

/** A key for each thing that is announced: said again after a lost answer, it is the same submission. */
function useKey(): (order: Order) => string {
  const known = useRef({ of: "", key: "" });
  return (order) => {
    const of = JSON.stringify(order);
    if (known.current.of !== of) known.current = { of, key: crypto.randomUUID() };
    return known.current.key;
  };
}
