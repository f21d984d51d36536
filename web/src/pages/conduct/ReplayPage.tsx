import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { api } from "@/api/client";
import { EVERY, get, renewed } from "@/api/queries";
import { useMay } from "@/auth/hooks";
import { Part } from "@/charts/Part";
import { useTeamName } from "@/pages/desk/teamNames";
import { AskedPage } from "@/shell/AskedPage";
import { inLanguage, useLanguage } from "@/ui/contest";
import { Button, save } from "@/ui/controls";
import { Confirmed, Reasoned } from "@/ui/forms";
import { Countdown, Moment, useNow } from "@/ui/moments";
import { Wide } from "@/ui/Wide";
import { BeginReplay } from "./BeginReplay";
import styles from "./conduct.module.css";
import { replayQuery } from "./data";
import { nextOf, type Replay, reviewsOf } from "./replay";

/**
 * Stage 2 of a final as those see it who lead it: what is replayed to whom, the lot, the rounds, what came of them.
 *
 * Clause: TS D-10, D 9.10.7, D 9.10.8.5
 */
export function ReplayPage() {
  const { t } = useLingui();
  const { runId } = useParams({ from: "/desk/runs/$runId/replay" });
  const replay = useQuery(replayQuery(runId));
  return (
    <AskedPage title={t`Stage 2: work replayed for clinicians`} of={replay}>
      {(told) => (
        <>
          <OfRun runId={runId} />
          {told ? <Led of={told} /> : <BeginReplay runId={runId} />}
        </>
      )}
    </AskedPage>
  );
}

function Led({ of }: { of: Replay }) {
  return (
    <>
      <Rounds of={of} />
      {of.results && <Results of={of} />}
      {of.opened.length > 0 && <Round of={of} round={of.opened.length} open />}
      <Lot of={of} />
      {of.opened.slice(0, -1).map((at, place) => (
        <Round key={at} of={of} round={place + 1} />
      ))}
      <Kept of={of} />
    </>
  );
}

function OfRun({ runId }: { runId: string }) {
  return (
    <p>
      <Link to="/desk/runs/$runId" params={{ runId }}>
        <Trans>The run</Trans>
      </Link>
      {" · "}
      <Link to="/desk/settlement/$runId" params={{ runId }}>
        <Trans>Its settlement</Trans>
      </Link>
    </p>
  );
}

/** Where the rounds stand, and the one thing that comes next. */
function Rounds({ of }: { of: Replay }) {
  const organizes = useMay("organize");
  const verifies = useMay("verify_results");
  const next = nextOf(of, useNow());
  const params = { path: { run_id: of.run_id } };
  const all = of.files.length;
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
        <Trans>All rounds were held and the stage is closed: what came of it stands beside the board.</Trans>
      </p>
    );
  }
  if (next.kind === "close") {
    return (
      <>
        <p role="status" className={styles.verdict}>
          <Trans>All {all} rounds were held. The stage waits to be closed.</Trans>
        </p>
        {verifies && (
          <Reasoned
            primary
            label={<Trans>Close the stage</Trans>}
            asks={
              <Trans>
                What the reviews amount to is reckoned once and stands beside the board from then on. It cannot be taken
                back.
              </Trans>
            }
            clause="D 9.10.8.7"
            act={(reason) => api.POST("/v1/replays/{run_id}/close", { params, body: { reason } })}
            done={renewed}
          />
        )}
      </>
    );
  }
  const minutes = of.limit_s / 60;
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
              Every clinician is shown the work at once, and has{" "}
              <Plural value={minutes} one="# minute" other="# minutes" /> from now on. It cannot be stopped.
            </Trans>
          }
          act={() => api.POST("/v1/replays/{run_id}/rounds", { params })}
          done={renewed}
        />
      ) : (
        <p>
          <Trans>Rounds are opened by organizers.</Trans>
        </p>
      )}
    </>
  );
}

function Results({ of }: { of: Replay }) {
  const nameOf = useTeamName();
  const { results } = of;
  if (!results) return null;
  const rows = results.rows.map(([team, ...cells]) => [nameOf(String(team)), ...cells]);
  return <Part section={{ ...results, rows }} result={null} />;
}

/** Who works under which name; whoever has the seed draws the same. */
function Lot({ of }: { of: Replay }) {
  const { t } = useLingui();
  const nameOf = useTeamName();
  const staff = useQuery(get("/v1/staff", {}, EVERY.idle)).data?.staff;
  const personOf = new Map(staff?.map(({ person_id, name }) => [person_id, name]));
  const named = [
    ...of.systems.map(({ id, name }) => ({ id, name, who: nameOf(id), what: t`program` })),
    ...of.people.map(({ id, name }) => ({ id, name, who: personOf.get(id) ?? id, what: t`clinician` })),
  ];
  return (
    <section aria-labelledby="lot-title">
      <h2 id="lot-title">
        <Trans>The lot</Trans>
      </h2>
      <p>
        <Trans>
          Drawn <Moment at={of.begun_at} /> from the seed {of.seed}, once for all rounds: whoever has the seed draws the
          same names. Whoever has signed in reads seed, programs and their names; who the clinicians are stands here
          alone.
        </Trans>
      </p>
      <Wide label={t`Table of the lot`}>
        <thead>
          <tr>
            <th scope="col">
              <Trans>Name in the lot</Trans>
            </th>
            <th scope="col">
              <Trans>Who</Trans>
            </th>
            <th scope="col">
              <Trans>What they are</Trans>
            </th>
          </tr>
        </thead>
        <tbody>
          {named.map(({ id, name, who, what }) => (
            <tr key={name + id}>
              <th scope="row">{name}</th>
              <td>{who}</td>
              <td>{what}</td>
            </tr>
          ))}
        </tbody>
      </Wide>
    </section>
  );
}

/** The lot, the rounds and what was said of them, for whoever keeps the final. */
function Kept({ of }: { of: Replay }) {
  const text = JSON.stringify(of, null, 2);
  const keep = () => save(new Blob([text], { type: "application/json" }), `stage-2-${of.run_id}.json`);
  return (
    <p>
      <Button onPress={keep}>
        <Trans>Keep the lot, all answers and comments as JSON</Trans>
      </Button>
    </p>
  );
}

/** What everybody has said in a round; the present one changes while they work. */
function Round({ of, round, open = false }: { of: Replay; round: number; open?: boolean }) {
  const { t } = useLingui();
  const reviews = reviewsOf(of, round);
  const saved = reviews.filter(([, review]) => review?.saved_at).length;
  const title = (
    <Trans>
      Round {round}, file {of.files[round - 1]}: reviews {saved} of {of.people.length}
    </Trans>
  );
  const table = (
    <Wide label={t`Table of reviews, round ${round}`}>
      <ReviewHead questions={of.questions} />
      <tbody>
        {reviews.map(([name, review]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{review?.system || "—"}</td>
            {of.questions.map(({ key }) => (
              <td key={key}>{answerOf(review?.answers[key], t`yes`, t`no`)}</td>
            ))}
            <td>{review?.comment || "—"}</td>
            <td>
              {review?.saved_at ? <Moment at={review.saved_at} /> : review ? t`looked, nothing said` : t`nothing`}
            </td>
          </tr>
        ))}
      </tbody>
    </Wide>
  );
  return open ? (
    <section aria-labelledby="round-title">
      <h2 id="round-title">{title}</h2>
      {table}
    </section>
  ) : (
    <details className={styles.more}>
      <summary>{title}</summary>
      {table}
    </details>
  );
}

function answerOf(said: boolean | undefined, yes: string, no: string): string {
  if (said === undefined) return "—";
  return said ? yes : no;
}

function ReviewHead({ questions }: { questions: Replay["questions"] }) {
  const language = useLanguage();
  return (
    <thead>
      <tr>
        <th scope="col">
          <Trans>Clinician</Trans>
        </th>
        <th scope="col">
          <Trans context="judged">Program</Trans>
        </th>
        {questions.map(({ key, text }) => (
          <th key={key} scope="col">
            {inLanguage(text, language)}
          </th>
        ))}
        <th scope="col">
          <Trans>Comment</Trans>
        </th>
        <th scope="col">
          <Trans>Saved</Trans>
        </th>
      </tr>
    </thead>
  );
}
