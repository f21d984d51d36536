import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useId, useRef, useState } from "react";
import { post } from "@/api/client";
import { renewed } from "@/api/queries";
import { causeWord } from "@/pages/cabinet/words";
import { useTeamName } from "@/pages/desk/teamNames";
import { Author } from "@/ui/audit";
import { useLanguage } from "@/ui/contest";
import { Button } from "@/ui/controls";
import { Choice, Field, Form, openDialog, Reasoned, ReasonField, useAction } from "@/ui/forms";
import { Moment, TimeOfDay } from "@/ui/moments";
import { share } from "@/ui/numbers";
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

/** Dialog for a decision about a run: the platform's preview of the changes, then the reason, then the confirmation. */
export function Decide({ runId, asked, close }: { runId: string; asked: Asked; close: () => void }) {
  const { i18n, t } = useLingui();
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  const [form, setForm] = useState(asked);
  const [reason, setReason] = useState("");
  const path = { run_id: runId };
  const previewing = useAction((wish: Asked) => {
    const body = { ...bodyOf(wish), reason: NO_REASON_YET };
    return post("/v1/conduct/runs/{run_id}/decisions/preview", path, body);
  });
  const preview = previewing.data;
  const deciding = useAction(
    () => {
      // The preview's version is the run's after the decision; the decision applies only to the previewed version.
      const version = preview ? preview.version - 1 : null;
      const body = { ...bodyOf(form), reason: reason.trim(), version };
      return post("/v1/conduct/runs/{run_id}/decisions", path, body);
    },
    async () => {
      dialog.current?.close();
      await renewed();
    },
  );
  const namesFiles = (asked.kind === "void" || asked.kind === "replace") && !asked.proposal;
  const first = useRef(() => {
    if (!namesFiles) previewing.mutate(form);
  });
  useEffect(() => {
    if (dialog.current) openDialog(dialog.current);
    first.current();
  }, []);
  const change = (more: Partial<Asked>) => {
    setForm({ ...form, ...more });
    previewing.reset();
    deciding.reset();
  };
  const readable = !namesFiles || readNumbers(form.numbers ?? "") !== null;
  return (
    <dialog ref={dialog} className={`${parts.dialog} ${styles.decide}`} aria-labelledby={title} onClose={close}>
      <Form submit={() => (preview ? deciding.mutate() : previewing.mutate(form))}>
        <h2 id={title}>
          <Heading of={form} />
        </h2>
        {namesFiles && (
          <Field
            label={t`Files (3, 5-7)`}
            required
            value={form.numbers ?? ""}
            aria-invalid={form.numbers !== undefined && form.numbers !== "" && !readable}
            change={(value) => change({ numbers: value })}
          />
        )}
        {asked.kind === "rule" && (
          <Choice<Cause | "">
            label={t`Cause`}
            value={form.cause ?? ""}
            change={(cause) => cause && change({ cause })}
            options={CAUSES.map((cause) => [cause, i18n._(causeWord(cause))] as const)}
          />
        )}
        {previewing.problem}
        {previewing.isPending && <p role="status">{t`The platform is computing what would change …`}</p>}
        {preview && (
          <section className={styles.preview} aria-label={t`What would change`} aria-live="polite">
            <Consequences preview={preview} />
          </section>
        )}
        {(preview || !namesFiles) && (
          <ReasonField label={t`Reason (stored and published with the decision)`} value={reason} change={setReason} />
        )}
        {deciding.problem}
        <div className={parts.actions}>
          {preview ? (
            <Button primary type="submit" isDisabled={deciding.isPending || reason.trim() === ""}>
              <Deed of={form} teams={preview.teams.length} />
            </Button>
          ) : (
            <Button primary type="submit" isDisabled={previewing.isPending || !readable}>
              {t`Show what would change`}
            </Button>
          )}
          <Button onPress={() => dialog.current?.close()}>{t`Cancel`}</Button>
        </div>
      </Form>
    </dialog>
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
      {words[of.kind]} {isForTeams && <ForTeams teams={teams} />}
    </>
  );
}

function ForTeams({ teams }: { teams: number }) {
  return <Plural value={teams} one="for # team" other="for all # teams" />;
}

/** Changes that a decision would make, as computed by the platform; nothing is stored yet. */
export function Consequences({ preview }: { preview: Preview }) {
  const { t } = useLingui();
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
      {changed.length === 0 ? <p>{t`No team would lose or regain a file.`}</p> : <Teams teams={changed} />}
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

function Teams({ teams }: { teams: Preview["teams"] }) {
  const nameOf = useTeamName();
  const { t } = useLingui();
  return (
    <Table
      label={t`Teams for whom something would change`}
      rows={teams}
      rowKey={({ session_id: session }) => session}
      columns={[
        { header: t`Team`, cell: ({ team_id: team }) => nameOf(team) },
        { header: t`Now`, cell: ({ before }) => <Lost before={before} /> },
        { header: t`Then`, cell: ({ after }) => <Lost before={after} /> },
      ]}
    />
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
