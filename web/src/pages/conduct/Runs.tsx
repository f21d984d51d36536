import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMay } from "@/auth/hooks";
import { MODES, STATES } from "@/pages/public/Runs";
import { AskedPage } from "@/shell/AskedPage";
import { Moment } from "@/ui/moments";
import { Wide } from "@/ui/Wide";
import { runsQuery, type Summary } from "./data";

/** Every run, the latest start first, and the way to a new one. */
export function Runs() {
  const { t } = useLingui();
  const runs = useQuery(runsQuery);
  const mayPlan = useMay("organize");
  return (
    <AskedPage title={t`Runs`} of={runs}>
      {(told) => (
        <>
          {mayPlan && (
            <p>
              <Link to="/desk/plan">
                <Trans>Plan a run</Trans>
              </Link>
            </p>
          )}
          {told.runs.length === 0 ? (
            <p>
              <Trans>No run is planned yet. Technical runs plan themselves; a final is planned here.</Trans>
            </p>
          ) : (
            <Table runs={told.runs} />
          )}
        </>
      )}
    </AskedPage>
  );
}

function Table({ runs }: { runs: readonly Summary[] }) {
  const { i18n, t } = useLingui();
  return (
    <Wide label={t`Runs`}>
      <thead>
        <tr>
          <th scope="col">{t`Start`}</th>
          <th scope="col">{t`Run`}</th>
          <th scope="col">{t`State`}</th>
          <th scope="col">{t`Set`}</th>
          <th scope="col">{t`Files`}</th>
          <th scope="col">{t`Results`}</th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <tr key={run.run_id}>
            <th scope="row">
              <Link to="/desk/runs/$runId" params={{ runId: run.run_id }}>
                <Moment at={run.starts_at} />
              </Link>
            </th>
            <td>
              {i18n._(MODES[run.mode])}
              {run.trial && (
                <>
                  {", "}
                  <Trans>trial</Trans>
                </>
              )}
            </td>
            <td>{i18n._(STATES[run.state])}</td>
            <td>{run.set}</td>
            <td>{run.total_files}</td>
            <td>
              <Results of={run} />
            </td>
          </tr>
        ))}
      </tbody>
    </Wide>
  );
}

function Results({ of }: { of: Summary }) {
  const { t } = useLingui();
  if (of.mode !== "final") return "—";
  return (
    <Link to="/desk/settlement/$runId" params={{ runId: of.run_id }}>
      {of.published ? t`published` : t`not published`}
    </Link>
  );
}
