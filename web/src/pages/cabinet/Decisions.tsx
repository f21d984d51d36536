import { Trans, useLingui } from "@lingui/react/macro";
import { Moment } from "@/ui/moments";
import type { ReportBody } from "./reportData";
import { amendmentWord } from "./words";

/** What the organizers decided about the run while it went on or after it. */
export function Decisions({ report }: { report: ReportBody }) {
  const { i18n } = useLingui();
  const { amendments, rescored } = report;
  if (!amendments?.length && !rescored) return null;
  return (
    <section aria-labelledby="decisions-title">
      <h2 id="decisions-title">
        <Trans>Organizers' decisions</Trans>
      </h2>
      <ol>
        {amendments?.map((each) => (
          <li key={each.number} value={each.number}>
            <strong>{i18n._(amendmentWord(each.kind))}</strong>, <Moment at={each.effective_at} />
            {each.reason && `: ${each.reason}`}
          </li>
        ))}
      </ol>
      {rescored && (
        <p>
          <Trans>
            Scored anew with parameters version {rescored.parameters_version}; the run began with version{" "}
            {rescored.started_with}.
          </Trans>
        </p>
      )}
    </section>
  );
}
