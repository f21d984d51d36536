import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { api, get, readFile, type Schemas } from "@/api/client";
import { now } from "@/api/clock";
import { RunChoice } from "@/pages/judges/Submissions";
import { Author, Changes, deedText, differences } from "@/ui/audit";
import { useLanguage, useMessage } from "@/ui/contest";
import { Button, saveJson } from "@/ui/controls";
import { Downloads, Field, FilterBar, FilterChoice, FilterField, useFilter } from "@/ui/forms";
import { Answered, AskedPage, Dated, Moment, NextPage, PageSection } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { type AuditSearch, asked, type Entry, entriesOf, PAGE } from "./data";

/** Names of the people in the log, by their identifiers there. */
type Names = Readonly<Record<string, string>>;

/** Show the audit log of people's changes: who, when, what, and each field before and after. */
export function Audit() {
  const { t } = useLingui();
  const search = useSearch({ from: "/desk/audit" });
  const filter = useFilter(search);
  const query = asked(search, new Date(now()).toISOString().slice(0, 10));
  const staff = useQuery(get("/v1/staff", {}));
  const names = Object.fromEntries(
    (staff.data?.staff ?? []).map((person) => [`person:${person.person_id}`, person.name] as const),
  );
  const pages = useInfiniteQuery({
    queryKey: ["/v1/audit", query],
    queryFn: ({ pageParam, signal }) => page(query, pageParam, signal),
    initialPageParam: "",
    getNextPageParam: (last) => (last.length < PAGE ? undefined : last[last.length - 1]?.cursor),
  });
  const entries = pages.data?.pages.flat() ?? [];
  return (
    <AskedPage title={t`Audit log`} of={pages}>
      {() => (
        <>
          <FilterBar>
            <Field label={t`From (UTC)`} type="date" {...filter("from")} value={query.from} />
            <Field label={t`To (UTC)`} type="date" {...filter("to")} value={query.to} />
            <FilterChoice
              label={t`Staff member`}
              {...filter("who")}
              options={search.who ? { [search.who]: search.who, ...names } : names}
            />
            <FilterField data-filter label={t`Action (part of the text)`} {...filter("what")} />
            <FilterField label={t`Object (its whole name)`} {...filter("subject")} />
          </FilterBar>
          {entries.length === 0 && <p>{t`No matching changes on these days. Days are counted in UTC.`}</p>}
          <ol>
            {entries.map((entry) => (
              <Line key={entry.cursor} entry={entry} names={names} />
            ))}
          </ol>
          {pages.hasNextPage && (
            <p>
              <NextPage nextPages={pages}>{t`Later ones`}</NextPage>
            </p>
          )}
          <Downloads
            title={t`Export filtered entries, up to a thousand`}
            name={`audit-${query.from}-${query.to}`}
            of={[
              ["CSV", () => readFile("/v1/audit.csv", query)],
              ["JSONL", () => readFile("/v1/audit.jsonl", query)],
            ]}
          />
        </>
      )}
    </AskedPage>
  );
}

function Line({ entry, names }: { entry: Entry; names: Names }) {
  const { t } = useLingui();
  const language = useLanguage();
  const { at, who, what, subject, before, after } = entry;
  const text = deedText(what, language);
  return (
    <li>
      <Moment at={at} /> · <strong>{names[who] ?? <Author of={who} />}</strong> · {text} ·{" "}
      <Link to="/desk/audit" search={(before) => ({ ...(before as AuditSearch), subject })}>
        <code>{subject}</code>
      </Link>
      <details>
        <summary>{t`Before and after`}</summary>
        <Changes differences={differences(before, after)} />
      </details>
    </li>
  );
}

async function page(query: ReturnType<typeof asked>, after: string, signal: AbortSignal): Promise<Entry[]> {
  const params = { query: { ...query, limit: PAGE, ...(after ? { after } : {}) } };
  const { data } = await api.GET("/v1/audit.jsonl", { params, parseAs: "text", signal });
  return entriesOf(String(data));
}

/** Grades of a check in the order in which they are shown. */
const GRADES: readonly (readonly [Schemas["CheckBody"]["grade"], MessageDescriptor])[] = [
  ["failed", msg`✕ Failed`],
  ["unknown", msg`? Could not be checked`],
  ["warning", msg`! Warning`],
  ["ok", msg`✓ In order`],
];

/** Show the check of the cycle before a final, and the cycle as its file states it. */
export function Check() {
  const { i18n, t } = useLingui();
  const { run } = useSearch({ from: "/desk/check" });
  const query = useQuery(get("/v1/check", run ? { run } : {}));
  return (
    <AskedPage title={t`Check of the cycle`} of={query}>
      {(data) => (
        <>
          <Finals run={run ?? data.run_id} />
          <Verdict checks={data} again={() => void query.refetch()} />
          {GRADES.map(([grade, title]) => (
            <Graded key={grade} title={i18n._(title)} checks={data.checks.filter((check) => check.grade === grade)} />
          ))}
          <PageSection id="description-title" title={t`The cycle's file`}>
            <Answered asks={get("/v1/cycle/description", {})}>
              {({ description }) => (
                <>
                  <p>
                    <Button onPress={() => saveJson(description, "cycle-description.json")}>{t`Download JSON`}</Button>
                  </p>
                  <details>
                    <summary>{t`Read it here`}</summary>
                    <pre>{JSON.stringify(description, null, 2)}</pre>
                  </details>
                </>
              )}
            </Answered>
          </PageSection>
        </>
      )}
    </AskedPage>
  );
}

/** Choice of the final whose terms, teams and experts are checked. */
function Finals({ run }: { run: string | null }) {
  const filter = useFilter({ run });
  const runs = useQuery(get("/v1/conduct/runs", { mode: "final", limit: 50 }));
  if (!runs.data || runs.data.runs.length === 0) return null;
  return (
    <FilterBar>
      <RunChoice label={<Trans>Final</Trans>} runs={runs.data.runs} {...filter("run")} />
    </FilterBar>
  );
}

function Verdict({ checks, again }: { checks: Schemas["ChecksBody"]; again: () => void }) {
  const { t } = useLingui();
  const { failed, warnings } = checks;
  return (
    <>
      <p role="status" className={failed > 0 ? parts.void : parts.good}>
        {failed > 0 ? t`✕ Failed: ${failed}, warnings: ${warnings}` : t`✓ Nothing failed; warnings: ${warnings}`}
      </p>
      <div className={parts.actions}>
        <Button onPress={again}>{t`Look again`}</Button>
        <span>
          <Trans>
            looked at <Moment at={checks.server_time} />
          </Trans>
        </span>
      </div>
    </>
  );
}

function Graded({ title, checks }: { title: string; checks: readonly Schemas["CheckBody"][] }) {
  const text = useMessage();
  if (checks.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {checks.map((fault) => (
          <li key={`${fault.name} ${fault.message}`}>
            <code>{fault.name}</code>: <Dated text={text(fault)} />
          </li>
        ))}
      </ul>
    </section>
  );
}
