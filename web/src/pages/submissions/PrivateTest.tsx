import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api, type Schemas } from "@/api/client";
import { ApiError } from "@/api/problem";
import { EVERY, get, renewed } from "@/api/queries";
import { useMay } from "@/auth/hooks";
import { Cabinet } from "@/pages/cabinet/Cabinet";
import { useTeamName } from "@/pages/desk/teamNames";
import { AskedPage } from "@/shell/AskedPage";
import { inLanguage, useBoards, useLanguage, useUnit } from "@/ui/contest";
import { Confirmed, Downloads, Reasoned } from "@/ui/forms";
import { inUnit } from "@/ui/numbers";
import { Answered } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Wide } from "@/ui/Wide";
import { StateOf } from "./SubmissionTable";
import { isOver } from "./words";

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
          The final boards come from a hidden set, over which the organizers run what teams have named. They show here
          when they are published.
        </Trans>
      </p>
    );
  }
  return <Answered of={test}>{(told) => <Results of={told} />}</Answered>;
}

/**
 * The private test from its beginning to its publication.
 *
 * Clause: TS F-7, TS F-9
 */
export function PrivateTest() {
  const { t } = useLingui();
  const test = useQuery(get("/v1/conduct/private-test", {}, EVERY.jobs));
  return (
    <AskedPage title={t`Private test`} of={test}>
      {(told) => (
        <>
          <p>
            {told.published ? (
              <strong className={parts.good}>
                <Trans>✓ Published: teams see boards and prizes.</Trans>
              </strong>
            ) : (
              <Trans>Not published: boards and prizes below are seen by organizers and the commission alone.</Trans>
            )}
          </p>
          <Deeds of={told} />
          <Runs of={told} />
          <Results of={told} />
        </>
      )}
    </AskedPage>
  );
}

function Deeds({ of }: { of: Test }) {
  const organizes = useMay("organize");
  if (!organizes || of.published) return null;
  return (
    <>
      <Begin of={of} />
      {of.runs.length > 0 && (
        <div className={parts.actions}>
          <Reasoned
            primary
            label={<Trans>Publish</Trans>}
            asks={<Trans>Every team sees the final boards and the prizes. Every run must have ended.</Trans>}
            act={(reason) => api.POST("/v1/conduct/private-test/publication", { body: { reason } })}
            done={renewed}
          />
        </div>
      )}
    </>
  );
}

function Begin({ of }: { of: Test }) {
  const cycle = useQuery(get("/v1/conduct/cycle", {}));
  const [chosen, setChosen] = useState("");
  return (
    <Answered of={cycle}>
      {({ sets }) => {
        const finals = Object.keys(sets).filter((name) => sets[name]?.kind === "final");
        const set = chosen || (finals[0] ?? "");
        if (finals.length === 0) {
          return (
            <p>
              <Trans>
                There is no final set to run submissions over. <Link to="/desk/sets">Import one</Link> first.
              </Trans>
            </p>
          );
        }
        return (
          <>
            {finals.length > 1 && (
              <label className={parts.field}>
                <Trans>Hidden set</Trans>
                <select value={set} onChange={(event) => setChosen(event.currentTarget.value)}>
                  {finals.map((name) => (
                    <option key={name}>{name}</option>
                  ))}
                </select>
              </label>
            )}
            <p>
              <Confirmed
                label={
                  of.runs.length === 0 ? <Trans>Begin the private test</Trans> : <Trans>Run what is missing</Trans>
                }
                asks={
                  <Trans>
                    Over the set {set} is run what every approved team has named, else its best submission. From then on
                    nobody names any more.
                  </Trans>
                }
                act={() => api.POST("/v1/conduct/private-test", { body: { set } })}
                done={renewed}
              />
            </p>
          </>
        );
      }}
    </Answered>
  );
}

function Runs({ of }: { of: Test }) {
  const { t } = useLingui();
  const language = useLanguage();
  const unit = useUnit();
  const nameOf = useTeamName();
  const ended = of.runs.filter((each) => isOver(each.state)).length;
  const all = of.runs.length;
  if (all === 0) {
    return (
      <p>
        <Trans>No private run was begun yet.</Trans>
      </p>
    );
  }
  return (
    <section aria-labelledby="runs-title">
      <h2 id="runs-title">
        <Trans context="program">Runs</Trans>
      </h2>
      <p role="status">
        <Trans>
          Ended: {ended} of {all}
        </Trans>
      </p>
      <Wide label={t`Table of private runs`}>
        <thead>
          <tr>
            <th scope="col">
              <Trans context="program">Run</Trans>
            </th>
            <th scope="col">
              <Trans>Team</Trans>
            </th>
            <th scope="col">
              <Trans>State</Trans>
            </th>
            <th scope="col">
              <Trans>Result</Trans>
            </th>
            <th scope="col">
              <Trans>Of submission</Trans>
            </th>
          </tr>
        </thead>
        <tbody>
          {of.runs.map((each) => (
            <tr key={each.submission_id}>
              <th scope="row">
                <Link to="/desk/submitted/$submissionId" params={{ submissionId: each.submission_id }}>
                  {each.submission_id}
                </Link>
              </th>
              <td>{nameOf(each.team_id)}</td>
              <td>
                <StateOf of={each} />
              </td>
              <td className={parts.number}>{inUnit(each.value, unit, language)}</td>
              <td>
                <Link to="/desk/submitted/$submissionId" params={{ submissionId: each.of }}>
                  {each.of}
                </Link>
              </td>
            </tr>
          ))}
        </tbody>
      </Wide>
    </section>
  );
}

/** The final boards, and the prizes as they are or would be. */
function Results({ of }: { of: Test }) {
  const { t } = useLingui();
  const language = useLanguage();
  const boards = useBoards().data?.boards ?? [];
  const nameOf = useTeamName();
  const titleOf = (key: string) => {
    const board = boards.find((each) => each.key === key);
    return board ? inLanguage(board.title, language) : key;
  };
  const keys = [...new Set(of.places.map((each) => each.board))];
  const money = new Intl.NumberFormat(language, { style: "currency", currency: "RUB", maximumFractionDigits: 2 });
  return (
    <>
      {keys.map((key) => (
        <section key={key} aria-labelledby={`board-${key}`}>
          <h2 id={`board-${key}`}>{titleOf(key)}</h2>
          <Wide label={titleOf(key)}>
            <thead>
              <tr>
                <th scope="col">
                  <Trans>Place</Trans>
                </th>
                <th scope="col">
                  <Trans>Team</Trans>
                </th>
                <th scope="col">
                  <Trans>Result</Trans>
                </th>
                <th scope="col">
                  <Trans>Minimum reached</Trans>
                </th>
              </tr>
            </thead>
            <tbody>
              {of.places
                .filter((each) => each.board === key)
                .map((each) => (
                  <tr key={each.team_id}>
                    <td>{each.place}</td>
                    <th scope="row">{nameOf(each.team_id)}</th>
                    <td className={parts.number}>
                      {inUnit(each.value, boards.find((board) => board.key === key)?.unit ?? "points", language)}
                    </td>
                    <td>{each.overcame === null ? "—" : each.overcame ? t`yes` : t`no`}</td>
                  </tr>
                ))}
            </tbody>
          </Wide>
        </section>
      ))}
      {keys.length > 0 && (
        <section aria-labelledby="prizes-title">
          <h2 id="prizes-title">
            <Trans>Prizes</Trans>
          </h2>
          {of.awards.length === 0 ? (
            <p>
              <Trans>None: nobody has reached a minimum with a confirmed model.</Trans>
            </p>
          ) : (
            <ul>
              {of.awards.map((each) => (
                <li key={`${each.board} ${each.team_id}`}>
                  {nameOf(each.team_id)}: {titleOf(each.board)}, <Trans>place {each.place}</Trans>,{" "}
                  {money.format(each.roubles)}
                </li>
              ))}
            </ul>
          )}
        </section>
      )}
      {of.published && (
        <Downloads
          title={<Trans>The archive that everybody may keep</Trans>}
          of={[
            {
              form: "ZIP",
              name: "private-test.zip",
              ask: () => api.GET("/v1/private-test/archive", { parseAs: "blob" }),
            },
          ]}
        />
      )}
    </>
  );
}
