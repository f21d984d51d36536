import { Trans, useLingui } from "@lingui/react/macro";
import { useLanguage, useUnit } from "@/ui/contest";
import { Moment } from "@/ui/moments";
import { inUnit } from "@/ui/numbers";
import parts from "@/ui/parts.module.css";
import { day } from "@/ui/time";
import { bytesText } from "./bytes";
import { StateOf } from "./SubmissionTable";
import styles from "./submissions.module.css";
import { CAUSES, KINDS, type Reason, STATES, type Submission, wayOf } from "./words";

/** How far a submission is, what is wrong with it and what was remarked on. */
export function Course({ of }: { of: Submission }) {
  return (
    <>
      <Way of={of} />
      <Ended of={of} />
      <Reasons of={of.reasons} title={<Trans>What is wrong with it</Trans>} id="faults-title" />
      <Reasons of={of.warnings} title={<Trans>Warnings</Trans>} id="warnings-title" />
      <Facts of={of} />
    </>
  );
}

function Way({ of }: { of: Submission }) {
  const { i18n, t } = useLingui();
  return (
    <>
      <ol className={styles.way} aria-label={t`States on its way`}>
        {wayOf(of).map((state) => (
          <li key={state} aria-current={state === of.state ? "step" : undefined}>
            {i18n._(STATES[state])}
          </li>
        ))}
      </ol>
      <p role="status">
        <StateOf of={of} />
      </p>
    </>
  );
}

/** What its state means for the team. */
function Ended({ of }: { of: Submission }) {
  const { i18n } = useLingui();
  const language = useLanguage();
  const unit = useUnit();
  const value = inUnit(of.value, unit, language);
  return (
    <>
      {of.failed_at && (
        <p className={parts.void}>
          <Trans>
            The platform's worker failed at it <Moment at={of.failed_at} />. The organizers are told of it and send
            another one; nothing is lost.
          </Trans>
        </p>
      )}
      {of.state === "queued" && !of.failed_at && (
        <p>
          <Trans>The archive was checked and is in order. It runs as soon as a machine is free.</Trans>
        </p>
      )}
      {of.cause && <p>{i18n._(CAUSES[of.cause].advice)}</p>}
      {of.state === "refused" && of.completed_at && (
        <p>
          <Trans>Nothing of it was scored. It counts among those of the day that come to no score.</Trans>
        </p>
      )}
      {of.state === "scored" && (
        <p>
          <Trans>
            Result: <strong>{value}</strong>
          </Trans>
        </p>
      )}
    </>
  );
}

/** Each fault in the platform's words, with its place in the file. */
export function Reasons({ of, title, id }: { of: readonly Reason[]; title: React.ReactNode; id: string }) {
  const language = useLanguage();
  if (of.length === 0) return null;
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>
        {title}: {of.length}
      </h2>
      <ul>
        {of.map((each, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same fault may stand in a file twice
          <li key={at}>
            <Where of={each.where} />
            {language === "ru" ? each.message_ru : each.message}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A fault's place: the archive's member, the line, the part. */
function Where({ of }: { of: Reason["where"] }) {
  const told = Object.entries(of)
    .filter(([, value]) => typeof value === "string" || typeof value === "number")
    .map(([name, value]) => (name === "member" || name === "file" ? String(value) : `${name} ${String(value)}`));
  return told.length === 0 ? null : (
    <>
      <code>{told.join(", ")}</code>:{" "}
    </>
  );
}

function Facts({ of }: { of: Submission }) {
  const { i18n } = useLingui();
  const language = useLanguage();
  return (
    <dl className={parts.facts}>
      <dt>
        <Trans>What</Trans>
      </dt>
      <dd>
        {i18n._(KINDS[of.kind])}
        {of.groups.length > 0 && ` · ${of.groups.join(", ")}`}
      </dd>
      <dt>
        <Trans>Set</Trans>
      </dt>
      <dd>{of.set}</dd>
      <dt>
        <Trans>Size</Trans>
      </dt>
      <dd>{bytesText(of.bytes, language)}</dd>
      <dt>SHA-256</dt>
      <dd>
        <code>{of.sha256}</code>
      </dd>
      <dt>
        <Trans>Announced</Trans>
      </dt>
      <dd>
        <Moment at={of.created_at} />
      </dd>
      {of.completed_at && (
        <>
          <dt>
            <Trans>Handed in</Trans>
          </dt>
          <dd>
            <Moment at={of.completed_at} />
          </dd>
        </>
      )}
      {of.day && (
        <>
          <dt>
            <Trans>Counts for</Trans>
          </dt>
          <dd>{day(of.day, language)}</dd>
        </>
      )}
      {of.ended_at && (
        <>
          <dt>
            <Trans>Ended</Trans>
          </dt>
          <dd>
            <Moment at={of.ended_at} />
          </dd>
        </>
      )}
      {of.attempt > 1 && (
        <>
          <dt>
            <Trans>Runs that were begun</Trans>
          </dt>
          <dd>{of.attempt}</dd>
        </>
      )}
    </dl>
  );
}
