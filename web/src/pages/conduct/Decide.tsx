import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { post, renewed } from "@/api/client";
import { causeWord } from "@/pages/cabinet/words";
import { useTeamName } from "@/pages/desk/teamNames";
import { Author } from "@/ui/audit";
import { useLanguage } from "@/ui/contest";
import { Button } from "@/ui/controls";
import { Choice, Field, Form, MomentField, openDialog, Reasoned, ReasonField, useAction, useDraft } from "@/ui/forms";
import { share } from "@/ui/numbers";
import { Moment, TimeOfDay } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Table } from "@/ui/Table";
import styles from "./conduct.module.css";
import {
  CAUSES,
  type Cause,
  type ConductedRun,
  type Decision,
  type Kind,
  type Preview,
  readNumbers,
  sayNumbers,
} from "./data";
import { Notices } from "./Runs";

/** A decision before it is confirmed; its files can still be named in the dialog. */
export interface Asked {
  kind: Kind;
  numbers?: string;
  /** True if the decision is about the proposed files that every team missed. */
  proposal?: boolean;
  team_id?: string;
  number?: number;
  cause?: Cause;
  amendment?: number;
}

/** Placeholder reason of a preview before a reason is written: the platform requires one and stores nothing. */
const NO_REASON_YET = "—";

interface PreviewDialogProps<Draft, P, Result> {
  title: ReactNode;
  /** Draft of the decision; a preview is shown as long as it is of this very object. */
  draft: Draft;
  /** True if a preview needs nothing from the fields: it is shown at once, and the reason may be written before it. */
  atOnce?: boolean;
  /** True if the fields suffice for a preview. */
  isReady: boolean;
  look: (draft: Draft) => Promise<P>;
  shows: (preview: NonNullable<P>) => ReactNode;
  /** Label of the button that decides. */
  deed: (preview: NonNullable<P>) => ReactNode;
  decide: (preview: NonNullable<P>, reason: string) => Promise<Result>;
  done?: (result: Result) => unknown;
  close: () => void;
  children: ReactNode;
}

/** Dialog for a decision about a run: the platform's preview of the changes, then the reason, then the confirmation. */
function PreviewDialog<Draft, P, Result>(props: PreviewDialogProps<Draft, P, Result>) {
  const { draft, atOnce = false } = props;
  const { t } = useLingui();
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  const [reason, setReason] = useState("");
  const previewing = useAction(props.look);
  const isOfDraft = previewing.variables === draft;
  const preview = (isOfDraft && previewing.data) || null;
  const deciding = useAction(
    (preview: NonNullable<P>) => props.decide(preview, reason.trim()),
    async (result) => {
      dialog.current?.close();
      await renewed();
      await props.done?.(result);
    },
  );
  const opened = useRef(() => {
    if (dialog.current) openDialog(dialog.current);
    if (atOnce) previewing.mutate(draft);
  });
  useEffect(() => opened.current(), []);
  return (
    <dialog ref={dialog} className={`${parts.dialog} ${styles.decide}`} aria-labelledby={title} onClose={props.close}>
      <Form submit={() => (preview ? deciding.mutate(preview) : previewing.mutate(draft))}>
        <h2 id={title}>{props.title}</h2>
        {props.children}
        {isOfDraft && previewing.problem}
        {previewing.isPending && <p role="status">{t`The platform is computing what would change …`}</p>}
        {preview && (
          <section className={styles.preview} aria-label={t`What would change`} aria-live="polite">
            {props.shows(preview)}
          </section>
        )}
        {(preview || atOnce) && (
          <ReasonField label={t`Reason (stored and published with the decision)`} value={reason} change={setReason} />
        )}
        {preview && deciding.variables === preview && deciding.problem}
        <div className={parts.actions}>
          {preview ? (
            <Button primary type="submit" isDisabled={deciding.isPending || reason.trim() === ""}>
              {props.deed(preview)}
            </Button>
          ) : (
            <Button primary type="submit" isDisabled={previewing.isPending || !props.isReady}>
              {t`Show what would change`}
            </Button>
          )}
          <Button onPress={() => dialog.current?.close()}>{t`Cancel`}</Button>
        </div>
      </Form>
    </dialog>
  );
}

/** Dialog for one of the organizers' decisions about a run. */
export function Decide({ runId, asked, close }: { runId: string; asked: Asked; close: () => void }) {
  const { t } = useLingui();
  const path = { run_id: runId };
  const namesFiles = (asked.kind === "void" || asked.kind === "replace") && !asked.proposal;
  const { draft, bind } = useDraft(asked);
  const isReady = !namesFiles || readNumbers(draft.numbers ?? "") !== null;
  return (
    <PreviewDialog
      title={<Heading of={draft} />}
      draft={draft}
      atOnce={!namesFiles}
      isReady={isReady}
      look={(draft) => {
        const body = { ...bodyOf(draft), reason: NO_REASON_YET };
        return post("/v1/conduct/runs/{run_id}/decisions/preview", path, body);
      }}
      shows={(preview) => <Consequences preview={preview} />}
      deed={({ teams }) => <Deed of={draft} teams={teams.length} />}
      decide={(preview, reason) => {
        // The preview's version is the run's after the decision; the decision applies only to the previewed version.
        const body = { ...bodyOf(draft), reason, version: preview.version - 1 };
        return post("/v1/conduct/runs/{run_id}/decisions", path, body);
      }}
      close={close}
    >
      {namesFiles && (
        <Field
          label={t`Files (3, 5-7)`}
          required
          {...bind("numbers")}
          value={draft.numbers ?? ""}
          aria-invalid={draft.numbers !== undefined && draft.numbers !== "" && !isReady}
        />
      )}
      {draft.cause && (
        <Choice label={t`Cause`} value={draft.cause} change={bind("cause").change} options={CAUSES} named={causeWord} />
      )}
    </PreviewDialog>
  );
}

/** Dialog to stop the run and plan a new one on the reserve set: one decision with one preview (R 7.16). */
export function Restart({ runId, close }: { runId: string; close: () => void }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const path = { run_id: runId };
  const { draft, bind } = useDraft({ start: "" });
  const body = (reason: string) => ({ reason, starts_at: new Date(draft.start).toISOString() });
  return (
    <PreviewDialog
      title={t`Restart on the reserve set?`}
      draft={draft}
      isReady={draft.start !== ""}
      look={() => post("/v1/conduct/runs/{run_id}/restart/preview", path, body(NO_REASON_YET))}
      shows={(preview) => (
        <>
          <p>
            <Trans>
              A new run of {preview.files} files of the set {preview.set} would start <Moment at={preview.starts_at} />.
            </Trans>
          </p>
          <Consequences preview={preview.stop} />
          <Notices notices={preview.notices} />
        </>
      )}
      deed={() => t`Stop this run and plan the new one`}
      decide={(_, reason) => post("/v1/conduct/runs/{run_id}/restart", path, body(reason))}
      done={({ run_id }) => navigate({ to: "/desk/runs/$runId", params: { runId: run_id } })}
      close={close}
    >
      <p>{t`This run is stopped and does not count; a new run replaces it, on files that no team has seen.`}</p>
      <MomentField label={t`First file opens`} required {...bind("start")} />
    </PreviewDialog>
  );
}

function bodyOf({ numbers, proposal = false, ...rest }: Asked): Omit<Decision, "reason"> {
  const read = numbers === undefined ? null : readNumbers(numbers);
  return { ...rest, proposal, ...(read ? { numbers: read } : {}) };
}

function Heading({ of }: { of: Asked }) {
  const { t } = useLingui();
  const { number, amendment } = of;
  const team = useTeamName()(of.team_id ?? "");
  const words = {
    pause: t`Pause the run?`,
    resume: t`Resume the run?`,
    stop: t`Stop the run for good?`,
    void: t`Annul files for everybody?`,
    replace: t`Replace files by reserve ones?`,
    rule: t`Another cause for file ${number} of ${team}?`,
    admit: t`Admit the late team ${team}?`,
    undo: t`Take decision ${amendment} back?`,
  };
  return words[of.kind];
}

function Deed({ of, teams }: { of: Asked; teams: number }) {
  const { t } = useLingui();
  const { numbers, number, amendment } = of;
  const team = useTeamName()(of.team_id ?? "");
  const words = {
    pause: t`Pause the run`,
    resume: t`Resume the run`,
    stop: t`Stop the run for good`,
    void: t`Annul ${numbers}`,
    replace: numbers ? t`Replace ${numbers}` : t`Replace the files that everybody missed`,
    rule: t`Give file ${number} of ${team} this cause`,
    admit: t`Admit ${team} from now on`,
    undo: t`Take decision ${amendment} back`,
  };
  const isForTeams = !["rule", "admit", "undo"].includes(of.kind) && !(of.kind === "replace" && !numbers);
  return (
    <>
      {words[of.kind]} {isForTeams && <Plural value={teams} one="for # team" other="for all # teams" />}
    </>
  );
}

/** Changes that a decision would make, as computed by the platform; nothing is stored yet. */
function Consequences({ preview }: { preview: Preview }) {
  const { t } = useLingui();
  const nameOf = useTeamName();
  const changed = preview.teams.filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after));
  return (
    <>
      <p>
        <Trans>
          It would take effect <TimeOfDay at={preview.effective_at} />.
        </Trans>
      </p>
      <Moved moved={preview.moved} />
      {preview.ends.length > 0 && (
        <p>
          <Plural value={preview.ends.length} one="# open session would end." other="# open sessions would end." />
        </p>
      )}
      <Table
        label={t`Teams for whom something would change`}
        rows={changed}
        rowKey={({ session_id: session }) => session}
        columns={[
          { header: t`Team`, cell: ({ team_id: team }) => nameOf(team) },
          { header: t`Now`, cell: ({ before }) => <Lost before={before} /> },
          { header: t`Then`, cell: ({ after }) => <Lost before={after} /> },
        ]}
        empty={t`No team would lose or regain a file.`}
      />
    </>
  );
}

function Moved({ moved }: { moved: Preview["moved"] }) {
  const { t } = useLingui();
  const [first] = moved;
  if (!first) return <p>{t`No opening would move.`}</p>;
  return (
    <details open={moved.length <= 3}>
      <summary>
        <Plural value={moved.length} one="# opening would move" other="# openings would move" />
      </summary>
      <Table
        label={t`Openings that would move`}
        rows={moved}
        rowKey={({ number }) => number}
        columns={[
          { header: t`File`, cell: ({ number }) => number },
          { header: t`Now`, cell: ({ before }) => (before ? <TimeOfDay at={before} /> : "—") },
          { header: t`Then`, cell: ({ after }) => (after ? <TimeOfDay at={after} /> : "—") },
        ]}
      />
    </details>
  );
}

function Lost({ before }: { before: Preview["teams"][number]["before"] }) {
  const { t } = useLingui();
  const missed = share(before.voided_share, useLanguage());
  const numbers = sayNumbers(before.voided);
  return (
    <>
      {before.voided.length === 0 ? t`nothing void` : <Trans>void: {numbers}</Trans>}; <Trans>missed {missed}</Trans>
      {before.solution_voided && (
        <>
          {"; "}
          <strong className={parts.void}>{t`annulled as a whole`}</strong>
        </>
      )}
    </>
  );
}

interface ProposalProps {
  run: ConductedRun;
  massFailure: NonNullable<ConductedRun["mass_failure"]>;
  organizes: boolean;
  ask: (decision: Asked) => void;
}

/** Files that every team missed at once: the platform proposes a decision, people decide (D 1.7). */
export function Proposal({ run, massFailure, organizes, ask }: ProposalProps) {
  const { t } = useLingui();
  const numbers = sayNumbers(massFailure.numbers);
  const dismiss = (reason: string) => post("/v1/conduct/runs/{run_id}/dismissal", { run_id: run.run_id }, { reason });
  return (
    <section
      className={massFailure.standing === "open" ? styles.proposal : undefined}
      aria-label={t`Proposal on a mass failure`}
    >
      <p>
        <span aria-hidden="true">⚑ </span>
        <strong>{t`Everybody missed the files ${numbers} at once.`}</strong>{" "}
        <Plural value={massFailure.sessions} one="# session inspected" other="# sessions inspected" />,{" "}
        <Moment at={massFailure.found_at} />.
      </p>
      {massFailure.standing === "accepted" && <p>{t`They were annulled or replaced for everybody.`}</p>}
      {massFailure.dismissed && (
        <p>
          <Trans>
            Dismissed by <Author of={massFailure.dismissed.who} name={massFailure.dismissed.name} />,{" "}
            <Moment at={massFailure.dismissed.at} />: {massFailure.dismissed.reason}
          </Trans>
        </p>
      )}
      {massFailure.standing === "open" && organizes && (
        <div className={parts.actions}>
          <Button primary onPress={() => ask({ kind: "replace", proposal: true })}>
            {t`Replace them…`}
          </Button>
          <Reasoned
            label={t`Dismiss`}
            asks={
              <Trans>
                The files {numbers} stay missed for every team, each with its present cause: the platform was not at
                fault.
              </Trans>
            }
            act={dismiss}
          />
        </div>
      )}
    </section>
  );
}
