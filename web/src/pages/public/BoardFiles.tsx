import { Trans } from "@lingui/react/macro";
import { api } from "@/api/client";
import { useLanguage } from "@/ui/contest";
import { Downloads } from "@/ui/forms";
import { partOf, type Which } from "./boardData";

/** The board that is open as the platform writes it for keeping. */
export function BoardFiles({ which }: { which: Which }) {
  const lang = useLanguage();
  const { final, by, run, key } = which;
  const part = partOf(by);
  const name = ["board", ...(final ? ["final"] : []), key ?? by.replace(":", "-")].join("-");
  const ofFinal = { ...(key ? { key } : part), ...(run ? { run } : {}) };
  const ofQualification = key ? { key } : "language" in part ? part : {};
  const kept = <Query,>(query: Query) => ({ params: { query }, parseAs: "blob" }) as const;
  return (
    <Downloads
      title={<Trans>Keep the board</Trans>}
      of={
        final
          ? [
              { form: "CSV", name: `${name}.csv`, ask: () => api.GET("/v1/leaderboards/final.csv", kept(ofFinal)) },
              {
                form: "XLSX",
                name: `${name}.xlsx`,
                ask: () => api.GET("/v1/leaderboards/final.xlsx", kept({ ...ofFinal, lang })),
              },
            ]
          : [
              {
                form: "CSV",
                name: `${name}.csv`,
                ask: () => api.GET("/v1/leaderboards/qualification.csv", kept(ofQualification)),
              },
              {
                form: "XLSX",
                name: `${name}.xlsx`,
                ask: () => api.GET("/v1/leaderboards/qualification.xlsx", kept({ ...ofQualification, lang })),
              },
            ]
      }
    />
  );
}
