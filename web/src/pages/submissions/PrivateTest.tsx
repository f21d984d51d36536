import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { EVERY, get, post, readFile, type Schemas } from "@/api/client";
import { ApiError } from "@/api/problem";
import { useMay } from "@/auth/hooks";
import { Cabinet } from "@/pages/cabinet/Cabinet";
import { useTeamName } from "@/pages/desk/teamNames";
import { inLanguage, useBoards, useLanguage, useUnit } from "@/ui/contest";
import { Button, PageLink } from "@/ui/controls";
import { Choice, Confirmed, Downloads, Field, Form, Reasoned, Submit, useAction, useDraft } from "@/ui/forms";
import { inUnit, plain, share } from "@/ui/numbers";
import { Answered, AskedPage, Moment, PageSection } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Table } from "@/ui/Table";
import { StateOf } from "./Submission";
import { askedAnew } from "./Uploading";
import { isOver, type Submission, useSubmissions } from "./words";

type Test = Schemas["PrivateTestBody"];

/** Final boards and prizes, as every team sees them once they are published. */
export function PrivateResults() {
  const { t } = useLingui();
  return <Cabinet title={t`Private test`}>{() => <Published />}</Cabinet>;
}

function Published() {
  const test = useQuery(get("/v1/private-test", {}));
  if (test.error instanceof ApiError && test.error.code === "results_not_published" && !test.data) {
    return (
      <p>
        <Trans>
          The final boards are computed over a hidden set, on which the organizers run the nominated submissions. They
          appear here when they are published.
        </Trans>
      </p>
    );
  }
  return <Answered of={test}>{(data) => <Results test={data} />}</Answered>;
}

/**
 * The private test from its beginning to its publication.
 *
 * Clause: TS F-7, TS F-9
 */
export function PrivateTest() {
  const { t } = useLingui();
  return (
    <AskedPage title={t`Private test`} asks={get("/v1/conduct/private-test", {}, EVERY.jobs)}>
      {(data) => (
        <>
          <p>
            {data.published ? (
              <strong className={parts.good}>{t`✓ Published: teams see boards and prizes.`}</strong>
            ) : (
              t`Not published: only organizers and the commission see the boards and prizes below.`
            )}
          </p>
          <Deeds test={data} />
          <Runs test={data} />
          <Results test={data} />
        </>
      )}
    </AskedPage>
  );
}

function Deeds({ test }: { test: Test }) {
  const organizes = useMay("organize");
  if (!organizes || test.published) return null;
  return (
    <>
      <Begin test={test} />
      {test.runs.length > 0 && (
        <div className={parts.actions}>
          <Reasoned
            primary
            label={<Trans>Publish</Trans>}
            asks={<Trans>Every team sees the final boards and the prizes. Every run must have ended.</Trans>}
            act={(reason) => post("/v1/conduct/private-test/publication", {}, { reason })}
          />
        </div>
      )}
    </>
  );
}

function Begin({ test }: { test: Test }) {
  const { t } = useLingui();
  const [chosen, setChosen] = useState("");
  return (
    <Answered asks={get("/v1/conduct/cycle", {})}>
      {({ sets }) => {
        const finals = Object.keys(sets).filter((name) => sets[name]?.kind === "final");
        const set = chosen || (finals[0] ?? "");
        if (finals.length === 0) {
          return (
            <p>
              <Trans>
                The cycle has no final set for the private test. <Link to="/desk/sets">Import one</Link> first.
              </Trans>
            </p>
          );
        }
        return (
          <>
            {finals.length > 1 && <Choice label={t`Hidden set`} value={set} change={setChosen} options={finals} />}
            <p>
              <Confirmed
                label={test.runs.length === 0 ? t`Begin the private test` : t`Run missing submissions`}
                asks={
                  <Trans>
                    The set {set} is run with the nominated submissions of every approved team, or else with its best
                    one. Nominations close then.
                  </Trans>
                }
                act={() => post("/v1/conduct/private-test", {}, { set })}
              />
            </p>
          </>
        );
      }}
    </Answered>
  );
}

function Runs({ test }: { test: Test }) {
  const { t } = useLingui();
  const language = useLanguage();
  const unit = useUnit();
  const nameOf = useTeamName();
  const ended = test.runs.filter((run) => isOver(run.state)).length;
  const all = test.runs.length;
  if (all === 0) return <p>{t`No private runs yet.`}</p>;
  return (
    <PageSection id="runs-title" title={<Trans context="program">Runs</Trans>}>
      <p role="status">{t`Ended: ${ended} of ${all}`}</p>
      <Table
        label={t`Table of private runs`}
        rows={test.runs}
        rowKey={(row) => row.submission_id}
        columns={[
          {
            header: <Trans context="program">Run</Trans>,
            cell: (row) => (
              <PageLink to="/desk/submitted/$submissionId" id={row.submission_id}>
                {row.submission_id}
              </PageLink>
            ),
          },
          { header: t`Team`, cell: (row) => nameOf(row.team_id) },
          { header: t`State`, cell: (row) => <StateOf of={row} /> },
          { header: t`Result`, cell: (row) => inUnit(row.value, unit, language), className: parts.number },
          {
            header: t`Of submission`,
            cell: (row) => (
              <PageLink to="/desk/submitted/$submissionId" id={row.of}>
                {row.of}
              </PageLink>
            ),
          },
        ]}
      />
    </PageSection>
  );
}

/** Show the final boards, and the prizes: awarded, or as a preview. */
function Results({ test }: { test: Test }) {
  const { t } = useLingui();
  const language = useLanguage();
  const boards = useBoards().data?.boards ?? [];
  const nameOf = useTeamName();
  const titleOf = (key: string) => {
    const board = boards.find((board) => board.key === key);
    return board ? inLanguage(board.title, language) : key;
  };
  const keys = [...new Set(test.places.map((place) => place.board))];
  const money = new Intl.NumberFormat(language, { style: "currency", currency: "RUB", maximumFractionDigits: 2 });
  return (
    <>
      {keys.map((key) => (
        <PageSection id={`board-${key}`} title={titleOf(key)} key={key}>
          <Table
            folds
            rows={test.places.filter((place) => place.board === key)}
            rowKey={(row) => row.team_id}
            rowHeader={1}
            columns={[
              { header: t`Place`, cell: (row) => row.place ?? "—" },
              { header: t`Team`, cell: (row) => nameOf(row.team_id) },
              {
                header: t`Result`,
                cell: (row) => inUnit(row.value, boards.find((board) => board.key === key)?.unit ?? "points", language),
                className: parts.number,
              },
              {
                header: t`Minimum reached`,
                cell: (row) => (row.overcame === null ? "—" : row.overcame ? t`yes` : t`no`),
              },
            ]}
          />
        </PageSection>
      ))}
      {keys.length > 0 && (
        <PageSection id="prizes-title" title={t`Prizes`}>
          {test.awards.length === 0 ? (
            <p>{t`No prizes: no team has reached a minimum with a confirmed model.`}</p>
          ) : (
            <ul>
              {test.awards.map((award) => (
                <li key={`${award.board} ${award.team_id}`}>
                  {nameOf(award.team_id)}: {titleOf(award.board)}, <Trans>place {award.place}</Trans>,{" "}
                  {money.format(award.roubles)}
                </li>
              ))}
            </ul>
          )}
        </PageSection>
      )}
      {test.published && (
        <Downloads
          title={t`Public archive`}
          name="private-test"
          of={[["ZIP", () => readFile("/v1/private-test/archive", {})]]}
        />
      )}
    </>
  );
}

/** Highest number of a team's nominated submissions in the private test (F-7). */
const MOST_NAMED = 2;

/**
 * A team's two decisions about a scored program: to nominate it for the private test, and to declare its model.
 *
 * Clause: TS F-7, TS F-8
 */
export function Prize({ submission }: { submission: Submission }) {
  return (
    <>
      <Named of={submission} />
      <Declared submission={submission} />
    </>
  );
}

function Named({ of }: { of: Submission }) {
  const { t } = useLingui();
  const own = useSubmissions("/v1/submissions");
  const named = (own.data?.pages ?? []).flatMap((page) => page.submissions).filter((submission) => submission.named);
  const others = named.map((submission) => submission.submission_id).filter((id) => id !== of.submission_id);
  const naming = useAction((submissions: string[]) => post("/v1/submissions/named", {}, { submissions }), undefined, {
    onSettled: askedAnew,
  });
  return (
    <PageSection id="named-title" title={<Trans>Private test</Trans>}>
      <p>
        <Trans>
          At the end of the contest the organizers run up to two nominated submissions of a team on a hidden set.
          Without a nomination they run the team's best one.
        </Trans>{" "}
        {of.named && <strong className={parts.good}>{<Trans>✓ This submission is nominated.</Trans>}</strong>}
      </p>
      {naming.problem}
      {of.named ? (
        <Button isDisabled={naming.isPending || own.isPending} onPress={() => naming.mutate(others)}>
          <Trans>Withdraw nomination</Trans>
        </Button>
      ) : others.length < MOST_NAMED ? (
        <Button
          isDisabled={naming.isPending || own.isPending}
          onPress={() => naming.mutate([...others, of.submission_id])}
        >
          {t`Nominate for the private test`}
        </Button>
      ) : (
        <p>
          <Plural value={others.length} one="# submission is nominated" other="# submissions are nominated" />
          {": "}
          {others.join(", ")}. <Trans>Withdraw the nomination of one of them, then you can nominate this one.</Trans>
        </p>
      )}
    </PageSection>
  );
}

function Declared({ submission }: { submission: Submission }) {
  const { t } = useLingui();
  const language = useLanguage();
  const declaration = submission.declaration;
  const { draft, bind } = useDraft({
    total: String(declaration?.total_parameters ?? ""),
    shared: String(declaration?.shared_parameters ?? ""),
  });
  const { total, shared } = draft;
  const declaring = useAction(
    () => {
      const params = { submission_id: submission.submission_id };
      const body = { total_parameters: Number(total), shared_parameters: Number(shared) };
      return post("/v1/submissions/{submission_id}/declaration", params, body);
    },
    undefined,
    { onSettled: askedAnew },
  );
  return (
    <PageSection id="declared-title" title={t`Declaration of the model`}>
      <p>
        <Trans>
          For the prizes of models that solve several tasks: how many parameters the model has, and how many of them
          every subtask uses. The commission confirms it; a changed declaration has to be confirmed again.
        </Trans>
      </p>
      {declaration && (
        <p role="status">
          <DeclarationOf declaration={declaration} />
        </p>
      )}
      <Form submit={() => declaring.mutate()} problem={declaring.problem}>
        <Field label={t`Parameters in all`} required type="number" min={1} {...bind("total")} />
        <Field
          label={t`Of them used by every subtask`}
          required
          type="number"
          min={0}
          max={total === "" ? undefined : total}
          {...bind("shared")}
        />
        {Number(total) > 0 && shared !== "" && (
          <p className={parts.note}>
            {t`Shared: ${share(Number(shared) / Number(total), language)} of ${plain(Number(total), language)}`}
          </p>
        )}
        <Submit of={declaring}>{declaration ? t`Declare it again` : t`Declare`}</Submit>
      </Form>
    </PageSection>
  );
}

/** Show the declaration and the commission's decision. */
export function DeclarationOf({ declaration }: { declaration: NonNullable<Submission["declaration"]> }) {
  const { t } = useLingui();
  const language = useLanguage();
  return (
    <>
      <Trans>
        Shared: {share(declaration.shared_share, language)} of {plain(declaration.total_parameters, language)}
      </Trans>
      {" · "}
      <Moment at={declaration.declared_at} />
      {" · "}
      {declaration.confirmed === null ? (
        t`the commission has not decided yet`
      ) : declaration.confirmed ? (
        <span className={parts.good}>{t`✓ confirmed`}</span>
      ) : (
        <span className={parts.void}>{t`✕ refused`}</span>
      )}
      {declaration.reason && `: ${declaration.reason}`}
    </>
  );
}
