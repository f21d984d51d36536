import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { get, type Schemas } from "@/api/client";
import { inLanguage, useLanguage } from "@/ui/contest";
import { Answered, Fact, Page } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Table } from "@/ui/Table";

type Earlier = Schemas["EarlierCycleBody"];

/** List the contest's earlier cycles: dates, work, results and published data. Clause: R 4.1, R 4.8 */
export function Cycles() {
  const { t } = useLingui();
  return (
    <Page title={t`Earlier cycles`}>
      <Answered asks={get("/v1/earlier-cycles", {})}>
        {(data) =>
          data.cycles.length === 0 ? (
            <p>{t`This is the first cycle. When another one follows, this one stands here with its results.`}</p>
          ) : (
            data.cycles.map((cycle) => <One key={cycle.cycle} earlier={cycle} />)
          )
        }
      </Answered>
    </Page>
  );
}

function One({ earlier }: { earlier: Earlier }) {
  const { t } = useLingui();
  const language = useLanguage();
  const days = new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" });
  const period = days.formatRange(new Date(earlier.first), new Date(earlier.last));
  const number = new Intl.NumberFormat(language, { maximumFractionDigits: 2 });
  const figure = (value: number | null) =>
    value === null ? "—" : `${number.format(value)}${earlier.unit && ` ${earlier.unit}`}`;
  const title = inLanguage(earlier.title, language);
  return (
    <article aria-labelledby={`cycle-${earlier.cycle}`}>
      <h2 id={`cycle-${earlier.cycle}`}>{title}</h2>
      <dl className={parts.facts}>
        <Fact name={<Trans>Period</Trans>}>{period}</Fact>
        <Fact name={<Trans>Task of the programs</Trans>}>{inLanguage(earlier.work, language)}</Fact>
        <Fact name={<Trans>Teams in the final</Trans>}>{number.format(earlier.teams)}</Fact>
        <Fact name={<Trans>Best result</Trans>}>{figure(earlier.best)}</Fact>
        <Fact name={<Trans>Barrier</Trans>}>
          {earlier.overcame ? <Trans>overcome</Trans> : <Trans>not overcome</Trans>}
        </Fact>
        {earlier.published.length > 0 && (
          <Fact name={<Trans>Published sets and archives</Trans>}>
            {earlier.published.map(({ name, url }, at) => (
              <span key={url}>
                {at > 0 && ", "}
                <a href={url} rel="noreferrer">
                  {name}
                </a>
              </span>
            ))}
          </Fact>
        )}
      </dl>
      {earlier.rows.length > 0 && (
        <details>
          <summary>
            <Plural value={earlier.rows.length} one="Board of the final: # row" other="Board of the final: # rows" />
          </summary>
          <Table
            label={t`Board of the final: ${title}`}
            rows={earlier.rows}
            rowKey={(row) => `${row.place ?? ""} ${row.team}`}
            columns={[
              { header: <Trans>Place</Trans>, cell: (row) => row.place ?? "—" },
              {
                header: <Trans>Team</Trans>,
                cell: (row) => (
                  <>
                    {row.team}
                    {row.place === null && ` (${t`baseline`})`}
                  </>
                ),
              },
              { header: <Trans>Result</Trans>, cell: (row) => figure(row.value) },
              { header: <Trans>Barrier</Trans>, cell: (row) => (row.overcame ? <Trans>overcome</Trans> : "—") },
            ]}
          />
        </details>
      )}
    </article>
  );
}
