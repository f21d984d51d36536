import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { api, type Schemas } from "@/api/client";
import { EVERY, get, queryClient } from "@/api/queries";
import { useMay } from "@/auth/hooks";
import { AskedPage } from "@/shell/AskedPage";
import { useLanguage } from "@/ui/contest";
import { Confirmed } from "@/ui/forms";
import { Dated, Moment } from "@/ui/moments";
import parts from "@/ui/parts.module.css";
import { DeadLetters } from "./DeadLetters";
import { EVIDENCE } from "./evidenceWords";

type Finding = Schemas["FindingBody"];

const DOCTOR = get("/v1/doctor", {}, EVERY.idle);

/** What is stuck, the oldest first, and jobs that failed for good. */
export function Operations() {
  const { t } = useLingui();
  const found = useQuery(DOCTOR);
  return (
    <AskedPage title={t`Operations`} of={found}>
      {({ findings }) => (
        <>
          <section aria-labelledby="findings-title">
            <h2 id="findings-title">
              <Trans>What is stuck</Trans>
            </h2>
            {findings.length === 0 ? (
              <p className={parts.good}>
                <Trans>✓ Nothing is stuck.</Trans>
              </p>
            ) : (
              <ul>
                {findings.toSorted(bySince).map((each) => (
                  <Line key={`${each.ailment} ${each.subject}`} finding={each} of={findings} />
                ))}
              </ul>
            )}
          </section>
          <DeadLetters />
        </>
      )}
    </AskedPage>
  );
}

/** The oldest first; what has no beginning, last. */
function bySince(a: Finding, b: Finding): number {
  return (a.since ?? "9").localeCompare(b.since ?? "9");
}

function Line({ finding, of }: { finding: Finding; of: readonly Finding[] }) {
  const { i18n } = useLingui();
  const language = useLanguage();
  const mends = useMay("organize");
  const { ailment, subject, since, evidence, mendable } = finding;
  const alike = of.filter((each) => each.ailment === ailment).length;
  const action = language === "ru" ? finding.action_ru : finding.action;
  return (
    <li>
      <strong className={parts.void}>{language === "ru" ? finding.cause_ru : finding.cause}</strong> ·{" "}
      <code>{subject}</code>
      {since && (
        <>
          {" · "}
          <Trans>
            since <Moment at={since} />
          </Trans>
        </>
      )}
      <dl className={parts.facts}>
        {Object.entries(evidence).map(([name, value]) => (
          <div key={name}>
            <dt>{EVIDENCE[name] ? i18n._(EVIDENCE[name]) : name}</dt>
            <dd>{typeof value === "string" ? <Dated text={value} /> : JSON.stringify(value)}</dd>
          </div>
        ))}
      </dl>
      <p>{action}</p>
      {mends && mendable && (
        <div className={parts.actions}>
          <Confirmed
            label={<Trans>Mend</Trans>}
            asks={
              <Trans>
                All of this kind is mended, {alike} in number: {action}. Doing it twice is harmless.
              </Trans>
            }
            act={() => api.POST("/v1/doctor/mend", { body: { ailments: [ailment] } })}
            done={() => queryClient.invalidateQueries({ queryKey: DOCTOR.queryKey })}
          />
        </div>
      )}
    </li>
  );
}
