import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { EVERY, get } from "@/api/queries";
import { useSession } from "@/auth/hooks";
import { Part } from "@/charts/Part";
import { AskedPage } from "@/shell/AskedPage";

/**
 * The contest's tables of what a set holds, for whoever may have it whole; the platform may have to pack it first.
 *
 * Clause: TS G-4
 */
export function SetTables() {
  const { t } = useLingui();
  const { name } = useParams({ from: "/sets/$name" });
  const session = useSession();
  const tables = useQuery({
    ...get("/v1/sets/{name}/description", { params: { path: { name } } }),
    enabled: session.state !== "coming",
    refetchInterval: ({ state }) => (state.data && !("sections" in state.data) ? EVERY.jobs : false),
  });
  return (
    <AskedPage title={t`What the set ${name} holds`} of={tables}>
      {(told) =>
        "sections" in told ? (
          told.sections.map((section) => <Part key={section.key} section={section} result={null} />)
        ) : (
          <p role="status">
            <Trans>The platform reads the set. Its tables show here by themselves.</Trans>
          </p>
        )
      }
    </AskedPage>
  );
}
