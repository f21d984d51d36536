import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { api } from "@/api/client";
import { Part, type Section } from "@/charts/Part";
import { OffBoard, useBoards, useLanguage } from "@/ui/contest";
import { Downloads } from "@/ui/forms";
import { plain } from "@/ui/numbers";
import { Answered } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { isReport, useReport } from "./questions";
import { Reasons } from "./State";
import { isOver, type Report, STATES, type Submission } from "./words";

/** A submission's report, or why there is none (yet). */
export function ReportOf({ of }: { of: Submission }) {
  if (of.state === "scored" || !isOver(of.state)) return <Awaited of={of} />;
  return (
    <p>
      <Trans>There is no report: a submission has one when it is scored, and this one is not.</Trans>
    </p>
  );
}

function Awaited({ of }: { of: Submission }) {
  const { i18n } = useLingui();
  const report = useReport(of.submission_id, of.state === "scored");
  const boards = useBoards();
  if (of.state === "scored") {
    return (
      <Answered of={report}>
        {(told) => isReport(told) && <Answered of={boards}>{() => <Whole of={told} />}</Answered>}
      </Answered>
    );
  }
  return (
    <p role="status">
      <Trans>There is no report yet. It shows here by itself. The submission is now:</Trans>{" "}
      <strong>{i18n._(STATES[of.state])}</strong>
    </p>
  );
}

function Whole({ of }: { of: Report }) {
  const language = useLanguage();
  const id = String(of.submission.submission_id);
  const ask = () =>
    api.GET("/v1/submissions/{submission_id}/report", { params: { path: { submission_id: id } }, parseAs: "blob" });
  return (
    <>
      <Downloads title={<Trans>Keep the report</Trans>} of={[{ form: "JSON", name: `report-${id}.json`, ask }]} />
      <OffBoard of={of.off_board} />
      <About of={of} />
      {of.withheld && <p>{language === "ru" ? of.withheld.message_ru : of.withheld.message}</p>}
      {of.left_out && <p>{language === "ru" ? of.left_out.message_ru : of.left_out.message}</p>}
      {of.sections.map((section) => (
        <Part key={String(section.key)} section={section as unknown as Section} result={of.result} />
      ))}
      <Missing of={of.missing} />
      {of.invalid.map(({ item, reasons }) => (
        <Reasons key={item} of={reasons} id={`invalid-${item}`} title={<Trans>Invalid answer to {item}</Trans>} />
      ))}
      {of.warnings.map(({ item, reasons }) => (
        <Reasons key={item} of={reasons} id={`warned-${item}`} title={<Trans>Remarks on the answer to {item}</Trans>} />
      ))}
    </>
  );
}

function About({ of }: { of: Report }) {
  const language = useLanguage();
  const { counts, run, scorer, parameters } = of;
  const { answered, items } = counts;
  const version = Number(parameters.version);
  return (
    <dl className={parts.facts}>
      <dt>
        <Trans>Answered</Trans>
      </dt>
      <dd>
        <Trans>
          {answered} of {items}; what is missing counts as wrong
        </Trans>
      </dd>
      <dt>
        <Trans>Scored by</Trans>
      </dt>
      <dd>
        {String(scorer.track)} {String(scorer.version)} · <Trans>parameters, version {version}</Trans>
      </dd>
      {run && (
        <>
          <dt>
            <Trans>Run on</Trans>
          </dt>
          <dd>{run.machine || "—"}</dd>
          <dt>
            <Trans>Time of the program, s</Trans>
          </dt>
          <dd>{plain(run.seconds, language)}</dd>
          {run.exit_code !== null && (
            <>
              <dt>
                <Trans>Exit code</Trans>
              </dt>
              <dd>{run.exit_code}</dd>
            </>
          )}
          {run.image_digest && (
            <>
              <dt>
                <Trans>Image</Trans>
              </dt>
              <dd>
                <code>{run.image_digest}</code>
              </dd>
            </>
          )}
          {run.not_enforced.length > 0 && (
            <>
              <dt>
                <Trans>Bounds that this machine did not hold</Trans>
              </dt>
              <dd>
                {run.not_enforced.map((each) => (
                  <div key={each.en}>{each[language]}</div>
                ))}
              </dd>
            </>
          )}
        </>
      )}
    </dl>
  );
}

function Missing({ of }: { of: readonly string[] }) {
  if (of.length === 0) return null;
  return (
    <details>
      <summary>
        <Plural value={of.length} one="# item without an answer" other="# items without an answer" />
      </summary>
      <p>{of.join(", ")}</p>
    </details>
  );
}
