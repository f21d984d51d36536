import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link, type LinkProps } from "@tanstack/react-router";
import { EVERY, get, type Schemas } from "@/api/client";
import { offset } from "@/api/clock";
import { STAGES } from "@/pages/public/Runs";
import { PageLink } from "@/ui/controls";
import { Ago, Answered, Countdown, Moment, PageSection } from "@/ui/Page";
import { Table } from "@/ui/Table";
import styles from "./desk.module.css";

type Item = Schemas["DeskItemBody"];
type To = NonNullable<LinkProps["to"]>;

interface Place {
  says: MessageDescriptor;
  to: To;
  search?: Record<string, string>;
}

/** Label and page of each kind of waiting work. */
const PLACES: Readonly<Record<Item["subject"], Place>> = {
  judgements: { says: msg`Conclusions for the judges`, to: "/desk/conclusions", search: { standing: "awaits_judges" } },
  verifications: {
    says: msg`Conclusions for the commission`,
    to: "/desk/conclusions",
    search: { standing: "awaits_commission" },
  },
  admissions: { says: msg`Qualified teams to admit`, to: "/desk/conclusions", search: { standing: "verified" } },
  applications: { says: msg`Applications to decide`, to: "/desk/teams" },
  questions: { says: msg`Questions to answer`, to: "/desk/questions" },
  protocols: { says: msg`Finals without a demanded protocol`, to: "/desk/protocols" },
  runs: { says: msg`Runs that go on or start within the hour`, to: "/desk/runs" },
  late_experts: { says: msg`Experts who are late`, to: "/desk/experts" },
  dead_letters: { says: msg`Jobs that failed for good`, to: "/desk/operations" },
  silent_timers: { says: msg`Timers that have stopped`, to: "/desk/operations" },
};

function useDesk() {
  return useQuery(get("/v1/waiting", {}, EVERY.idle));
}

/** Show the number of waiting items of a room beside its link; nothing if there are none. */
export function Count({ of }: { of: To }) {
  const items = useDesk().data?.waiting.filter(({ subject }) => PLACES[subject].to === of) ?? [];
  const count = items.reduce((sum, item) => sum + item.count, 0);
  if (count === 0) return null;
  return (
    <span className={styles.count}>
      <span aria-hidden="true">{count}</span>
      <span className="sr-only">
        <Plural value={count} one="# waits" other="# wait" />
      </span>
    </span>
  );
}

/** List the kinds of waiting work with their oldest ages, and the next deadline. Clause: R 2.18, platform §8 organizers */
export function Waits() {
  const desk = useDesk();
  return (
    <PageSection id="waits" title={<Trans>What waits</Trans>} className={styles.waits}>
      <Answered of={desk}>
        {(data) => (
          <>
            <Waiting of={data.waiting.filter(({ count }) => count > 0)} />
            {data.deadline && <Next of={data.deadline} />}
          </>
        )}
      </Answered>
    </PageSection>
  );
}

function Waiting({ of }: { of: readonly Item[] }) {
  const { i18n, t } = useLingui();
  return (
    <Table
      label={t`Table of what waits`}
      rows={of}
      rowKey={({ subject }) => subject}
      empty={<Trans>Nothing waits for a decision.</Trans>}
      columns={[
        {
          header: <Trans>What</Trans>,
          cell: ({ subject }) => {
            const { says, to, search } = PLACES[subject];
            return (
              <Link to={to} {...(search && { search: search as never })}>
                {i18n._(says)}
              </Link>
            );
          },
        },
        { header: <Trans>How many</Trans>, cell: ({ count }) => <strong>{count}</strong> },
        { header: <Trans>Since</Trans>, cell: (item) => <Since of={item} /> },
      ]}
    />
  );
}

function Since({ of: { subject, at } }: { of: Item }) {
  if (at === null) return "—";
  if (subject !== "runs") return <Ago at={Date.parse(at) - offset()} />;
  return (
    <Trans>
      first start <Moment at={at} />
    </Trans>
  );
}

function Next({ of: { event, name, at } }: { of: NonNullable<Schemas["DeskBody"]["deadline"]> }) {
  const { i18n, t } = useLingui();
  const stage = event === "run_starts" ? null : i18n._(STAGES[name as keyof typeof STAGES]);
  return (
    <p className={styles.deadline}>
      <strong>{t`Next deadline:`}</strong> {event === "stage_begins" && <Trans>the stage “{stage}” begins</Trans>}
      {event === "stage_ends" && <Trans>the stage “{stage}” ends</Trans>}
      {event === "run_starts" && (
        <Trans>
          the{" "}
          <PageLink to="/desk/runs/$runId" id={name}>
            next run
          </PageLink>{" "}
          starts
        </Trans>
      )}
      , <Moment at={at} /> (<Countdown to={at} />)
    </p>
  );
}
