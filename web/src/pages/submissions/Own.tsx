import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { Schemas } from "@/api/client";
import { Cabinet } from "@/pages/cabinet/Cabinet";
import { STAGES } from "@/pages/public/Runs";
import { type Cycle, useCycle, useLanguage } from "@/ui/contest";
import { Button, PageLink, save, Tabs } from "@/ui/controls";
import { Answered, Countdown, Fact, Moment, NextPage, PageSection, Skeleton, useNow } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { day } from "@/ui/time";
import { Prize } from "./PrivateTest";
import { Course, LogOf, ReportOf, SubmissionTable } from "./Submission";
import { NewSubmission, Uploading } from "./Uploading";
import {
  type CheckedReceipt,
  checkedReceipt,
  receiptFile,
  type Submission,
  type SubmissionPageProps,
  type SubmissionVerdict,
  submissionQuery,
  useSubmissions,
} from "./words";

/**
 * The team's submissions: the number still allowed, a form for a new one, and the progress of the others.
 *
 * Clause: TS T13, TS F-5, platform §8 cabinet
 */
export function Own() {
  const { t } = useLingui();
  return <Cabinet title={t`Submissions`}>{(team) => <Inside isApproved={team.status === "approved"} />}</Cabinet>;
}

function Inside({ isApproved }: { isApproved: boolean }) {
  const cycle = useCycle();
  if (!cycle) return <Skeleton lines={6} />;
  if (cycle.submissions.length === 0) {
    return (
      <p>
        <Trans>
          This contest takes no submissions: programs answer in <Link to="/cabinet/sessions">sessions</Link>.
        </Trans>
      </p>
    );
  }
  return (
    <>
      {isApproved ? (
        <NewSubmission cycle={cycle} />
      ) : (
        <p>
          <Trans>
            A team can submit after the organizers have admitted it. <Link to="/cabinet">The cabinet</Link> shows its
            status.
          </Trans>
        </p>
      )}
      <List cycle={cycle} />
    </>
  );
}

function List({ cycle }: { cycle: Cycle }) {
  const { t } = useLingui();
  const pages = useSubmissions("/v1/submissions");
  return (
    <Answered of={pages}>
      {({ pages: entries }) => {
        const all = entries.flatMap((page) => page.submissions);
        return (
          <>
            {entries[0]?.left_today && <Left remaining={entries[0].left_today} cycle={cycle} />}
            <h2>{t`The team's submissions`}</h2>
            {all.length === 0 ? (
              <p>
                <Trans>
                  No submissions yet. Choose a file above, or use the kit: <code>pku submit FILE</code>.
                </Trans>
              </p>
            ) : (
              <SubmissionTable
                lines={all}
                link={(submissionId) => (
                  <PageLink to="/cabinet/submissions/$submissionId" id={submissionId}>
                    {submissionId}
                  </PageLink>
                )}
              />
            )}
            <NextPage nextPages={pages}>{t`Earlier submissions`}</NextPage>
            {cycle.submissions.includes("program") && (
              <p>
                <Link to="/cabinet/private-test">{t`The private test: final boards and prizes`}</Link>
              </p>
            )}
          </>
        );
      }}
    </Answered>
  );
}

/** Show how many submissions can still be handed in today, and until when the stage accepts any. */
function Left({ remaining, cycle }: { remaining: Schemas["LeftBody"]; cycle: Cycle }) {
  const { i18n, t } = useLingui();
  const now = useNow(60_000);
  const stage = cycle.stages.find((stage) => Date.parse(stage.starts_at) <= now && now < Date.parse(stage.ends_at));
  const name = stage && i18n._(STAGES[stage.name]);
  return (
    <PageSection id="left-title" title={<Trans>Left today</Trans>}>
      <ul>
        <li>
          <Plural value={remaining.scored} one="# submission that is scored" other="# submissions that are scored" />
        </li>
        <li>
          <Plural
            value={remaining.unscored}
            one="# submission without a score (refused or failed)"
            other="# submissions without a score (refused or failed)"
          />
        </li>
      </ul>
      {(remaining.scored === 0 || remaining.unscored === 0) && (
        <p className={parts.void}>
          {t`No more can be handed in today. You can upload a file now and hand it in when the next day begins.`}
        </p>
      )}
      <p>
        <Trans>
          The next day of the contest begins in <Countdown to={remaining.resets_at} />. A submission counts for the day
          on which it was handed in; failures of the platform do not count. A team has one submission under way at a
          time.
        </Trans>
      </p>
      {stage && (
        <p>
          <Trans>
            The stage {name} ends <Moment at={stage.ends_at} />, in <Countdown to={stage.ends_at} />.
          </Trans>
        </p>
      )}
    </PageSection>
  );
}

/** Show the progress of one of the team's submissions. */
export function OwnCourse() {
  const { t } = useLingui();
  return <Framed title={(submissionId) => t`Submission ${submissionId}`} of={CourseOf} />;
}

function CourseOf({ submission }: { submission: Submission }) {
  return (
    <>
      {submission.state === "uploading" && <Uploading submission={submission} />}
      <Course submission={submission} />
      {submission.kind === "program" && submission.state === "scored" && <Prize submission={submission} />}
    </>
  );
}

export function OwnReport() {
  const { t } = useLingui();
  return <Framed title={(submissionId) => t`Report of submission ${submissionId}`} of={ReportOf} />;
}

export function OwnLog() {
  const { t } = useLingui();
  return <Framed title={(submissionId) => t`Log of submission ${submissionId}`} of={LogOf} />;
}

export function OwnReceipt() {
  const { t } = useLingui();
  return <Framed title={(submissionId) => t`Receipt of submission ${submissionId}`} of={ReceiptOf} />;
}

/** Show a page of the submission in the address, with tabs to its other pages. */
function Framed({ title, of: Shown }: SubmissionPageProps) {
  const { t } = useLingui();
  const { submissionId = "" } = useParams({ strict: false });
  return (
    <Cabinet title={title(submissionId)}>
      {() => (
        <>
          <Tabs
            label={t`Submission`}
            params={{ submissionId }}
            of={[
              ["/cabinet/submissions/$submissionId", t`Course`],
              ["/cabinet/submissions/$submissionId/report", t`Report`],
              ["/cabinet/submissions/$submissionId/log", t`Log`],
              ["/cabinet/submissions/$submissionId/receipt", t`Receipt`],
            ]}
          />
          {/* Queried only after the cabinet has let its reader in. */}
          <Answered asks={submissionQuery(submissionId)}>{(submission) => <Shown submission={submission} />}</Answered>
        </>
      )}
    </Cabinet>
  );
}

const VERDICTS: Readonly<Record<SubmissionVerdict, MessageDescriptor>> = {
  good: msg`✓ Signed by the platform for this file.`,
  other_file: msg`✕ The signature is valid, but for another submission or another file than on this page. Save the receipt and tell the organizers.`,
  unknown_key: msg`✕ The key of the signature is not one of the platform's. Save the receipt and tell the organizers.`,
  bad_signature: msg`✕ The signature does not match this text. Save the receipt and tell the organizers.`,
  not_here: msg`— This browser does not support Ed25519: check the receipt in another one, or save the file.`,
};

/** Show the platform's signed receipt of the file, checked in this browser. */
function ReceiptOf({ submission }: { submission: Submission }) {
  const { t } = useLingui();
  const receipt = useQuery({
    queryKey: ["checked receipt", submission.submission_id],
    queryFn: () => checkedReceipt(submission),
    enabled: submission.completed_at !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!submission.completed_at) return <p>{t`No receipt yet: the platform issues one when you hand in the file.`}</p>;
  return (
    <>
      <p>
        <Trans>
          A receipt is the platform's signed statement that this file arrived, with the time and the day for which it
          counts. This page checks the signature with the platform's published keys.
        </Trans>
      </p>
      <Answered of={receipt}>{(data) => <ReceiptDetails of={data} />}</Answered>
    </>
  );
}

function ReceiptDetails({ of }: { of: CheckedReceipt }) {
  const { i18n } = useLingui();
  const language = useLanguage();
  const { receipt, verdict } = of;
  const isGood = verdict === "good";
  return (
    <>
      <p role="status" className={isGood ? parts.good : parts.void}>
        {i18n._(VERDICTS[verdict])}
      </p>
      <dl className={parts.facts}>
        <Fact name={<Trans>Received</Trans>} at={receipt.received_at} />
        <Fact name={<Trans>Counts for</Trans>}>{day(receipt.day, language)}</Fact>
        <Fact name={<Trans>SHA-256 of the file</Trans>} code={receipt.content_sha256} />
        <Fact name={<Trans>Key</Trans>} code={receipt.key_id} />
      </dl>
      <Button onPress={() => save(receiptFile(of), `receipt-${receipt.submission_id}.json`)}>
        <Trans>Download receipt and keys</Trans>
      </Button>
    </>
  );
}
