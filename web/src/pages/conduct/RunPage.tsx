import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { EVERY, get, type Schemas } from "@/api/client";
import { useMay } from "@/auth/hooks";
import { Evidence } from "@/pages/cabinet/Session";
import { causeWord, stateWord } from "@/pages/cabinet/words";
import { useTeamName } from "@/pages/desk/teamNames";
import { DECISIONS, MODES, STATES } from "@/pages/public/Runs";
import { Author } from "@/ui/audit";
import { Button, PageLink, PHONE, useMedia } from "@/ui/controls";
import { Choice } from "@/ui/forms";
import { useKeyHelp, useLetters } from "@/ui/keys";
import { Answered, AskedPage, Fact, PageSection, Skeleton, TimeOfDay, useSeconds } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Table } from "@/ui/Table";
import styles from "./conduct.module.css";
import { type Asked, Decide, Proposal, Restart } from "./Decide";
import {
  CAUSES,
  type ConductedRun,
  type Decided,
  runQuery,
  sayNumbers,
  takesAdmitted,
  type Watch,
  type WatchedTeam,
  watchQuery,
  worstFirst,
} from "./data";
import { Grid, Legend, NextOpening } from "./Grid";
import { LimitsOf } from "./Runs";

/** Page of a run for the people who conduct it: its live state and all decisions about it. */
export function RunPage() {
  const { i18n, t } = useLingui();
  const { runId } = useParams({ from: "/desk/runs/$runId" });
  const run = useQuery(runQuery(runId));
  return (
    <AskedPage title={run.data ? i18n._(MODES[run.data.mode]) : t`A run`} of={run}>
      {(data) => <Conducted run={data} />}
    </AskedPage>
  );
}

function Conducted({ run }: { run: ConductedRun }) {
  const { t } = useLingui();
  const watch = useQuery(watchQuery(run.run_id));
  const organizes = useMay("organize");
  const { file } = useSearch({ from: "/desk/runs/$runId" });
  const [dialog, setDialog] = useState<Asked | null>(null);
  const [restarts, setRestarts] = useState(false);
  const state = watch.data?.state ?? run.state;
  const over = state === "finished" || state === "stopped";
  const pauseOrResume = () => setDialog({ kind: state === "paused" ? "resume" : "pause" });
  const annul = () => setDialog({ kind: "void", numbers: file ? String(file) : "" });
  const isNarrow = useMedia(PHONE);
  useKeyHelp([
    ...(organizes && !over ? [{ keys: "p", does: t`Pause or resume: its preview` }] : []),
    ...(organizes && state !== "stopped" ? [{ keys: "v", does: t`Annul files: its preview` }] : []),
  ]);
  useLetters(({ code }) => {
    const act = { ...(!over && { KeyP: pauseOrResume }), ...(state !== "stopped" && { KeyV: annul }) }[code];
    if (!act || !organizes || dialog) return false;
    act();
    return true;
  });
  return (
    <>
      <div className={styles.watched}>
        <Answered of={watch} loading={<Skeleton lines={3} />}>
          {(data) => (
            <div className={watch.error ? styles.blind : undefined}>
              <Counters run={data} />
            </div>
          )}
        </Answered>
      </div>
      {organizes ? (
        <div className={parts.actions}>
          {!over && (
            <Button primary onPress={pauseOrResume}>
              {state === "paused" ? t`Resume…` : t`Pause…`}
            </Button>
          )}
          <span className={styles.onlyWide}>
            {state !== "stopped" && <Button onPress={annul}>{t`Annul files…`}</Button>}
            {!over && <Button onPress={() => setDialog({ kind: "replace", numbers: "" })}>{t`Replace files…`}</Button>}
            {/* An ended run may still be annulled, until its results are published. */}
            {state !== "stopped" && !run.published && (
              <>
                <Button onPress={() => setDialog({ kind: "stop" })}>{over ? t`Annul the run…` : t`Stop…`}</Button>
                <Button onPress={() => setRestarts(true)}>{t`Restart…`}</Button>
              </>
            )}
          </span>
        </div>
      ) : (
        <p>{t`You can read everything here; only organizers decide.`}</p>
      )}
      {isNarrow && <p>{t`The grid of teams and files, and the other decisions, need a wider window.`}</p>}
      {run.mass_failure && <Proposal run={run} massFailure={run.mass_failure} organizes={organizes} ask={setDialog} />}
      {watch.data && (
        <div className={watch.error ? styles.blind : undefined}>
          <Teams watch={watch.data} organizes={organizes} ask={setDialog} />
        </div>
      )}
      {/* Rendered after the part above has loaded, which would otherwise push them down. */}
      {!watch.isPending && (
        <>
          <Decisions run={run} undo={organizes ? (amendment) => setDialog({ kind: "undo", amendment }) : null} />
          <Plan run={run} />
        </>
      )}
      {dialog && <Decide runId={run.run_id} asked={dialog} close={() => setDialog(null)} />}
      {restarts && <Restart runId={run.run_id} close={() => setRestarts(false)} />}
    </>
  );
}

function Teams({ watch, organizes, ask }: { watch: Watch; organizes: boolean; ask: (dialog: Asked) => void }) {
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
  const chosen = watch.teams.find((team) => team.team_id === search.team);
  const missing = watch.admitted || takesAdmitted(watch) ? watch.absent : [];
  const file = search.file;
  return (
    <PageSection id="teams-title" title={t`Teams and files`} className={styles.teams}>
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
        <p>{t`No team has opened a session yet. Teams appear here with all their files when they do.`}</p>
      ) : (
        <>
          <Choice
            label={<>{t`Order`} </>}
            look={styles.order}
            value={search.order ?? "name"}
            change={(value) =>
              void navigate({
                to: "/desk/runs/$runId",
                params: { runId: watch.run_id },
                search: { ...search, order: value === "worst" ? "worst" : undefined },
                replace: true,
              })
            }
            options={{ name: t`by name`, worst: t`worst first` }}
          />
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
    </PageSection>
  );
}

function Plan({ run }: { run: ConductedRun }) {
  const nameOf = useTeamName();
  const { t } = useLingui();
  const seconds = useSeconds();
  const replays = useQuery(get("/v1/conduct/cycle", {})).data?.replay;
  return (
    <PageSection id="plan-title" title={t`Plan`}>
      <dl className={parts.facts}>
        <Fact name={t`Run`}>
          <PageLink to="/runs/$runId" id={run.run_id}>
            {run.run_id}
          </PageLink>
        </Fact>
        <Fact name={t`Files`}>
          {t`${run.total_files} of the set ${run.set}, one every ${seconds(run.interval_ms)}`}
        </Fact>
        {run.trial && <Fact name={t`Kind`}>{t`a trial, does not count`}</Fact>}
        <Fact name={t`Start`} at={run.starts_at} />
        <Fact name={t`End`} at={run.ends_at} />
        <Fact name={t`Limits`}>
          <LimitsOf limits={run.limits} />
        </Fact>
        <Fact name={t`Teams`}>
          {run.admitted
            ? run.admitted.map(nameOf).join(", ")
            : takesAdmitted(run)
              ? t`those admitted when they join`
              : t`every approved team`}
        </Fact>
        {run.restarts && (
          <Fact name={t`Takes the place of`}>
            <PageLink to="/desk/runs/$runId" id={run.restarts}>
              {run.restarts}
            </PageLink>
          </Fact>
        )}
        <Fact name={t`Commitment`} code={run.commitment.statement.root} />
      </dl>
      {run.mode === "final" && (
        <p>
          <PageLink to="/desk/settlement/$runId" id={run.run_id}>{t`Its settlement`}</PageLink>
          {replays && (
            <>
              {" · "}
              <Link to="/desk/runs/$runId/replay" params={{ runId: run.run_id }}>
                {t`Stage 2: work replayed for clinicians`}
              </Link>
            </>
          )}
        </p>
      )}
    </PageSection>
  );
}

/** Counters of a live run: connected teams, delays, and voids, including those caused by the platform. */
function Counters({ run }: { run: Watch }) {
  const { i18n, t } = useLingui();
  const seconds = useSeconds();
  const { opened, total_files: files, connected, teams, delay_ms: delay, next_opening: next } = run;
  const late = delay.p95 === null ? "—" : seconds(delay.p95);
  const isOpening = opened > 0 && (run.state === "running" || run.state === "paused");
  const platforms = run.voided.platform ?? 0;
  return (
    <div className={styles.counters}>
      <p className={styles.state}>
        <strong role="status">{i18n._(STATES[run.state])}</strong> ·{" "}
        {isOpening ? t`file ${opened} of ${files} is open` : t`files opened: ${opened} of ${files}`}
        {next && (
          <>
            {" · "}
            <NextOpening of={next} files={files} />
          </>
        )}
      </p>
      <ul>
        <li>{t`connected ${connected} of ${teams.length}`}</li>
        <li>{t`delay p95 ${late}`}</li>
        <li data-trouble={platforms > 0 || undefined}>
          {t`lost to the platform: ${platforms}`} {platforms === 0 ? "✓" : "⚠"}
        </li>
        {CAUSES.filter((cause) => cause !== "platform").map((cause) => (
          <li key={cause}>
            {i18n._(causeWord(cause))}: {run.voided[cause] ?? 0}
          </li>
        ))}
        <li>
          <Trans>
            as of <TimeOfDay at={run.now} />
          </Trans>
        </li>
      </ul>
    </div>
  );
}

interface PanelProps {
  team: WatchedTeam;
  file: number;
  /** Change the cause of the file's void; null for everyone but organizers. */
  rule: (() => void) | null;
  close: () => void;
}

/** One file of one team: the times of its events, and the cause if it is void. */
function DeliveryPanel({ team, file, rule, close }: PanelProps) {
  const { t } = useLingui();
  const name = useTeamName()(team.team_id);
  const heading = useRef<HTMLHeadingElement>(null);
  const label = `${team.team_id} ${file}`;
  useEffect(() => {
    if (label) heading.current?.focus();
  }, [label]);
  return (
    <section className={styles.delivery} aria-label={t`Delivery`}>
      <h2 ref={heading} tabIndex={-1}>
        {t`${name}, file ${file}`}
      </h2>
      <Answered asks={get("/v1/sessions/{session_id}", { session_id: team.session_id }, EVERY.live)}>
        {({ deliveries }) => {
          const delivery = deliveries.find(({ number }) => number === file);
          return delivery ? <Timeline delivery={delivery} rule={rule} /> : t`This session has no such file.`;
        }}
      </Answered>
      <Button onPress={close}>{t`Close`}</Button>
    </section>
  );
}

function Timeline({ delivery, rule }: { delivery: Schemas["DeliveryBody"]; rule: (() => void) | null }) {
  const { i18n, t } = useLingui();
  const steps: [string, string | null][] = [
    [t`Opens`, delivery.opens_at],
    [t`To be asked for by`, delivery.request_by],
    [t`Handed out`, delivery.handed_out_at],
    [t`To be answered by`, delivery.answer_by],
    [t({ message: "Answered", context: "moment" }), delivery.answered_at],
  ];
  return (
    <>
      <dl className={parts.facts}>
        <Fact name={t`State`}>
          {i18n._(stateWord(delivery.state))}
          {delivery.cause && `: ${i18n._(causeWord(delivery.cause))}`}
        </Fact>
        {steps.map(([name, at]) => (
          <div key={name} className={styles.step}>
            <Fact name={name}>{at ? <TimeOfDay at={at} /> : "—"}</Fact>
          </div>
        ))}
        <Fact name={t`Sends`}>{delivery.sends}</Fact>
        {delivery.cause && (
          <Fact name={t`Evidence`}>
            <Evidence of={delivery.evidence} />
          </Fact>
        )}
      </dl>
      {delivery.cause && rule && (
        <p>
          <Button onPress={rule}>{t`Another cause…`}</Button>
        </p>
      )}
    </>
  );
}

function Decisions({ run, undo }: { run: ConductedRun; undo: ((amendment: number) => void) | null }) {
  const { i18n, t } = useLingui();
  const undone = run.amendments.filter(({ kind }) => kind === "undo").map(({ details }) => details.amendment);
  return (
    <PageSection id="decisions-title" title={t`Decisions`}>
      <Table
        label={t`Table of decisions`}
        rows={run.amendments}
        rowKey={(row) => row.number}
        columns={[
          { header: t`№`, cell: (row) => row.number },
          {
            header: t`Decision`,
            cell: (row) => (
              <>
                {i18n._(DECISIONS[row.kind])} <Details of={row} />
                {undone.includes(row.number) && (
                  <>
                    {" "}
                    <em>{t`(taken back)`}</em>
                  </>
                )}
              </>
            ),
          },
          { header: t`Takes effect`, cell: (row) => <TimeOfDay at={row.effective_at} /> },
          { header: t`Who`, cell: (row) => <Author of={row.who} name={row.name} /> },
          { header: t`Reason`, cell: (row) => row.reason, className: parts.prose },
          undo && {
            header: <span className="sr-only">{t({ message: "Take back", context: "decision" })}</span>,
            cell: (row) =>
              row.kind !== "undo" &&
              !undone.includes(row.number) && (
                <Button aria-label={t`Take back… (decision ${row.number})`} onPress={() => undo(row.number)}>
                  <Trans context="decision">Take back…</Trans>
                </Button>
              ),
          },
        ]}
        empty={t`No decisions on this run since it was planned.`}
      />
    </PageSection>
  );
}

function Details({ of }: { of: Decided }) {
  const nameOf = useTeamName();
  const { i18n } = useLingui();
  const { numbers, team_id: team, number, cause, amendment } = of.details;
  if (Array.isArray(numbers)) return sayNumbers(numbers as number[]);
  if (typeof cause === "string") return `${nameOf(String(team))} ${number}: ${i18n._(causeWord(cause))}`;
  return typeof amendment === "number" ? `№ ${amendment}` : null;
}
