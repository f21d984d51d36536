import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { api } from "@/api/client";
import { EVERY, get } from "@/api/queries";
import { useLanguage } from "@/ui/contest";
import { Downloads } from "@/ui/forms";
import { Countdown, Moment } from "@/ui/moments";
import { Answered, Page } from "@/ui/Page";
import { Amendments } from "./Amendments";
import { isArchived, mayHaveArchive } from "./archive";
import styles from "./public.module.css";
import { MODES, type Run as RunAnswer, STATES } from "./Runs";
import { Verify } from "./Verify";

/** A run: its clock while it is on, its commitment always, its record and the check of both afterwards. */
export function Run() {
  const { i18n, t } = useLingui();
  const { runId } = useParams({ from: "/runs/$runId" });
  const run = useQuery(get("/v1/runs/{run_id}", { params: { path: { run_id: runId } } }, EVERY.run));
  return (
    <Page title={run.data ? i18n._(MODES[run.data.mode]) : t`A run`}>
      <Answered of={run}>{(told) => <Told run={told} />}</Answered>
    </Page>
  );
}

function Told({ run }: { run: RunAnswer }) {
  const { i18n, t } = useLingui();
  const language = useLanguage();
  const ended = run.state === "finished" || run.state === "stopped";
  const interval = new Intl.NumberFormat(language).format(run.interval_s);
  const { statement } = run.commitment;
  return (
    <>
      <Clock run={run} />
      <dl className={styles.facts}>
        <dt>{t`State`}</dt>
        <dd>{i18n._(STATES[run.state])}</dd>
        <dt>{t`First file opens`}</dt>
        <dd>
          <Moment at={run.starts_at} />
        </dd>
        <dt>{t`Ends`}</dt>
        <dd>
          <Moment at={run.ends_at} />
        </dd>
        <dt>{t`Sessions may be opened`}</dt>
        <dd>
          <Moment at={run.join_from} /> – <Moment at={run.join_until} />
        </dd>
        <dt>{t`Files`}</dt>
        <dd>
          <Trans>
            {run.files}, one every {interval} s
          </Trans>
        </dd>
        {run.restarts && (
          <>
            <dt>{t`Takes the place of`}</dt>
            <dd>
              <Link to="/runs/$runId" params={{ runId: run.restarts }}>
                {run.restarts}
              </Link>
            </dd>
          </>
        )}
      </dl>
      <Amendments amendments={run.amendments} rulings={run.rulings} />
      <h2>
        <Trans>Commitment</Trans>
      </h2>
      <p>
        <Trans>
          Signed <Moment at={statement.made_at} />, before anybody saw a file. Keep these two lines, and you can prove
          later that no file was swapped.
        </Trans>
      </p>
      <dl className={styles.facts}>
        <dt>{t`Root of the files`}</dt>
        <dd>
          <code>{statement.root}</code>
        </dd>
        <dt>{t`Signature`}</dt>
        <dd>
          <code>{run.commitment.signature}</code>
        </dd>
      </dl>
      <Verify run={run} ended={ended} key={run.state} />
      <Archive run={run} />
    </>
  );
}

/** The archive of a final where there is one; it comes some minutes after the results. Clause: R 7.14 */
function Archive({ run }: { run: RunAnswer }) {
  const archived = useQuery({
    queryKey: ["archived", run.run_id],
    queryFn: () => isArchived(run.run_id),
    enabled: mayHaveArchive(run),
    refetchInterval: ({ state }) => (state.data ? false : EVERY.idle),
  });
  if (!mayHaveArchive(run) || !archived.data) return null;
  return (
    <Downloads
      title={<Trans>The archive that everybody may keep</Trans>}
      of={[
        {
          form: "ZIP",
          name: `archive-${run.run_id}.zip`,
          ask: () =>
            api.GET("/v1/runs/{run_id}/archive", { params: { path: { run_id: run.run_id } }, parseAs: "blob" }),
        },
      ]}
    />
  );
}

function Clock({ run }: { run: RunAnswer }) {
  if (run.state === "paused") {
    return (
      <p className={styles.next} role="status">
        <Trans>The organizers have paused the run.</Trans>{" "}
        {run.paused_until && (
          <Trans>
            It goes on <Moment at={run.paused_until} />.
          </Trans>
        )}
      </p>
    );
  }
  if (!run.next_opening) return null;
  const { number, opens_at: opens } = run.next_opening;
  return (
    <p className={styles.next}>
      <Trans>
        File {number} of {run.files} opens in
      </Trans>{" "}
      <strong>
        <Countdown to={opens} />
      </strong>
    </p>
  );
}
