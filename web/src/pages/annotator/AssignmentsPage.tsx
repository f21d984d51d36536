import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { EVERY, get, type Schemas } from "@/api/client";
import { useSession } from "@/auth/hooks";
import { useCalled, useGroupName } from "@/ui/contest";
import { PageLink } from "@/ui/controls";
import { AskedPage, Countdown, Moment } from "@/ui/Page";
import { Table } from "@/ui/Table";
import styles from "./annotator.module.css";
import type { Assignment } from "./desk";

/** Expert's assignments: in progress, waiting and done. */
export function AssignmentsPage() {
  const { t } = useLingui();
  const { Many } = useCalled();
  const session = useSession();
  const query = useQuery({ ...get("/v1/assignments", {}, EVERY.idle), enabled: session.state !== "coming" });
  return (
    <AskedPage title={t`${Many} to mark up`} of={query}>
      {({ assignments }) => <Groups assignments={assignments} />}
    </AskedPage>
  );
}

function Groups({ assignments }: { assignments: readonly Assignment[] }) {
  const { t } = useLingui();
  const open = assignments.filter((assignment) => assignment.state === "opened");
  const waiting = assignments.filter((assignment) => assignment.state === "assigned");
  const left = open.length + waiting.length;
  const ended = assignments.filter((assignment) => assignment.state !== "opened" && assignment.state !== "assigned");
  if (assignments.length === 0) {
    return <p>{t`You have no assignments yet. They will appear here when the coordinator gives them out.`}</p>;
  }
  return (
    <>
      <p role="status">
        {left === 0 ? t`Everything is done. Your next assignments will appear here.` : t`Left to do: ${left}`}
      </p>
      <AssignmentTable assignments={[...open, ...waiting, ...ended]} />
    </>
  );
}

function AssignmentTable({ assignments }: { assignments: readonly Assignment[] }) {
  const { t } = useLingui();
  const titleOf = useGroupName();
  const { One } = useCalled();
  return (
    <Table
      label={t`Table of assignments`}
      rows={assignments}
      rowKey={(row) => row.assignment_id}
      columns={[
        {
          header: One,
          cell: (row) => (
            <>
              <PageLink to="/assignments/$assignmentId" id={row.assignment_id}>
                {titleOf(row.subject)}
              </PageLink>{" "}
              <small>
                <Kind assignment={row} />
              </small>
            </>
          ),
        },
        { header: t`Id`, cell: ({ assignment_id: id }) => <code className={styles.id}>{id}</code> },
        { header: t`Words`, cell: ({ words }) => (words === 0 ? "—" : words), className: styles.count },
        { header: t`State`, cell: ({ state }) => <StateOf state={state} /> },
        { header: t`Deadline`, cell: (row) => <Deadline assignment={row} /> },
      ]}
    />
  );
}

function Kind({ assignment }: { assignment: Assignment }) {
  if (assignment.ratings) return <Trans>explanations to rate</Trans>;
  if (assignment.third) return <Trans>third check</Trans>;
  if (assignment.calibration) return <Trans>for training</Trans>;
  return null;
}

/** Deadline to open or finish an assignment, with the time left; for an ended one, its end time. */
export function Deadline({ assignment }: { assignment: Assignment }) {
  if (assignment.ended_at) return <Moment at={assignment.ended_at} />;
  if (assignment.state === "opened" && assignment.closes_at) return <Until at={assignment.closes_at} />;
  const minutes = Math.round(assignment.limit_s / 60);
  return (
    <>
      {assignment.open_until && (
        <>
          <Trans>
            Open it by <Until at={assignment.open_until} />
          </Trans>
          <br />
        </>
      )}
      <Plural value={minutes} one="# minute from its opening" other="# minutes from its opening" />
    </>
  );
}

function Until({ at }: { at: string }) {
  return (
    <>
      <Moment at={at} />{" "}
      <small>
        <Trans>
          left: <Countdown to={at} />
        </Trans>
      </small>
    </>
  );
}

/** State of an assignment, in words. */
export function StateOf({ state }: { state: Schemas["AssignmentState"] }) {
  const { t } = useLingui();
  const words = {
    assigned: t`not opened yet`,
    opened: t`in progress`,
    handed_in: t`handed in`,
    expired: t`the time ran out`,
    handed_back: t`given back`,
    reassigned: t`given to another expert`,
    released: t`taken back`,
  };
  return words[state];
}
