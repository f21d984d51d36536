import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { api } from "@/api/client";
import { EVERY, get, renewed } from "@/api/queries";
import { useMay } from "@/auth/hooks";
import { useTeamName } from "@/pages/desk/teamNames";
import { AskedPage } from "@/shell/AskedPage";
import { languageName, useBoards, useLanguage, useMeasureName, useUnit } from "@/ui/contest";
import { Button } from "@/ui/controls";
import { Reasoned } from "@/ui/forms";
import { Moment } from "@/ui/moments";
import { inUnit, plain } from "@/ui/numbers";
import { Problem } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Wide } from "@/ui/Wide";
import { DECIDED, type Details, figureWords } from "./rescoring";
import { SettlementTabs } from "./SettlementTabs";

/** A rescoring: every session and every board, old and new side by side, and the decision about it. */
export function RescoringPage() {
  const { t } = useLingui();
  const { rescoringId } = useParams({ from: "/desk/settlement/rescorings/$rescoringId" });
  const found = useQuery(
    get("/v1/rescorings/{rescoring_id}", { params: { path: { rescoring_id: rescoringId } } }, EVERY.jobs),
  );
  return (
    <AskedPage title={t`A rescoring`} of={found}>
      {(told) => (
        <>
          <SettlementTabs />
          <Told of={told} />
        </>
      )}
    </AskedPage>
  );
}

function Told({ of }: { of: Details }) {
  const { i18n, t } = useLingui();
  const language = useLanguage();
  const organizes = useMay("organize");
  return (
    <>
      <dl className={parts.facts}>
        <dt>{t`State`}</dt>
        <dd>
          {i18n._(DECIDED[of.state])}
          {of.decided_reason && `: ${of.decided_reason}`}
        </dd>
        <dt>{t`Begun`}</dt>
        <dd>
          <Moment at={of.begun_at} />
        </dd>
        <dt>{t`Reason`}</dt>
        <dd>{of.reason}</dd>
        <dt>{t`Parameters`}</dt>
        <dd>
          <Trans>version {of.parameters_version}</Trans>
        </dd>
        <dt>{t`Scored anew`}</dt>
        <dd>
          <span role="status">
            <Trans>
              {of.made} of {of.total} sessions and submissions
            </Trans>
          </span>
          {of.state === "accepted" && (
            <>
              {"; "}
              <Trans>{of.applied} go by it</Trans>
            </>
          )}
        </dd>
        {of.held_back > 0 && (
          <>
            <dt>{t`Keep the references that they had`}</dt>
            <dd>
              <Trans>
                results: {of.held_back}; so few references of a hidden set are corrected that the difference of two
                totals would tell of single items
              </Trans>
            </dd>
          </>
        )}
      </dl>
      {of.refused && (
        <p role="alert" className={parts.void}>
          {language === "ru" ? of.refused.message_ru : of.refused.message}
        </p>
      )}
      {organizes && <Decisions of={of} />}
      {of.boards.map((board) => (
        <BoardTable key={board.language} of={board} />
      ))}
      {of.sessions.map((session) => (
        <SessionTable key={session.session_id} of={session} />
      ))}
    </>
  );
}

function Decisions({ of }: { of: Details }) {
  const path = { params: { path: { rescoring_id: of.rescoring_id } } };
  const done = renewed;
  const resuming = useMutation({
    mutationFn: () => api.POST("/v1/rescorings/{rescoring_id}/resume", path),
    onSuccess: done,
  });
  const unfinished = of.state === "open" ? of.made < of.total : of.state === "accepted" && of.applied < of.total;
  return (
    <>
      {resuming.error && <Problem error={resuming.error} />}
      <div className={parts.actions}>
        {unfinished && (
          <Button onPress={() => resuming.mutate()} isDisabled={resuming.isPending}>
            <Trans>Send once more for what is not done</Trans>
          </Button>
        )}
        {of.state === "open" && (
          <>
            <Reasoned
              primary
              label={<Trans>Accept</Trans>}
              asks={
                <Trans>
                  Reports and boards go by the new scores; the old ones are kept. Of a final, published results are
                  withdrawn until its new board is recomputed and published.
                </Trans>
              }
              act={(reason) => api.POST("/v1/rescorings/{rescoring_id}/accept", { ...path, body: { reason } })}
              done={done}
            />
            <Reasoned
              label={<Trans>Discard</Trans>}
              asks={<Trans>Reports and boards stay as they are; what was made is kept to be compared.</Trans>}
              act={(reason) => api.POST("/v1/rescorings/{rescoring_id}/discard", { ...path, body: { reason } })}
              done={done}
            />
          </>
        )}
      </div>
    </>
  );
}

const OTHER = "board:";

function BoardTable({ of }: { of: Details["boards"][number] }) {
  const nameOf = useTeamName();
  const { t } = useLingui();
  const language = useLanguage();
  const mainUnit = useUnit();
  const measureOf = useMeasureName();
  const boards = useBoards().data?.boards ?? [];
  // The main board has one part for each language; any other is called by its key.
  const key = of.language.startsWith(OTHER) ? of.language.slice(OTHER.length) : null;
  const rules = key === null ? boards[0] : boards.find((each) => each.key === key);
  const unit = rules?.unit ?? mainUnit;
  const board = key === null ? languageName(of.language, language) : (rules?.title[language] ?? key);
  const measure = rules ? measureOf(rules) : "";
  const side = (place: Details["boards"][number]["rows"][number]["old"]) =>
    place ? `${place.place} · ${inUnit(place.value, unit, language)}` : "—";
  return (
    <section>
      <h2>
        <Trans>Board: {board}</Trans>
      </h2>
      <Wide label={t`Places of the board ${board}`}>
        <thead>
          <tr>
            <th scope="col">{t`Team`}</th>
            <th scope="col">{t`Old: place · ${measure}`}</th>
            <th scope="col">{t`New: place · ${measure}`}</th>
          </tr>
        </thead>
        <tbody>
          {of.rows.map((row) => (
            <tr key={row.team_id}>
              <th scope="row">{nameOf(row.team_id)}</th>
              <td>{side(row.old)}</td>
              <td>{side(row.new)}</td>
            </tr>
          ))}
        </tbody>
      </Wide>
    </section>
  );
}

function SessionTable({ of }: { of: Details["sessions"][number] }) {
  const team = useTeamName()(of.team_id);
  const { i18n, t } = useLingui();
  const language = useLanguage();
  const figure = (value: number | null) => (value === null ? "—" : plain(value, language));
  return (
    <section>
      <h2>
        {team},{" "}
        {of.mode === "answers" || of.mode === "program" ? (
          <Trans>submission {of.session_id}</Trans>
        ) : (
          <Trans>session {of.session_id}</Trans>
        )}
      </h2>
      <p>
        <Trans>
          Parameters {of.old.parameters_version} → {of.new.parameters_version}.
        </Trans>{" "}
        {of.held_back && <Trans>It keeps the references that it had.</Trans>}{" "}
        {of.old.ready !== of.new.ready &&
          (of.new.ready ? (
            <strong>
              <Trans>Becomes ready; judges rule anew.</Trans>
            </strong>
          ) : (
            <strong>
              <Trans>Is not ready any more; judges rule anew.</Trans>
            </strong>
          ))}
      </p>
      <Wide label={t`Figures of ${of.session_id}`}>
        <thead>
          <tr>
            <th scope="col">{t`Figure`}</th>
            <th scope="col">{t`Old`}</th>
            <th scope="col">{t`New`}</th>
            <th scope="col">{t`Difference`}</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(of.metrics).map(([name, metric]) => (
            <tr key={name}>
              <th scope="row">
                {figureWords(name)
                  .map((word) => i18n._(word))
                  .join(": ")}
              </th>
              <td>{figure(metric.old)}</td>
              <td>{figure(metric.new)}</td>
              <td>{figure(metric.difference)}</td>
            </tr>
          ))}
        </tbody>
      </Wide>
    </section>
  );
}
