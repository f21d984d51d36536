import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { EVERY, get } from "@/api/queries";
import { Countdown, Moment } from "@/ui/moments";
import { Answered } from "@/ui/Page";
import styles from "./cabinet.module.css";
import { Evidence } from "./Evidence";
import { causeWord, modeWord, type Status, stateWord } from "./words";

/** A session that goes on is asked for every three seconds, one that has ended as rarely as everything else. */
export function useStatus(sessionId: string) {
  return useQuery({
    ...get("/v1/sessions/{session_id}", { params: { path: { session_id: sessionId } } }),
    refetchInterval: ({ state }) => (state.data && state.data.state !== "open" ? EVERY.idle : EVERY.live),
  });
}

export function LiveSession({ sessionId }: { sessionId: string }) {
  const status = useStatus(sessionId);
  return (
    <section className={styles.live} aria-labelledby="live-title">
      <h2 id="live-title">
        <Trans>
          Session{" "}
          <Link to="/cabinet/sessions/$sessionId" params={{ sessionId }}>
            {sessionId}
          </Link>{" "}
          is going on
        </Trans>
      </h2>
      <Answered of={status}>{(told) => <Course status={told} />}</Answered>
    </section>
  );
}

/** How far a session has come: counts, one mark a file, the file under way with its deadline, the newest void. */
export function Course({ status }: { status: Status }) {
  const { i18n } = useLingui();
  const { counts } = status;
  const mode = i18n._(modeWord(status.mode));
  const state = i18n._(stateWord(status.state));
  return (
    <>
      <p>
        <strong>{state}</strong> · {mode} · <code>{status.set}</code> ·{" "}
        <Trans>
          opened <Moment at={status.opened_at} />
        </Trans>
      </p>
      <Strip status={status} />
      <p role="status">
        <Plural value={status.files} one="# file" other="# files" />:{" "}
        <Trans>
          answered {counts.answered}, void {counts.voided}, under way {counts.open}, waiting {counts.waiting}
        </Trans>
      </p>
      {status.state === "open" && <Current status={status} />}
      <NewestVoid status={status} />
    </>
  );
}

function Strip({ status }: { status: Status }) {
  const { counts, files } = status;
  const { t } = useLingui();
  if (status.deliveries.length > 200) {
    return <progress value={counts.answered + counts.voided} max={files} aria-label={t`Files that are decided`} />;
  }
  return (
    <ol className={styles.strip} aria-hidden="true">
      {status.deliveries.map((each) => (
        <li key={each.number} className={styles[each.state]} />
      ))}
    </ol>
  );
}

function Current({ status }: { status: Status }) {
  const open = status.deliveries.find((each) => each.state === "open");
  if (!open) {
    return (
      <p className={styles.now}>
        <Trans>No file is under way now.</Trans>
      </p>
    );
  }
  const by = open.answer_by ?? open.request_by;
  const remaining: ReactNode = by && <Countdown to={by} />;
  const { number } = open;
  return (
    <p className={styles.now}>
      {open.answer_by ? (
        <Trans>
          File {number}: {remaining} left to answer
        </Trans>
      ) : (
        <Trans>
          File {number}: {remaining} left to ask for it
        </Trans>
      )}
    </p>
  );
}

function NewestVoid({ status }: { status: Status }) {
  const { i18n } = useLingui();
  const last = status.deliveries.findLast((each) => each.state === "voided");
  if (!last?.cause) return null;
  const cause = i18n._(causeWord(last.cause));
  const { number } = last;
  return (
    <p>
      <Trans>
        Last void: file {number}, <strong>{cause}</strong>
      </Trans>{" "}
      (<Evidence of={last.evidence} />)
    </p>
  );
}
