import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { get } from "@/api/queries";
import { useMay } from "@/auth/hooks";
import { AskedPage } from "@/shell/AskedPage";
import { Moment } from "@/ui/moments";
import { Answered } from "@/ui/Page";
import { Wide } from "@/ui/Wide";
import { BoardDecisions } from "./BoardDecisions";
import { boardQuery, runsQuery, type Summary } from "./data";
import { SettlementTabs } from "./SettlementTabs";
import { Waiting } from "./Waiting";

/** Finals with what their results wait for, the qualification's board, and answers without scores. */
export function Settlement() {
  const { t } = useLingui();
  const runs = useQuery(runsQuery);
  const board = useQuery(boardQuery("qualification"));
  const waiting = useQuery(get("/v1/conduct/scoring", {}, 10_000));
  const organizes = useMay("organize");
  return (
    <AskedPage title={t`Settlement`} of={runs}>
      {(told) => (
        <>
          <SettlementTabs />
          <section aria-labelledby="finals-title">
            <h2 id="finals-title">
              <Trans>Finals</Trans>
            </h2>
            <Finals of={told.runs.filter(({ mode }) => mode === "final")} />
          </section>
          <section aria-labelledby="qualification-title">
            <h2 id="qualification-title">
              <Trans>Board of the qualification</Trans>
            </h2>
            <Answered of={board}>
              {(shown) => <BoardDecisions board="qualification" shown={shown} decides={organizes} />}
            </Answered>
          </section>
          <section aria-labelledby="waiting-title">
            <h2 id="waiting-title">
              <Trans>Answers that wait for scores</Trans>
            </h2>
            <Answered of={waiting}>{({ sessions }) => <Waiting of={sessions} decides={organizes} />}</Answered>
          </section>
        </>
      )}
    </AskedPage>
  );
}

function Finals({ of }: { of: readonly Summary[] }) {
  const { t } = useLingui();
  if (of.length === 0) {
    return (
      <p>
        <Trans>
          No final yet. <Link to="/desk/plan">Plan one</Link>; its results are settled here.
        </Trans>
      </p>
    );
  }
  return (
    <Wide label={t`Finals`}>
      <thead>
        <tr>
          <th scope="col">{t`Start`}</th>
          <th scope="col">{t({ message: "Closed", context: "sessions" })}</th>
          <th scope="col">{t`Results`}</th>
        </tr>
      </thead>
      <tbody>
        {of.map((run) => (
          <tr key={run.run_id}>
            <th scope="row">
              <Link to="/desk/settlement/$runId" params={{ runId: run.run_id }}>
                <Moment at={run.starts_at} />
              </Link>
              {run.trial && (
                <>
                  {" "}
                  <Trans>trial</Trans>
                </>
              )}
            </th>
            <td>{run.closed_at ? <Moment at={run.closed_at} /> : "—"}</td>
            <td>{run.published ? t`published` : t`not published`}</td>
          </tr>
        ))}
      </tbody>
    </Wide>
  );
}
