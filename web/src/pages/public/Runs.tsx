import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { EVERY, get, type Schemas } from "@/api/client";
import { CAUSES, type Cycle, useLanguage, useMessage } from "@/ui/contest";
import { Answered, Countdown, Moment, Page, useNow } from "@/ui/Page";
import { day } from "@/ui/time";
import styles from "./public.module.css";

export type Run = Schemas["RunBody"];

export const runsQuery = get("/v1/runs", {}, EVERY.idle);

export const MODES: Record<Run["mode"], MessageDescriptor> = {
  algorithmic: msg`Algorithmic session`,
  technical: msg`Technical qualification`,
  final: msg`Final`,
};

/** States of a run. The context tells them from states of sessions, which Russian words in another gender. */
export const STATES: Record<Run["state"], MessageDescriptor> = {
  planned: msg({ message: "planned", context: "run" }),
  running: msg({ message: "running", context: "run" }),
  paused: msg({ message: "paused", context: "run" }),
  finished: msg({ message: "finished", context: "run" }),
  stopped: msg({ message: "stopped", context: "run" }),
};

/**
 * The runs, past and planned: each opens for all its teams at once.
 *
 * Clause: R 7.16.2
 */
export function Runs() {
  const { i18n, t } = useLingui();
  return (
    <Page title={t`Runs`}>
      <p>
        <Trans>
          A run opens the same files for every team at the same moments. A signed commitment to files and schedule is
          published before it begins; afterwards anybody can check that nothing was changed.
        </Trans>
      </p>
      <Answered asks={runsQuery}>
        {(data) =>
          data.runs.length === 0 ? (
            <p>
              <Trans>
                No runs yet. Technical qualifications and finals appear here when they are planned, with their signed
                commitment.
              </Trans>
            </p>
          ) : (
            <ul>
              {data.runs.map((run) => (
                <li key={run.run_id}>
                  <Link to="/runs/$runId" params={{ runId: run.run_id }}>
                    {i18n._(MODES[run.mode])} · <Moment at={run.starts_at} />
                  </Link>
                  {" · "}
                  {i18n._(STATES[run.state])}
                  {" · "}
                  <Plural value={run.files} one="# file" other="# files" />
                  {run.trial && ` · ${t`a trial, does not count`}`}
                </li>
              ))}
            </ul>
          )
        }
      </Answered>
    </Page>
  );
}

type Amendment = Run["amendments"][number];
type Ruling = Run["rulings"][number];

/** Names of the decisions about a run. */
export const DECISIONS: Record<Amendment["amendment"]["amendment"] | "rule", MessageDescriptor> = {
  pause: msg`Pause`,
  resume: msg`Resumption`,
  stop: msg`Stop`,
  void: msg`Files annulled for everybody`,
  replace: msg`Files replaced`,
  rule: msg`Another cause for a void file`,
  admit: msg`A late team admitted`,
  undo: msg`A decision taken back`,
  sealed: msg`A ruling on one team's file; the record reveals its content`,
};

/** Show the organizers' signed decisions about a run; a sealed one shows its content once it is disclosed. */
export function Amendments({ amendments, rulings }: { amendments: readonly Amendment[]; rulings: readonly Ruling[] }) {
  const { i18n, t } = useLingui();
  if (amendments.length === 0) return null;
  return (
    <>
      <h2>{t`Decisions`}</h2>
      <ol>
        {amendments.map(({ amendment }) => (
          <li key={amendment.number} value={amendment.number}>
            <strong>{i18n._(DECISIONS[amendment.amendment])}</strong>, <Moment at={amendment.effective_at} />
            {amendment.reason && `: ${amendment.reason}`}
            {rulings
              .filter((ruling) => ruling.number === amendment.number)
              .map((ruling) => (
                <Opened key={ruling.number} ruling={ruling} />
              ))}
          </li>
        ))}
      </ol>
    </>
  );
}

function Opened({ ruling: { details, reason } }: { ruling: Ruling }) {
  const { i18n, t } = useLingui();
  if (!("cause" in details)) return `: ${t`ruling ${details.amendment} is taken back: ${reason}`}`;
  const { team_id: team, number, cause } = details;
  return `: ${t`${team}, file ${number}: the cause is “${i18n._(CAUSES[cause])}”. ${reason}`}`;
}

export const STAGES: Record<Cycle["stages"][number]["name"], MessageDescriptor> = {
  selection: msg`Selection`,
  qualification: msg`Qualification`,
  final: msg`Final`,
  results: msg`Results`,
};

/** Show the next change of stage or the next run, whichever is nearer, with the time left until it. */
export function NextDate({ cycle, runs }: { cycle: Cycle; runs: readonly Run[] }) {
  const { i18n, t } = useLingui();
  const now = useNow();
  const dates = [
    ...cycle.stages.flatMap((stage) => [
      { name: STAGES[stage.name], at: stage.starts_at, begins: true },
      { name: STAGES[stage.name], at: stage.ends_at, begins: false },
    ]),
    ...runs.map((run) => ({ name: MODES[run.mode], at: run.starts_at, begins: true })),
  ];
  const next = dates.filter(({ at }) => Date.parse(at) > now).sort((a, b) => Date.parse(a.at) - Date.parse(b.at))[0];
  if (!next) return <p>{t`No date is set for the next stage. It will be announced.`}</p>;
  const name = i18n._(next.name);
  return (
    <p className={styles.next}>
      {next.begins ? <Trans>{name} begins in</Trans> : <Trans>{name} ends in</Trans>}{" "}
      <strong>
        <Countdown to={next.at} />
      </strong>
      <br />
      <Moment at={next.at} />
    </p>
  );
}

/** Show the cycle's stages in their order; the present one is marked. */
export function Stages({ cycle }: { cycle: Cycle }) {
  const { i18n, t } = useLingui();
  const language = useLanguage();
  const text = useMessage();
  const now = useNow(60_000);
  return (
    <ol className={styles.stages} aria-label={t`Stages of the cycle`}>
      {cycle.stages.map((stage) => {
        const isNow = Date.parse(stage.starts_at) <= now && now < Date.parse(stage.ends_at);
        return (
          <li key={stage.name} aria-current={isNow ? "step" : undefined}>
            <strong>{i18n._(STAGES[stage.name])}</strong>
            <span>
              {day(stage.first, language)} – {day(stage.last, language)}
            </span>
            <span>{text(stage)}</span>
            {isNow && <span className={styles.now}>{t`now`}</span>}
          </li>
        );
      })}
    </ol>
  );
}
