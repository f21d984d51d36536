import { useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Button } from "./Button";
import { Problem } from "./Problem";
import parts from "./parts.module.css";
import { save } from "./save";

/** A file to keep; the platform writes it when it is asked for. */
export interface Download {
  form: string;
  name: string;
  /** The interface's answer, asked for as a blob. */
  ask: () => Promise<{ data?: unknown }>;
}

/** What can be kept of what is shown, in its forms. */
export function Downloads({ title, of }: { title: ReactNode; of: readonly Download[] }) {
  const { t } = useLingui();
  const making = useMutation({
    mutationFn: async ({ ask, name }: Download) => save((await ask()).data as Blob, name),
  });
  return (
    <>
      {making.error && <Problem error={making.error} />}
      <fieldset className={parts.downloads} disabled={making.isPending}>
        <legend>{title}</legend>
        {of.map((each) => (
          <Button key={each.form} aria-label={t`Download ${each.form}`} onPress={() => making.mutate(each)}>
            {each.form}
          </Button>
        ))}
      </fieldset>
    </>
  );
}
