import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { EVERY, get } from "@/api/queries";
import { useSession } from "@/auth/hooks";
import { AskedPage } from "@/shell/AskedPage";
import { inLanguage, useLanguage } from "@/ui/cycle";
import { Countdown, Moment } from "@/ui/Moment";
import type { Assignment } from "./desk";
import { StateOf } from "./StateOf";

/** An expert's essays: what is begun, what waits, what is done. */
export function AssignmentsPage() {
  const { t } = useLingui();
  const session = useSession();
  const found = useQuery({ ...get("/v1/assignments", {}, EVERY.idle), enabled: session.state !== "coming" });
  return (
    <AskedPage title={t`Essays to mark up`} of={found}>
      {({ assignments }) => <Groups of={assignments} />}
    </AskedPage>
  );
}

function Groups({ of }: { of: readonly Assignment[] }) {
  const open = of.filter((each) => each.state === "opened");
  const waiting = of.filter((each) => each.state === "assigned");
  const ended = of.filter((each) => each.state !== "opened" && each.state !== "assigned");
  if (of.length === 0) {
    return (
      <p>
        <Trans>No essay has been given to you yet. It will stand here as soon as the coordinator gives you one.</Trans>
      </p>
    );
  }
  return (
    <>
      <p role="status">
        {open.length + waiting.length === 0 ? (
          <Trans>Everything is done. New essays will stand here.</Trans>
        ) : (
          <Plural value={open.length + waiting.length} one="# essay is left." other="# essays are left." />
        )}
      </p>
      {[...open, ...waiting, ...ended].length > 0 && <Table of={[...open, ...waiting, ...ended]} />}
    </>
  );
}

function Table({ of }: { of: readonly Assignment[] }) {
  const titles = useQuery(get("/v1/classifier", {})).data?.classifier.titles ?? {};
  const language = useLanguage();
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">
            <Trans>Essay</Trans>
          </th>
          <th scope="col">
            <Trans>State</Trans>
          </th>
          <th scope="col">
            <Trans>Time</Trans>
          </th>
        </tr>
      </thead>
      <tbody>
        {of.map((each) => (
          <tr key={each.assignment_id}>
            <th scope="row">
              <Link to="/assignments/$assignmentId" params={{ assignmentId: each.assignment_id }}>
                {inLanguage(titles[each.subject] ?? { en: each.subject }, language)}
              </Link>{" "}
              <small>
                <Kind of={each} />
              </small>
            </th>
            <td>
              <StateOf state={each.state} />
            </td>
            <td>
              <Time of={each} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Kind({ of }: { of: Assignment }) {
  if (of.ratings) return <Trans>explanations to rate</Trans>;
  if (of.third) return <Trans>third check</Trans>;
  if (of.calibration) return <Trans>training essay</Trans>;
  return null;
}

function Time({ of }: { of: Assignment }) {
  if (of.state === "opened" && of.closes_at) return <Countdown to={of.closes_at} />;
  if (of.ended_at) return <Moment at={of.ended_at} />;
  const minutes = Math.round(of.limit_s / 60);
  return <Plural value={minutes} one="# minute from its opening" other="# minutes from its opening" />;
}
