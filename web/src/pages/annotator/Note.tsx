import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { api } from "@/api/client";
import { Button } from "@/ui/controls";
import { Field, Form, LONGEST_REASON, useAction } from "@/ui/forms";
import styles from "./annotator.module.css";
import type { Assignment } from "./desk";
import { pathOf } from "./server";

/** The expert's note on the essay, for coordinators alone; it is written while one works and afterwards. */
export function Note({ of, changed }: { of: Assignment; changed: (of: Assignment) => void }) {
  const { t } = useLingui();
  // What a device kept before there were notes has none.
  const note = of.note ?? "";
  const [text, write] = useState(note);
  const saving = useAction(async () => {
    const { data } = await api.PUT("/v1/assignments/{assignment_id}/note", {
      ...pathOf(of.assignment_id),
      body: { text: text.trim() },
    });
    if (data) changed(data);
  });
  const isSaved = text.trim() === note;
  if (!["opened", "handed_in", "expired"].includes(of.state)) return null;
  return (
    <details className={styles.note}>
      <summary>
        {note === "" ? <Trans>Write a note to the coordinator</Trans> : <Trans>Your note to the coordinator</Trans>}
      </summary>
      <Form submit={() => saving.mutate()} problem={saving.problem}>
        <Field
          label={t`Note on this text; it is no part of the markup`}
          rows={3}
          maxLength={LONGEST_REASON}
          value={text}
          change={write}
        />
        <Button type="submit" isDisabled={isSaved || saving.isPending}>
          <Trans>Save the note</Trans>
        </Button>{" "}
        <span role="status">{isSaved && note !== "" && <Trans>Saved; the coordinator reads it.</Trans>}</span>
      </Form>
    </details>
  );
}
