import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { get } from "@/api/queries";
import { useMay } from "@/auth/hooks";
import { useTeamName } from "@/pages/desk/teamNames";
import { MODES } from "@/pages/public/Runs";
import { AskedPage } from "@/shell/AskedPage";
import { Button } from "@/ui/controls";
import { useKeyHelp, useLetters } from "@/ui/keys";
import { Moment, useSeconds } from "@/ui/moments";
import { Answered } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Counters } from "./Counters";
import styles from "./conduct.module.css";
import { type Asked, Decide } from "./Decide";
import { Decisions } from "./Decisions";
import { DeliveryPanel } from "./DeliveryPanel";
import { type ConductedRun, runQuery, takesAdmitted, type Watch, watchQuery } from "./data";
import { Grid, Legend } from "./Grid";
import { worstFirst } from "./gridView";
import { LimitsOf } from "./Planned";
import { Proposal } from "./Proposal";
import { Restart } from "./Restart";

/** A run as those see it who conduct it: live while it is on, and all that was decided about it. */
export function RunPage() {
  const { i18n, t } = useLingui();
  const { runId } = useParams({ from: "/desk/runs/$runId" });
  const run = useQuery(runQuery(runId));
  return (
    <AskedPage title={run.data ? i18n._(MODES[run.data.mode]) : t`A run`} of={run}>
      {(told) => <Conducted run={told} />}
    </AskedPage>
  );
}

function Conducted({ run }: { run: ConductedRun }) {
  const { t } = useLingui();
  const watch = useQuery(watchQuery(run.run_id));
  const organizes = useMay("organize");
  const { file } = useSearch({ from: "/desk/runs/$runId" });
  const [asked, setAsked] = useState<Asked | null>(null);
  const state = watch.data?.state ?? run.state;
  const decides = organizes && !run.published;
  const pauseOrResume = () => setAsked({ kind: state === "paused" ? "resume" : "pause" });
  const annul = () => setAsked({ kind: "void", numbers: file ? String(file) : "" });
  useKeyHelp(
    organizes
      ? [
          { keys: "p", does: t`Pause or resume: its preview` },
          { keys: "v", does: t`Annul files: its preview` },
        ]
      : [],
  );
  useLetters(({ code }) => {
    const act = { KeyP: pauseOrResume, KeyV: annul }[code];
    if (!act || !decides || asked) return false;
    act();
    return true;
  });
  const over = state === "finished" || state === "stopped";
  return (
    <>
      <Answered of={watch}>
        {(told) => (
          <div className={watch.error ? styles.blind : undefined}>
            <Counters of={told} />
          </div>
        )}
      </Answered>
      {organizes ? (
        <div className={parts.actions}>
          {!over && (
            <Button primary onPress={pauseOrResume}>
              {state === "paused" ? <Trans>Resume…</Trans> : <Trans>Pause…</Trans>}
            </Button>
          )}
          <span className={styles.onlyWide}>
            <Button onPress={annul}>
              <Trans>Annul files…</Trans>
            </Button>
            {!over && (
              <Button onPress={() => setAsked({ kind: "replace", numbers: "" })}>
                <Trans>Replace files…</Trans>
              </Button>
            )}
            {state !== "stopped" && (
              <Button onPress={() => setAsked({ kind: "stop" })}>
                <Trans>Stop…</Trans>
              </Button>
            )}
            <Restart runId={run.run_id} />
          </span>
        </div>
      ) : (
        <p>
          <Trans>You see everything here; decisions are the organizers'.</Trans>
        </p>
      )}
      {run.mass_failure && <Proposal run={run} of={run.mass_failure} organizes={organizes} ask={setAsked} />}
      {watch.data && (
        <div className={watch.error ? styles.blind : undefined}>
          <Teams watch={watch.data} organizes={organizes} ask={setAsked} />
        </div>
      )}
      <Decisions run={run} undo={organizes ? (amendment) => setAsked({ kind: "undo", amendment }) : null} />
      <Plan run={run} />
      {asked && <Decide runId={run.run_id} asked={asked} close={() => setAsked(null)} />}
    </>
  );
}

function Teams({ watch, organizes, ask }: { watch: Watch; organizes: boolean; ask: (asked: Asked) => void }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const search = useSearch({ from: "/desk/runs/$runId" });
  const select = (team?: string, file?: number) =>
    void navigate({
      to: "/desk/runs/$runId",
      params: { runId: watch.run_id },
      search: { ...(search.order ? { order: search.order } : {}), ...(team && file ? { team, file } : {}) },
      replace: true,
    });
  const teams = search.order === "worst" ? worstFirst(watch.teams) : watch.teams;
  const chosen = watch.teams.find((each) => each.team_id === search.team);
  const missing = watch.admitted || takesAdmitted(watch) ? watch.absent : [];
  const file = search.file;
  return (
    <section className={styles.teams} aria-labelledby="teams-title">
      <h2 id="teams-title">
        <Trans>Teams and files</Trans>
      </h2>
      {missing.length > 0 && (
        <p>
          <Plural
            value={missing.length}
            one="# admitted team has opened no session:"
            other="# admitted teams have opened no session:"
          />{" "}
          {missing.map(({ name }) => name).join(", ")}
        </p>
      )}
      {watch.teams.length === 0 ? (
        <p>
          <Trans>No team has opened a session yet. Each stands here with all its files as soon as it does.</Trans>
        </p>
      ) : (
        <>
          <label className={styles.order}>
            <Trans>Order</Trans>{" "}
            <select
              value={search.order ?? "name"}
              onChange={(event) =>
                void navigate({
                  to: "/desk/runs/$runId",
                  params: { runId: watch.run_id },
                  search: { ...search, order: event.currentTarget.value === "worst" ? "worst" : undefined },
                  replace: true,
                })
              }
            >
              <option value="name">{t`by name`}</option>
              <option value="worst">{t`worst first`}</option>
            </select>
          </label>
          <Grid
            teams={teams}
            files={watch.total_files}
            proposed={watch.mass_failure ?? []}
            selected={chosen && file ? { team: chosen.team_id, file } : null}
            open={select}
          />
          <Legend />
        </>
      )}
      {chosen && file && (
        <DeliveryPanel
          team={chosen}
          file={file}
          rule={
            organizes ? () => ask({ kind: "rule", team_id: chosen.team_id, number: file, cause: "platform" }) : null
          }
          close={() => select()}
        />
      )}
    </section>
  );
}

function Plan({ run }: { run: ConductedRun }) {
  const nameOf = useTeamName();
  const { t } = useLingui();
  const seconds = useSeconds();
  const replays = useQuery(get("/v1/conduct/cycle", {})).data?.replay;
  return (
    <section aria-labelledby="plan-title">
      <h2 id="plan-title">
        <Trans>Plan</Trans>
      </h2>
      <dl className={parts.facts}>
        <dt>{t`Run`}</dt>
        <dd>
          <Link to="/runs/$runId" params={{ runId: run.run_id }}>
            {run.run_id}
          </Link>
        </dd>
        <dt>{t`Files`}</dt>
        <dd>
          <Trans>
            {run.total_files} of the set {run.set}, one every {seconds(run.interval_ms)}
          </Trans>
        </dd>
        <dt>{t`Start`}</dt>
        <dd>
          <Moment at={run.starts_at} />
        </dd>
        <dt>{t`End`}</dt>
        <dd>
          <Moment at={run.ends_at} />
        </dd>
        <dt>{t`Limits`}</dt>
        <dd>
          <LimitsOf of={run.limits} />
        </dd>
        <dt>{t`Teams`}</dt>
        <dd>
          {run.admitted
            ? run.admitted.map(nameOf).join(", ")
            : takesAdmitted(run)
              ? t`those admitted when they join`
              : t`every approved team`}
        </dd>
        {run.restarts && (
          <>
            <dt>{t`Takes the place of`}</dt>
            <dd>
              <Link to="/desk/runs/$runId" params={{ runId: run.restarts }}>
                {run.restarts}
              </Link>
            </dd>
          </>
        )}
        <dt>{t`Commitment`}</dt>
        <dd>
          <code>{run.commitment.statement.root}</code>
        </dd>
      </dl>
      {run.mode === "final" && (
        <p>
          <Link to="/desk/settlement/$runId" params={{ runId: run.run_id }}>
            <Trans>Its settlement</Trans>
          </Link>
          {replays && (
            <>
              {" · "}
              <Link to="/desk/runs/$runId/replay" params={{ runId: run.run_id }}>
                <Trans>Stage 2: work replayed for clinicians</Trans>
              </Link>
            </>
          )}
        </p>
      )}
    </section>
  );
}
