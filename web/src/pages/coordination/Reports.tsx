import { Trans } from "@lingui/react/macro";
import { api } from "@/api/client";
import { useLanguage } from "@/ui/contest";
import { Downloads } from "@/ui/forms";

/** The coordinator's report as the platform writes it. */
export function Reports({ markingId }: { markingId: string }) {
  const lang = useLanguage();
  const path = { marking_id: markingId };
  const kept = { params: { path }, parseAs: "blob" } as const;
  const said = { params: { path, query: { lang } }, parseAs: "blob" } as const;
  const named = (form: string) => ({ form: form.toUpperCase(), name: `experts-${markingId}.${form}` });
  return (
    <Downloads
      title={<Trans>Keep the coordinator's report</Trans>}
      of={[
        { ...named("csv"), ask: () => api.GET("/v1/markings/{marking_id}/report.csv", kept) },
        { ...named("xlsx"), ask: () => api.GET("/v1/markings/{marking_id}/report.xlsx", said) },
        { ...named("html"), ask: () => api.GET("/v1/markings/{marking_id}/report.html", said) },
      ]}
    />
  );
}
