import { Trans, useLingui } from "@lingui/react/macro";
import { useParams } from "@tanstack/react-router";
import { Timeline } from "@/charts/Timeline";
import { useCycleZone, useLanguage } from "@/ui/contest";
import { Countdown, Moment } from "@/ui/moments";
import { percent } from "@/ui/numbers";
import { Answered } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { clock } from "@/ui/time";
import { Wide } from "@/ui/Wide";
import { Evidence } from "./Evidence";
import { Course, useStatus } from "./Live";
import { SessionPage } from "./SessionPage";
import { causeWord, type Delivery, type Status, stateWord } from "./words";

const HUNDRED = 100;

/** One session as it goes on: progress, the file under way, and every void with its cause and evidence. */
export function Session() {
  const { t } = useLingui();
  const { sessionId } = useParams({ from: "/cabinet/sessions/$sessionId" });
  return (
    <SessionPage title={t`Session ${sessionId}`} sessionId={sessionId}>
      <SessionCourse sessionId={sessionId} />
    </SessionPage>
  );
}

/** A session as it went, or goes, file by file. */
export function SessionCourse({ sessionId }: { sessionId: string }) {
  const status = useStatus(sessionId);
  return (
    <Answered of={status}>
      {(told) => (
        <>
          <HowItEnded status={told} />
          <Course status={told} />
          <Missed status={told} />
          <Voids deliveries={told.deliveries.filter((each) => each.state === "voided")} />
          <Times deliveries={told.deliveries} sessionId={sessionId} />
          <AllFiles deliveries={told.deliveries} />
        </>
      )}
    </Answered>
  );
}

/** What is unusual is said first, in words. */
function HowItEnded({ status }: { status: Status }) {
  const { annulled, state } = status;
  return (
    <>
      {annulled && (
        <p className={parts.void}>
          <Trans>The session is annulled: {annulled.reason}</Trans>
        </p>
      )}
      {state === "timed_out" && (
        <p className={parts.void}>
          <Trans>The session was closed because the program had been silent for too long.</Trans>
        </p>
      )}
      {state === "aborted" && (
        <p className={parts.void}>
          <Trans>The team's program ended the session before its last file.</Trans>
        </p>
      )}
      {state === "stopped" && (
        <p className={parts.void}>
          <Trans>The organizers stopped the run.</Trans>
        </p>
      )}
      {status.run_state === "paused" && status.paused_until && (
        <p>
          <Trans>
            The run is paused until <Moment at={status.paused_until} /> at the latest
          </Trans>
        </p>
      )}
      {status.state === "open" && status.run_state === "planned" && status.starts_at && (
        <p>
          <Trans>
            The first file opens in <Countdown to={status.starts_at} />
          </Trans>
        </p>
      )}
    </>
  );
}

/** In a run: the share that the team missed, and whether it voids the solution. */
function Missed({ status }: { status: Status }) {
  const language = useLanguage();
  if (status.voided_share === null) return null;
  const share = percent(status.voided_share * HUNDRED, language);
  return (
    <p>
      <Trans>Missed by the team, of the files that count: {share} %.</Trans>{" "}
      {status.solution_voided && (
        <span className={parts.void}>
          <Trans>More than is allowed: the solution is void.</Trans>
        </span>
      )}
    </p>
  );
}

function Voids({ deliveries }: { deliveries: readonly Delivery[] }) {
  const { i18n } = useLingui();
  return (
    <section aria-labelledby="voids-title">
      <h2 id="voids-title">
        <Trans>Void files</Trans>
      </h2>
      {deliveries.length === 0 && (
        <p>
          <Trans>None. A file that is missed shows here with its cause and the proof of it.</Trans>
        </p>
      )}
      <ul>
        {deliveries.map((each) => (
          <li key={each.number}>
            <Trans>File {each.number}</Trans>
            {each.cause && (
              <>
                : <strong className={parts.void}>{i18n._(causeWord(each.cause))}</strong>
              </>
            )}
            {Object.keys(each.evidence).length > 0 && (
              <>
                {" "}
                (<Evidence of={each.evidence} />)
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What happened to each file and when, drawn; the table of all files below says the same in figures. */
function Times({ deliveries, sessionId }: { deliveries: readonly Delivery[]; sessionId: string }) {
  return (
    <section aria-labelledby="times-title">
      <h2 id="times-title">
        <Trans>Times of the files</Trans>
      </h2>
      <Timeline files={deliveries} file={`times-${sessionId}`} />
    </section>
  );
}

function AllFiles({ deliveries }: { deliveries: readonly Delivery[] }) {
  const { i18n, t } = useLingui();
  return (
    <section aria-labelledby="files-title">
      <h2 id="files-title">
        <Trans>All files</Trans>
      </h2>
      <Wide label={t`Table of files`}>
        <thead>
          <tr>
            <th scope="col">№</th>
            <th scope="col">{t`File`}</th>
            <th scope="col">{t`State`}</th>
            <th scope="col">{t`Opening`}</th>
            <th scope="col">{t`Handed out`}</th>
            <th scope="col">{t`Answer`}</th>
            <th scope="col">{t`Limit`}</th>
            <th scope="col">{t`Sends`}</th>
          </tr>
        </thead>
        <tbody>
          {deliveries.map((each) => (
            <tr key={each.number}>
              <th scope="row">{each.number}</th>
              <td>{each.file_id ?? "—"}</td>
              <td>{i18n._(stateWord(each.state))}</td>
              <td>
                <Time at={each.opens_at} />
              </td>
              <td>
                <Time at={each.handed_out_at} />
              </td>
              <td>
                <Time at={each.answered_at} />
              </td>
              <td>
                <Time at={each.answer_by ?? each.request_by} />
              </td>
              <td>{each.sends}</td>
            </tr>
          ))}
        </tbody>
      </Wide>
    </section>
  );
}

/** To the second, in the cycle's zone: what the platform's log and an appeal speak of. */
function Time({ at }: { at: string | null }) {
  const language = useLanguage();
  const zone = useCycleZone();
  return at === null ? "—" : <time dateTime={at}>{clock(Date.parse(at), language, zone)}</time>;
}
