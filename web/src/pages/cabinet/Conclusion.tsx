import { Plural, Trans } from "@lingui/react/macro";
import { By, useLanguage } from "@/ui/contest";
import { percent } from "@/ui/numbers";
import parts from "@/ui/parts.module.css";
import type { ReportBody, Scoring } from "./reportData";

const HUNDRED = 100;
/** The reasons that say no more than the two conditions above them. */
const COUNTED: readonly string[] = ["too_few_files", "too_few_answers"];

/** What a report concludes by itself: both conditions with their counts, and what is not met in the platform's words. */
export function Conclusion({ report }: { report: ReportBody }) {
  const language = useLanguage();
  const { readiness, parameters, counts, session } = report;
  if (!readiness) return null;
  const needed = parameters.readiness_min_share * HUNDRED;
  const share = percent(readiness.valid_share * HUNDRED, language, needed);
  const least = percent(needed, language);
  const { answered } = counts;
  const { files } = session;
  const { readiness_min_files: leastFiles } = parameters;
  const others = readiness.reasons.filter((reason) => !COUNTED.includes(reason.code));
  return (
    <>
      <p>
        {readiness.ready ? (
          <span className={parts.good}>
            <Trans>✓ Ready: both conditions are met</Trans>
          </span>
        ) : (
          <span className={parts.void}>
            <Trans>✕ Not ready</Trans>
          </span>
        )}
      </p>
      <ul>
        <li>
          <Trans>
            Files of the session: {files}, needed: {leastFiles}
          </Trans>
        </li>
        <li>
          <Trans>
            Validly answered: {answered} of {files}, {share} %; needed: {least} %
          </Trans>
        </li>
        {others.map((reason) => (
          <li key={reason.code}>{language === "ru" ? reason.message_ru : reason.message}</li>
        ))}
      </ul>
      <By clause="R 6.5.4" />
    </>
  );
}

export function InTheMaking({ scoring }: { scoring: Scoring }) {
  const { scored, files } = scoring;
  return (
    <p role="status">
      <Trans>
        Scoring goes on: {scored} of <Plural value={files} one="# file" other="# files" /> scored. The report shows here
        by itself.
      </Trans>
    </p>
  );
}
