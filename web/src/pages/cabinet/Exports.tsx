import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { api } from "@/api/client";
import { Button } from "@/ui/Button";
import { useLanguage } from "@/ui/cycle";
import { Problem } from "@/ui/Problem";
import { save } from "@/ui/save";
import styles from "./cabinet.module.css";

const FORMS = ["csv", "xlsx", "json", "html"] as const;
type Form = (typeof FORMS)[number];

/** The report as the platform writes it for keeping: all files, whatever is filtered here. */
export function Exports({ sessionId }: { sessionId: string }) {
  const { t } = useLingui();
  const lang = useLanguage();
  const making = useMutation({
    mutationFn: async (form: Form) => save(await fetched(form, sessionId, lang), `report-${sessionId}.${form}`),
  });
  return (
    <>
      {making.error && <Problem error={making.error} />}
      <fieldset className={styles.exports} disabled={making.isPending}>
        <legend>
          <Trans>Keep the whole report</Trans>
        </legend>
        {FORMS.map((form) => (
          <Button key={form} aria-label={t`Download ${form.toUpperCase()}`} onPress={() => making.mutate(form)}>
            {form.toUpperCase()}
          </Button>
        ))}
      </fieldset>
    </>
  );
}

async function fetched(form: Form, sessionId: string, lang: "en" | "ru"): Promise<Blob> {
  const path = { session_id: sessionId };
  const kept = { params: { path }, parseAs: "blob" } as const;
  const said = { params: { path, query: { lang } }, parseAs: "blob" } as const;
  const answer = {
    csv: () => api.GET("/v1/sessions/{session_id}/report.csv", kept),
    json: () => api.GET("/v1/sessions/{session_id}/report", kept),
    xlsx: () => api.GET("/v1/sessions/{session_id}/report.xlsx", said),
    html: () => api.GET("/v1/sessions/{session_id}/report.html", said),
  }[form]();
  const { data } = await answer;
  return data as Blob;
}
