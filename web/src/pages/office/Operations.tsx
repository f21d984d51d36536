import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { EVERY, get, listed, post, type Schemas } from "@/api/client";
import { useMay } from "@/auth/hooks";
import { useLanguage } from "@/ui/contest";
import { Button, PageLink } from "@/ui/controls";
import { Checks, Confirmed, Field, FilterBar, FilterChoice, Form, Reasoned, useFilter } from "@/ui/forms";
import { Answered, AskedPage, Dated, Fact, Moment, NextPage, PageSection } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Table } from "@/ui/Table";
import { type CostSearch, EVIDENCE, FIGURES, money, numberOf, readCost } from "./data";

type Finding = Schemas["FindingBody"];

const DOCTOR = get("/v1/doctor", {}, EVERY.idle);

/** Show stuck work, the oldest first, and jobs that failed for good. */
export function Operations() {
  const { t } = useLingui();
  return (
    <AskedPage title={t`Operations`} asks={DOCTOR}>
      {({ findings }) => (
        <>
          <PageSection id="findings-title" title={t`Stuck work`}>
            {findings.length === 0 ? (
              <p className={parts.good}>{t`✓ Nothing is stuck.`}</p>
            ) : (
              <ul>
                {findings
                  .toSorted((a, b) => (a.since ?? "9").localeCompare(b.since ?? "9"))
                  .map((finding) => (
                    <FindingLine key={`${finding.ailment} ${finding.subject}`} finding={finding} findings={findings} />
                  ))}
              </ul>
            )}
          </PageSection>
          <DeadLetters />
        </>
      )}
    </AskedPage>
  );
}

function FindingLine({ finding, findings }: { finding: Finding; findings: readonly Finding[] }) {
  const { i18n, t } = useLingui();
  const language = useLanguage();
  const mends = useMay("organize");
  const { ailment, subject, since, evidence, mendable } = finding;
  const alike = findings.filter((line) => line.ailment === ailment).length;
  const action = language === "ru" ? finding.action_ru : finding.action;
  return (
    <li>
      <strong className={parts.void}>{language === "ru" ? finding.cause_ru : finding.cause}</strong> ·{" "}
      <code>{subject}</code>
      {since && (
        <>
          {" · "}
          <Trans>
            since <Moment at={since} />
          </Trans>
        </>
      )}
      <dl className={parts.facts}>
        {Object.entries(evidence).map(([name, value]) => (
          <div key={name}>
            <Fact name={EVIDENCE[name] ? i18n._(EVIDENCE[name]) : name}>
              {typeof value === "string" ? <Dated text={value} /> : JSON.stringify(value)}
            </Fact>
          </div>
        ))}
      </dl>
      <p>{action}</p>
      {mends && mendable && (
        <div className={parts.actions}>
          <Confirmed
            label={<Trans>Repair</Trans>}
            asks={t`All ${alike} of this kind are repaired: ${action}. Repeating it is harmless.`}
            act={() => post("/v1/doctor/mend", {}, { ailments: [ailment] })}
          />
        </div>
      )}
    </li>
  );
}

type Letter = Schemas["LetterEntry"];
type Queue = Letter["queue"];

const KEY = "/v1/dead-letters";
const PAGE = 50;

const QUEUES: Readonly<Record<Queue, MessageDescriptor>> = {
  scoring: msg`scoring`,
  settlement: msg`results of finals`,
  rescorings: msg`rescorings`,
  shadows: msg`independent recomputations`,
  audits: msg`verifications`,
  imports: msg`imports`,
  submissions: msg`submissions`,
  pushes: msg`pushes to programs`,
  relay: msg`relay of stored changes`,
  timers: msg`timers`,
};

/** Show jobs that failed for good and wait, the oldest first: send them again, or let them go. */
function DeadLetters() {
  const { t } = useLingui();
  const search = useSearch({ from: "/desk/operations" });
  const { queue } = search;
  const filter = useFilter(search);
  const query = { limit: PAGE, ...(queue && queue in QUEUES ? { queue: queue as Queue } : {}) };
  const pages = useInfiniteQuery(listed(KEY, query, EVERY.idle));
  return (
    <PageSection id="letters-title" title={t`Dead letters`}>
      <FilterBar>
        <FilterChoice label={<Trans>Queue</Trans>} data-filter {...filter("queue")} options={QUEUES} />
      </FilterBar>
      <Answered of={pages}>
        {(data) => {
          // Decided jobs are not listed any more; the oldest of the others stands first.
          const open = data.pages
            .flatMap((page) => page.letters)
            .toSorted((a, b) => a.first_at.localeCompare(b.first_at));
          return (
            <>
              {open.length === 0 && <p className={parts.good}>{t`✓ No failed job waits for a decision.`}</p>}
              <RedriveAll open={open} />
              <ul>
                {open.map((letter) => (
                  <LetterLine key={letter.letter_id} letter={letter} />
                ))}
              </ul>
              <NextPage nextPages={pages}>{t`Show more`}</NextPage>
            </>
          );
        }}
      </Answered>
    </PageSection>
  );
}

/** Send all shown waiting jobs again, after listing them one by one. */
function RedriveAll({ open }: { open: readonly Letter[] }) {
  const { i18n } = useLingui();
  const decides = useMay("organize");
  if (!decides || open.length === 0) return null;
  return (
    <div className={parts.actions}>
      <Confirmed
        label={<Trans>Send all of these again</Trans>}
        asks={
          <>
            <Plural
              value={open.length}
              one="# job is sent again. Repeating it is harmless:"
              other="# jobs are sent again. Repeating them is harmless:"
            />
            {open.map((letter) => (
              <span key={letter.letter_id}>
                <br />
                {i18n._(QUEUES[letter.queue])}: {aboutOf(letter)}
              </span>
            ))}
          </>
        }
        act={() => post("/v1/dead-letters/redrive", {}, { letter_ids: open.map(({ letter_id }) => letter_id) })}
      />
    </div>
  );
}

function aboutOf({ about, letter_id }: Letter): string {
  const facts = Object.entries(about).map(([name, value]) => `${name} ${value}`);
  return facts.length > 0 ? facts.join(", ") : letter_id;
}

function LetterLine({ letter }: { letter: Letter }) {
  const { i18n, t } = useLingui();
  const decides = useMay("organize");
  const [isOpen, setIsOpen] = useState(false);
  const { letter_id, tries } = letter;
  return (
    <li>
      <strong>{i18n._(QUEUES[letter.queue])}</strong> · {aboutOf(letter)}
      <br />
      <Trans>
        failed first <Moment at={letter.first_at} />, last <Moment at={letter.last_at} />, tries: {tries}
      </Trans>
      <br />
      <code>{letter.error}</code>
      <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
        <summary>{t`The job as it was sent`}</summary>
        {isOpen && (
          <Answered asks={get("/v1/dead-letters/{letter_id}", { letter_id })}>
            {({ body }) => <pre>{body}</pre>}
          </Answered>
        )}
      </details>
      {decides && (
        <div className={parts.actions}>
          <Confirmed
            label={t`Send again`}
            asks={t`The job is sent again. Repeating it is harmless; if it fails again, it comes back.`}
            act={() => post("/v1/dead-letters/redrive", {}, { letter_ids: [letter_id] })}
          />
          <Reasoned
            label={t`Drop`}
            asks={t`Drop the job? It is not run again; if it fails again, it comes back.`}
            act={(why) => post("/v1/dead-letters/{letter_id}/drop", { letter_id }, { reason: why })}
          />
        </div>
      )}
    </li>
  );
}

type Costs = Schemas["CostBody"];
type Figure = Schemas["FigureBody"];

const SOURCES: Readonly<Record<Figure["source"], MessageDescriptor>> = {
  asked: msg`as asked`,
  counted: msg`counted`,
  planned: msg`as planned`,
  usual: msg`default`,
};

/** Show the estimated cost of the cycle's finals and days: every part, its price, and the source of the price. */
export function Cost() {
  const { t } = useLingui();
  const search = useSearch({ from: "/desk/cost" });
  return (
    <AskedPage title={t`Cost of the cycle`} asks={get("/v1/conduct/cost", search)}>
      {(data) => <Estimate estimate={data} search={search} />}
    </AskedPage>
  );
}

function Estimate({ estimate, search }: { estimate: Costs; search: CostSearch }) {
  const { i18n, t } = useLingui();
  const language = useLanguage();
  const { currency, region, days } = estimate;
  const price = (value: number) => money(value, currency, language);
  const played = estimate.played.map((size) => `${size.teams} × ${size.files}`).join(", ");
  const figure = ({ value, source }: Figure) => `${value} (${i18n._(SOURCES[source])})`;
  return (
    <>
      <p role="status">
        <Trans>
          <strong>{price(estimate.cost)}</strong> for everything below, at list prices of {region}.
        </Trans>
      </p>
      <p>
        <Trans>
          An estimate. The platform keeps no bill and does not count billed usage: the cloud's bill shows the real cost.
        </Trans>
      </p>
      <Figures key={JSON.stringify(search)} search={search} />
      {estimate.finals.length === 0 && (
        <p>{t`The cycle has neither a planned final nor a set for one: here are its days alone.`}</p>
      )}
      {estimate.finals.map((final) => (
        <section key={final.run_id ?? final.set} aria-label={t`Final, set ${final.set}`}>
          <h2>{t`Final, set ${final.set}: ${price(final.cost)}`}</h2>
          <p>
            {final.run_id ? (
              <PageLink to="/desk/runs/$runId" id={final.run_id}>
                <code>{final.run_id}</code>
              </PageLink>
            ) : (
              t`Not planned yet: the estimate is for all its files as one final.`
            )}
          </p>
          <dl className={parts.facts}>
            <Fact name={t`Teams`}>{figure(final.teams)}</Fact>
            <Fact name={t`of them on the event channel`}>{figure(final.listening)}</Fact>
            <Fact name={t`Files`}>{figure(final.files)}</Fact>
          </dl>
          {final.lines.length === 0 ? (
            <p>{t`A final without teams makes no requests.`}</p>
          ) : (
            <Lines label={t`Parts of the final, set ${final.set}`} lines={final.lines} estimate={estimate} />
          )}
        </section>
      ))}
      <PageSection id="cost-days" title={<Trans>Days of the deployment: {price(days.cost)}</Trans>}>
        <p>{t`Days: ${figure(days.days)}. Timers run and queues are polled even without teams.`}</p>
        <Lines label={t`Parts of the days`} lines={days.lines} estimate={estimate} />
      </PageSection>
      <p>
        <Trans>
          The usage of a final was counted in rehearsed finals (teams × files: {played}) and scales with their size.
          Prices are those of the first tier, without free tiers and taxes.
        </Trans>
      </p>
    </>
  );
}

function Lines({ label, lines, estimate }: { label: string; lines: Costs["days"]["lines"]; estimate: Costs }) {
  const { t } = useLingui();
  const language = useLanguage();
  const prices = new Map(estimate.prices.map((price) => [price.kind, price]));
  const sourceIn = (source: string) => {
    const [page = "", quotedBy] = source.split(", as quoted by ");
    return quotedBy ? t`${page}, as quoted by ${quotedBy}` : page;
  };
  return (
    <Table
      label={label}
      rows={lines.map((line) => ({ ...line, price: prices.get(line.kind) }))}
      rowKey={({ kind }) => kind}
      columns={[
        { header: <Trans>What</Trans>, cell: ({ price }) => (language === "ru" ? price?.what_ru : price?.what) },
        { header: <Trans>How much</Trans>, cell: ({ count }) => numberOf(count, language) },
        {
          header: <Trans>Price</Trans>,
          cell: ({ price }) =>
            price && t`${money(price.price, estimate.currency, language)} for ${numberOf(price.per, language)}`,
        },
        { header: <Trans>Cost</Trans>, cell: ({ cost }) => money(cost, estimate.currency, language) },
        {
          header: <Trans>Source of the price</Trans>,
          cell: ({ price }) => price && `${price.date} · ${sourceIn(price.source)}`,
          className: parts.prose,
        },
      ]}
    />
  );
}

function Figures({ search }: { search: CostSearch }) {
  const { t } = useLingui();
  const navigate = useNavigate({ from: "/desk/cost" });
  const [figures, setFigures] = useState<{ [name in keyof CostSearch]?: string | number }>(search);
  const labels = {
    teams: t`Teams of a final`,
    files: t`Files of a final`,
    listening: t`Teams on the event channel`,
    days: t`Days`,
    armed_hours: t`Hours for which functions are kept running`,
  };
  const choices: Record<string, string> = {
    dashboard: t`Dashboard`,
    snapshots: t`Start from snapshots`,
    "route-metrics": t`Metrics of each route`,
    programs: t`Machines for submitted programs`,
  };
  const chosen = (figures.with ?? "").toString().split(",");
  return (
    <Form submit={() => void navigate({ search: readCost(figures) })}>
      <p>{t`Other figures (empty: the cycle's own)`}</p>
      {FIGURES.map(({ name, least, most }) => (
        <Field
          key={name}
          label={labels[name]}
          name={name}
          type="number"
          min={least}
          max={most}
          value={figures[name] ?? ""}
          change={(value) => setFigures({ ...figures, [name]: value })}
        />
      ))}
      <Checks
        legend={t`Switched on in the cycle's file for all the days`}
        options={choices}
        chosen={chosen}
        change={(names) => setFigures({ ...figures, with: names.join(",") })}
        className={parts.downloads}
      />
      <p>
        <Button primary type="submit">
          {t`Estimate`}
        </Button>
      </p>
    </Form>
  );
}
