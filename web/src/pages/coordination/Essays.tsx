import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { StateWord } from "@/pages/coordination/StateWord";
import { useCalled, useGroupName, useLanguage } from "@/ui/contest";
import { Choice } from "@/ui/forms";
import { Moment } from "@/ui/moments";
import parts from "@/ui/parts.module.css";
import { Table } from "@/ui/Table";
import { Assigning } from "./Assigning";
import styles from "./coordination.module.css";
import { type Essay, type Given, isFree, type Progress, useNames } from "./data";

const FROM = "/desk/experts/markings/$markingId";
const SHOWN: Record<string, (essay: Essay) => boolean> = {
  late: (essay) => essay.late,
  open: (essay) => !essay.done,
  done: (essay) => essay.done,
  third: (essay) => essay.third?.needed ?? false,
};

/** All essays with who has them; chosen rows are given to somebody else, extended or taken back together. */
export function Essays({ of, organizes }: { of: Progress; organizes: boolean }) {
  const { t } = useLingui();
  const { many, Many, One } = useCalled();
  const { show, subject } = useSearch({ from: FROM });
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set());
  const titleOf = useGroupName();
  const shown = of.essays.filter(
    (each) => (SHOWN[show ?? ""]?.(each) ?? true) && (subject === undefined || each.subject === subject),
  );
  const count = shown.length;
  // What was chosen and has ended since, or is not shown any more, is not meant.
  const rows = shown.flatMap((essay) =>
    essay.assignments.filter((each) => isFree(each, essay) && chosen.has(each.assignment_id)),
  );
  const toggle = (of: Given) => {
    const next = new Set(chosen);
    if (!next.delete(of.assignment_id)) next.add(of.assignment_id);
    choose(next);
  };
  return (
    <section aria-labelledby="essays-title">
      <h2 id="essays-title">
        <Trans>
          {Many}: {count}
        </Trans>
      </h2>
      <Filters subjects={[...new Set(of.essays.map((each) => each.subject))]} />
      {organizes && <Assigning rows={rows} done={() => choose(new Set())} />}
      <Table
        label={t`Table: ${many}`}
        empty={t`Nothing is like that. Choose another view.`}
        rows={shown}
        rowKey={(essay) => essay.item_id}
        columns={[
          { header: One, cell: (essay) => essay.item_id },
          { header: t`Type`, cell: ({ subject }) => titleOf(subject) },
          { header: t`State`, cell: (essay) => <Standing of={essay} /> },
          {
            header: t`Experts`,
            cell: (essay) => (
              <ul className={styles.given}>
                {essay.assignments.map((each) => (
                  <li key={each.assignment_id}>
                    <Assigned
                      of={each}
                      essay={essay}
                      checked={organizes && isFree(each, essay) ? chosen.has(each.assignment_id) : null}
                      toggle={() => toggle(each)}
                    />
                  </li>
                ))}
              </ul>
            ),
          },
          { header: t`Third expert`, cell: (essay) => <ThirdOf essay={essay} /> },
        ]}
      />
    </section>
  );
}

function Filters({ subjects }: { subjects: readonly string[] }) {
  const { t } = useLingui();
  const search = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const titleOf = useGroupName();
  const go = (name: "show" | "subject", value: string) => {
    const { [name]: _, ...rest } = search;
    void navigate({ search: value === "" ? rest : { ...rest, [name]: value }, replace: true, resetScroll: false });
  };
  return (
    <div className={parts.filters}>
      <Choice
        label={t`Show`}
        look={null}
        data-filter
        value={search.show ?? ""}
        change={(value) => go("show", value)}
        options={[
          ["", t`all`],
          ["late", t`late`],
          ["open", t`not done`],
          ["done", t`done`],
          ["third", t`with a third expert`],
        ]}
      />
      <Choice
        label={t`Type`}
        look={null}
        value={search.subject ?? ""}
        change={(value) => go("subject", value)}
        options={[["", t`all`], ...subjects.map((each) => [each, titleOf(each)] as const)]}
      />
    </div>
  );
}

function Standing({ of }: { of: Essay }) {
  if (of.done) {
    return (
      <span className={parts.good}>
        <Trans>done</Trans>
      </span>
    );
  }
  if (of.late) {
    return (
      <span className={parts.void}>
        <Trans>late</Trans>
      </span>
    );
  }
  if (of.lacking > 0) return <Plural value={of.lacking} one="lacks # expert" other="lacks # experts" />;
  return <Trans context="work">open</Trans>;
}

interface AssignedProps {
  of: Given;
  essay: Essay;
  /** Null where nothing can be done to it. */
  checked: boolean | null;
  toggle: () => void;
}

function Assigned({ of, essay, checked, toggle }: AssignedProps) {
  const { t } = useLingui();
  const { one } = useCalled();
  const nameOf = useNames();
  const name = nameOf(of.expert_id);
  const at = of.ended_at ?? of.closes_at;
  const told = (
    <>
      {name}
      {of.third && (
        <>
          {" "}
          <Trans>(third)</Trans>
        </>
      )}
      : <StateWord of={of.state} />
      {of.state === "opened" && at && (
        <>
          {" "}
          <Trans>
            until <Moment at={at} />
          </Trans>
        </>
      )}
      {of.reason && ` — ${of.reason}`}
    </>
  );
  if (checked === null) return told;
  return (
    <label>
      <input
        type="checkbox"
        className={styles.select}
        aria-label={t`Choose ${name}, ${one} ${essay.item_id}`}
        checked={checked}
        onChange={toggle}
      />{" "}
      {told}
    </label>
  );
}

function ThirdOf({ essay }: { essay: Essay }) {
  const language = useLanguage();
  if (essay.third === null) return "—";
  if (!essay.third.needed) return <Trans>not needed</Trans>;
  return essay.third.reasons.map((each) => String(language === "ru" ? each.message_ru : each.message)).join("; ");
}
