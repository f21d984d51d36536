import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { put, renewed, type Schemas } from "@/api/client";
import { Button } from "@/ui/controls";
import { Choice, Field, Form, useAction, useDraft } from "@/ui/forms";
import parts from "@/ui/parts.module.css";
import styles from "./coordination.module.css";
import type { Given } from "./data";

type Source = "dictionary" | "session" | "markups" | "off";
type Request = Schemas["SuggestionsRequest"];

/** Switch suggestions on or off for the chosen assignments, or for all that nobody has opened yet. */
export function Suggesting({ markingId, chosen }: { markingId: string; chosen: readonly Given[] }) {
  const { t } = useLingui();
  const { draft, bind } = useDraft({ source: "dictionary" as Source, words: "", session: "" });
  const { source, words, session } = draft;
  const [files, setFiles] = useState<readonly File[]>([]);
  const assignments = chosen.length > 0 ? chosen.map(({ assignment_id }) => assignment_id) : null;
  const switching = useAction(
    async () => {
      const request: Partial<Request> =
        source === "dictionary"
          ? { phrases: phrasesOf(words) }
          : source === "session"
            ? { session: session.trim() }
            : source === "markups"
              ? { markups: await markupsOf(files) }
              : {};
      const params = { marking_id: markingId };
      const body = { ...request, assignments } as Request;
      return await put("/v1/markings/{marking_id}/suggestions", params, body);
    },
    () => renewed(),
  );
  const changed = switching.data?.assignments ?? 0;
  const fragments = switching.data?.fragments ?? 0;
  return (
    <details className={styles.suggesting}>
      <summary>{t`Suggestions for experts`}</summary>
      <p>
        <Trans>
          An expert who opens the text afterwards sees fragments of a program or a dictionary, and accepts or rejects
          them. Only on training sets: a barrier rests on the other annotations. The agreement is shown with and without
          suggestions.
        </Trans>
      </p>
      <Form submit={() => switching.mutate()} problem={switching.problem}>
        <Choice
          label={t`Source`}
          {...bind("source")}
          options={{
            dictionary: t`a dictionary`,
            session: t`a team's session on this set`,
            markups: t`a program's markups`,
            off: t`none: switch suggestions off`,
          }}
        />
        {source === "dictionary" && (
          <Field
            label={t`On each line a phrase, a tab or two blanks, and its code`}
            required
            rows={5}
            {...bind("words")}
          />
        )}
        {source === "session" && <Field label={t`Session`} required pattern="[1-9][0-9]{14}" {...bind("session")} />}
        {source === "markups" && (
          <label className={parts.field}>
            {t`Files, ID.json for each text`}
            <input
              type="file"
              accept=".json"
              multiple
              required
              onChange={({ currentTarget }) => setFiles([...(currentTarget.files ?? [])])}
            />
          </label>
        )}
        <Button type="submit" isDisabled={switching.isPending}>
          {assignments === null ? (
            t`Switch for all not opened`
          ) : (
            <Plural value={assignments.length} one="Switch for # chosen row" other="Switch for # chosen rows" />
          )}
        </Button>{" "}
        <span role="status">
          {switching.data && t`Changed assignments: ${changed}; fragments suggested: ${fragments}.`}
        </span>
      </Form>
    </details>
  );
}

/** Codes by phrase; of equal phrases the first counts. */
function phrasesOf(words: string): Record<string, string> {
  const pairs = words.split("\n").flatMap((line): [string, string][] => {
    const [, phrase, code] = /^\s*(.*\S)(?:\t| {2,})\s*(\S.*?)\s*$/.exec(line) ?? [];
    return phrase && code ? [[phrase.trim(), code]] : [];
  });
  return Object.fromEntries(pairs.toReversed());
}

async function markupsOf(files: readonly File[]): Promise<Record<string, unknown>> {
  const read = files.map(async (file) => [file.name.replace(/\.json$/, ""), JSON.parse(await file.text())] as const);
  return Object.fromEntries(await Promise.all(read));
}
