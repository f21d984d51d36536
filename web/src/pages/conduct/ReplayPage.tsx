import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { EVERY, get, post } from "@/api/client";
import { useMay } from "@/auth/hooks";
import { Part } from "@/charts/Part";
import { useTeamName } from "@/pages/desk/teamNames";
import { inLanguage, useLanguage } from "@/ui/contest";
import { Button, PageLink, saveJson } from "@/ui/controls";
import { Checks, Confirmed, Field, Reasoned, useDraft } from "@/ui/forms";
import { Answered, AskedPage, Countdown, Moment, PageSection, useNow } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { type Column, Table } from "@/ui/Table";
import styles from "./conduct.module.css";
import {
  type ConductedRun,
  nextOf,
  type Replay,
  type ReplayRules,
  readNumbers,
  replayQuery,
  reviewsOf,
  runQuery,
} from "./data";

/**
 * Stage 2 of a final, for the people who conduct it: the replayed work, the lot, the rounds and their results.
 *
 * Clause: TS D-10, D 9.10.7, D 9.10.8.5
 */
export function ReplayPage() {
  const { t } = useLingui();
  const nameOf = useTeamName();
  const { runId } = useParams({ from: "/desk/runs/$runId/replay" });
  return (
    <AskedPage title={t`Stage 2: work replayed for clinicians`} of={useQuery(replayQuery(runId))}>
      {(data) => (
        <>
          <p>
            <PageLink to="/desk/runs/$runId" id={runId}>{t`The run`}</PageLink>
            {" · "}
            <PageLink to="/desk/settlement/$runId" id={runId}>{t`Its settlement`}</PageLink>
          </p>
          {data ? (
            <>
              <Rounds replay={data} />
              {data.results && (
                <Part
                  section={{
                    ...data.results,
                    rows: data.results.rows.map(([team, ...cells]) => [nameOf(String(team)), ...cells]),
                  }}
                  result={null}
                />
              )}
              {data.opened.length > 0 && <Round replay={data} round={data.opened.length} open />}
              <Lot replay={data} />
              {data.opened.slice(0, -1).map((at, place) => (
                <Round key={at} replay={data} round={place + 1} />
              ))}
              {/* For people who keep a record of the final. */}
              <p>
                <Button onPress={() => saveJson(data, `stage-2-${data.run_id}.json`)}>
                  {t`Save the lot, all answers and comments as JSON`}
                </Button>
              </p>
            </>
          ) : (
            <BeginReplay runId={runId} />
          )}
        </>
      )}
    </AskedPage>
  );
}

/** State of the rounds, and the one next action. */
function Rounds({ replay }: { replay: Replay }) {
  const { t } = useLingui();
  const organizes = useMay("organize");
  const verifies = useMay("verify_results");
  const next = nextOf(replay, useNow());
  const params = { run_id: replay.run_id };
  const all = replay.files.length;
  if (next.kind === "running") {
    return (
      <p role="status" className={styles.verdict}>
        <Trans>
          Round {next.round} of {all} goes on until <Moment at={next.until} />, <Countdown to={next.until} /> more. The
          next one can be opened then.
        </Trans>
      </p>
    );
  }
  if (next.kind === "closed") {
    return (
      <p role="status" className={styles.verdict}>
        {t`All rounds were held and the stage is closed: its results are beside the board.`}
      </p>
    );
  }
  if (next.kind === "close") {
    return (
      <>
        <p role="status" className={styles.verdict}>
          {t`All ${all} rounds were held. The stage waits to be closed.`}
        </p>
        {verifies && (
          <Reasoned
            primary
            label={t`Close the stage`}
            asks={t`The result of the reviews is computed once and shown beside the board. You cannot undo this.`}
            clause="D 9.10.8.7"
            act={(reason) => post("/v1/replays/{run_id}/close", params, { reason })}
          />
        )}
      </>
    );
  }
  const minutes = replay.limit_s / 60;
  return (
    <>
      <p role="status" className={styles.verdict}>
        <Trans>
          No round is open. <Plural value={next.round - 1} one="# round was held" other="# rounds were held" /> of {all}
          .
        </Trans>
      </p>
      {organizes ? (
        <Confirmed
          label={<Trans>Open round {next.round}</Trans>}
          asks={
            <Trans>
              Every clinician sees the work at once and has <Plural value={minutes} one="# minute" other="# minutes" />{" "}
              from now on. The round cannot be stopped.
            </Trans>
          }
          act={() => post("/v1/replays/{run_id}/rounds", params)}
        />
      ) : (
        <p>{t`Rounds are opened by organizers.`}</p>
      )}
    </>
  );
}

/** Names in the lot, each with its program or clinician; the same seed always gives the same names. */
function Lot({ replay }: { replay: Replay }) {
  const { t } = useLingui();
  const nameOf = useTeamName();
  const staff = useQuery(get("/v1/staff", {}, EVERY.idle)).data?.staff;
  const personOf = new Map(staff?.map(({ person_id, name }) => [person_id, name]));
  const named = [
    ...replay.systems.map(({ id, name }) => ({ id, name, who: nameOf(id), what: t`program` })),
    ...replay.people.map(({ id, name }) => ({ id, name, who: personOf.get(id) ?? id, what: t`clinician` })),
  ];
  return (
    <PageSection id="lot-title" title={<Trans>The lot</Trans>}>
      <p>
        <Trans>
          Drawn <Moment at={replay.begun_at} /> from the seed {replay.seed}, once for all rounds: the same seed always
          gives the same names. Everybody who is signed in sees seed, programs and their names; the clinicians'
          identities are shown only here.
        </Trans>
      </p>
      <Table
        label={t`Table of the lot`}
        rows={named}
        rowKey={({ id, name }) => name + id}
        columns={[
          { header: <Trans>Name in the lot</Trans>, cell: ({ name }) => name },
          { header: <Trans>Who</Trans>, cell: ({ who }) => who },
          { header: <Trans>What they are</Trans>, cell: ({ what }) => what },
        ]}
      />
    </PageSection>
  );
}

/** Reviews of a round by all clinicians; the open round's reviews change while they work. */
function Round({ replay, round, open = false }: { replay: Replay; round: number; open?: boolean }) {
  const { t } = useLingui();
  const language = useLanguage();
  const reviews = reviewsOf(replay, round);
  const saved = reviews.filter(([, review]) => review?.saved_at).length;
  const title = (
    <Trans>
      Round {round}, file {replay.files[round - 1]}: reviews {saved} of {replay.people.length}
    </Trans>
  );
  const table = (
    <Table
      label={t`Table of reviews, round ${round}`}
      rows={reviews}
      rowKey={([name]) => name}
      columns={[
        { header: <Trans>Clinician</Trans>, cell: ([name]) => name },
        { header: <Trans context="judged">Program</Trans>, cell: ([, review]) => review?.system || "—" },
        ...replay.questions.map(
          ({ key, text }): Column<(typeof reviews)[number]> => ({
            header: inLanguage(text, language),
            cell: ([, review]) => ({ true: t`yes`, false: t`no` })[String(review?.answers[key])] ?? "—",
          }),
        ),
        { header: <Trans>Comment</Trans>, cell: ([, review]) => review?.comment || "—", className: parts.prose },
        {
          header: <Trans>Saved</Trans>,
          cell: ([, review]) =>
            review?.saved_at ? <Moment at={review.saved_at} /> : review ? t`viewed, no answers` : t`nothing`,
        },
      ]}
    />
  );
  return open ? (
    <PageSection id="round-title" title={title}>
      {table}
    </PageSection>
  ) : (
    <details className={styles.more}>
      <summary>{title}</summary>
      {table}
    </details>
  );
}

/** Start of a replay, shown until it begins: a person who may verify results makes all choices, once. */
function BeginReplay({ runId }: { runId: string }) {
  const { t } = useLingui();
  const verifies = useMay("verify_results");
  return (
    <Answered asks={get("/v1/conduct/cycle", {})}>
      {({ replay }) =>
        replay ? (
          <Answered asks={runQuery(runId)}>
            {(data) =>
              data.closed_at === null ? (
                <p role="status">{t`The run is not over yet. You can choose the files to replay when it is.`}</p>
              ) : verifies ? (
                <Form run={data} rules={replay} />
              ) : (
                <p role="status">{t`No rounds of this run yet.`}</p>
              )
            }
          </Answered>
        ) : (
          <p role="status">{t`This contest has no stage 2.`}</p>
        )
      }
    </Answered>
  );
}

function Form({ run, rules }: { run: ConductedRun; rules: ReplayRules }) {
  const { t } = useLingui();
  const last = Math.min(run.total_files, rules.fewest_rounds);
  const chosen = { people: [] as string[], teams: [] as string[] };
  const { draft, bind, change } = useDraft({ files: `1-${last}`, seed: "", limit: "", ...chosen });
  const { people, teams, seed, limit } = draft;
  const numbers = readNumbers(draft.files);
  const drawn = Number(seed);
  const wrong =
    numbers === null
      ? t`Files: numbers like 1-12, 15.`
      : numbers.length < rules.fewest_rounds || numbers.length > rules.most_rounds
        ? t`Files are chosen: ${numbers.length}; ${rules.fewest_rounds} to ${rules.most_rounds} are wanted.`
        : people.length !== rules.people
          ? t`Clinicians are chosen: ${people.length}; ${rules.people} are wanted.`
          : seed === "" || !Number.isSafeInteger(drawn) || drawn < 0
            ? t`The seed is a whole number.`
            : null;
  const act = (reason: string) =>
    post(
      "/v1/replays",
      {},
      {
        run_id: run.run_id,
        files: numbers ?? [],
        people,
        seed: drawn,
        teams: teams.length > 0 ? teams : null,
        limit_s: limit === "" ? null : Number(limit),
        reason,
      },
    );
  return (
    <PageSection id="begin-title" title={<Trans>Choose files and programs, and draw the lot</Trans>}>
      <p>
        <Trans>
          In each round every clinician sees one program's work on the same file, turn by turn, and answers the
          contest's questions. Files, programs and clinicians are chosen once; the lot gives programs and clinicians
          their names.
        </Trans>
      </p>
      <div className={styles.form}>
        <Field label={t`Files of the run, one a round`} {...bind("files")} />
        <Field label={t`Seed of the lot, which everybody can read`} type="number" min={0} step={1} {...bind("seed")} />
        <Field
          label={t`Seconds for a review`}
          type="number"
          min={1}
          max={7200}
          step={1}
          placeholder={String(rules.limit_s)}
          {...bind("limit")}
        />
        <People chosen={people} choose={(people) => change({ people })} wanted={rules.people} />
        <Teams chosen={teams} choose={(teams) => change({ teams })} rules={rules} />
      </div>
      {wrong === null ? (
        <Reasoned
          primary
          label={<Trans>Draw the lot</Trans>}
          asks={
            <Trans>
              The names are drawn from the seed {seed}, once for all rounds. Neither files nor people can be changed
              afterwards.
            </Trans>
          }
          clause="D 9.10.8.5"
          act={act}
        />
      ) : (
        <p role="status">{wrong}</p>
      )}
    </PageSection>
  );
}

interface ChoiceProps {
  chosen: readonly string[];
  choose: (chosen: string[]) => void;
}

function People({ chosen, choose, wanted }: ChoiceProps & { wanted: number }) {
  const { t } = useLingui();
  return (
    <Answered asks={get("/v1/staff", {})}>
      {(data) => {
        const clinicians = data.staff.filter(({ role, dismissed_at }) => role === "clinician" && !dismissed_at);
        if (clinicians.length === 0)
          return (
            <p>
              <Trans>The staff has no clinicians yet: an organizer has to invite them first.</Trans>
            </p>
          );
        return (
          <Checks
            legend={t`Clinicians, ${chosen.length} of ${wanted}`}
            options={clinicians.map(({ person_id, name, email }) => [person_id, `${name}, ${email}`] as const)}
            chosen={chosen}
            change={choose}
            className={styles.choices}
            look={styles.check}
          />
        );
      }}
    </Answered>
  );
}

/** Choice of teams; if none is chosen, all teams that took part are replayed. */
function Teams({ chosen, choose, rules }: ChoiceProps & { rules: ReplayRules }) {
  const { t } = useLingui();
  const teams = useQuery(get("/v1/teams", {})).data?.teams ?? [];
  const nameOf = useTeamName();
  return (
    <details className={styles.more}>
      <summary>{t`Only these programs (otherwise all that took part)`}</summary>
      {teams.length === 0 && <p>{t`There is no team.`}</p>}
      <Checks
        legend={t`Programs, ${rules.fewest_programs} to ${rules.most_programs}`}
        options={teams.map(({ team_id }) => team_id)}
        named={nameOf}
        chosen={chosen}
        change={choose}
        className={styles.choices}
        look={styles.check}
      />
    </details>
  );
}
