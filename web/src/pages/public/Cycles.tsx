import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { Schemas } from "@/api/client";
import { get } from "@/api/queries";
import { inLanguage, useLanguage } from "@/ui/contest";
import { Answered, Fact, Page } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Table } from "@/ui/Table";

type Earlier = Schemas["EarlierCycleBody"];

/** The contest's earlier cycles: when, which work, who came how far, and what was published. Clause: R 4.1, R 4.8 */
export function Cycles() {
  const { t } = useLingui();
  return (
    <Page title={t`Earlier cycles`}>
      <Answered asks={get("/v1/earlier-cycles", {})}>
        {(data) =>
          data.cycles.length === 0 ? (
            <p>{t`This is the first cycle. When another one follows, this one stands here with its results.`}</p>
          ) : (
            data.cycles.map((cycle) => <One key={cycle.cycle} of={cycle} />)
          )
        }
      </Answered>
    </Page>
  );
}

function One({ of }: { of: Earlier }) {
  const { t } = useLingui();
  const language = useLanguage();
  const days = new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" });
  const period = days.formatRange(new Date(of.first), new Date(of.last));
  const number = new Intl.NumberFormat(language, { maximumFractionDigits: 2 });
  const figure = (value: number | null) =>
    value === null ? "—" : `${number.format(value)}${of.unit && ` ${of.unit}`}`;
  const title = inLanguage(of.title, language);
  return (
    <article aria-labelledby={`cycle-${of.cycle}`}>
      <h2 id={`cycle-${of.cycle}`}>{title}</h2>
      <dl className={parts.facts}>
        <Fact name={<Trans>Period</Trans>}>{period}</Fact>
        <Fact name={<Trans>Task of the programs</Trans>}>{inLanguage(of.work, language)}</Fact>
        <Fact name={<Trans>Teams in the final</Trans>}>{number.format(of.teams)}</Fact>
        <Fact name={<Trans>Best result</Trans>}>{figure(of.best)}</Fact>
        <Fact name={<Trans>Barrier</Trans>}>{of.overcame ? <Trans>overcome</Trans> : <Trans>not overcome</Trans>}</Fact>
        {of.published.length > 0 && (
          <Fact name={<Trans>Published sets and archives</Trans>}>
            {of.published.map(({ name, url }, at) => (
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
      {of.rows.length > 0 && (
        <details>
          <summary>
            <Plural value={of.rows.length} one="Board of the final: # row" other="Board of the final: # rows" />
          </summary>
          <Table
            label={t`Board of the final: ${title}`}
            rows={of.rows}
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
