import { Trans } from "@lingui/react/macro";
import { api } from "@/api/client";
import { useLanguage } from "@/ui/contest";
import { Downloads } from "@/ui/forms";

/** The report as the platform writes it for keeping: all files, whatever is filtered here. */
export function Exports({ sessionId }: { sessionId: string }) {
  const lang = useLanguage();
  const path = { session_id: sessionId };
  const kept = { params: { path }, parseAs: "blob" } as const;
  const said = { params: { path, query: { lang } }, parseAs: "blob" } as const;
  const name = `report-${sessionId}`;
  return (
    <Downloads
      title={<Trans>Keep the whole report</Trans>}
      of={[
        { form: "CSV", name: `${name}.csv`, ask: () => api.GET("/v1/sessions/{session_id}/report.csv", kept) },
        { form: "XLSX", name: `${name}.xlsx`, ask: () => api.GET("/v1/sessions/{session_id}/report.xlsx", said) },
        { form: "JSON", name: `${name}.json`, ask: () => api.GET("/v1/sessions/{session_id}/report", kept) },
        { form: "HTML", name: `${name}.html`, ask: () => api.GET("/v1/sessions/{session_id}/report.html", said) },
      ]}
    />
  );
}
