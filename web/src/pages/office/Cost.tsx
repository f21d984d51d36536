import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { Schemas } from "@/api/client";
import { get } from "@/api/queries";
import { AskedPage } from "@/shell/AskedPage";
import { useLanguage } from "@/ui/contest";
import { Button } from "@/ui/controls";
import parts from "@/ui/parts.module.css";
import { Wide } from "@/ui/Wide";
import { type CostSearch, FIGURES, money, numberOf, readCost } from "./cost";

type Told = Schemas["CostBody"];
type Figure = Schemas["FigureBody"];

const SOURCES: Readonly<Record<Figure["source"], MessageDescriptor>> = {
  asked: msg`as asked`,
  counted: msg`counted`,
  planned: msg`as planned`,
  usual: msg`usual, nobody knows`,
};

/** What the cycle's finals and days cost by estimate: every part, its price, where the price is from. */
export function Cost() {
  const { t } = useLingui();
  const search = useSearch({ from: "/desk/cost" });
  const found = useQuery(get("/v1/conduct/cost", { params: { query: search } }));
  return (
    <AskedPage title={t`Cost of the cycle`} of={found}>
      {(told) => <Estimate told={told} search={search} />}
    </AskedPage>
  );
}

function Estimate({ told, search }: { told: Told; search: CostSearch }) {
  const { i18n, t } = useLingui();
  const language = useLanguage();
  const { currency, region, days } = told;
  const said = (value: number) => money(value, currency, language);
  const played = told.played.map((each) => `${each.teams} × ${each.files}`).join(", ");
  const figure = ({ value, source }: Figure) => `${value} (${i18n._(SOURCES[source])})`;
  return (
    <>
      <p role="status">
        <Trans>
          <strong>{said(told.cost)}</strong> for everything below, at list prices of {region}.
        </Trans>
      </p>
      <p>
        <Trans>
          An estimate. The platform keeps no bill and does not count what the cloud charges for: the bill of the cloud
          tells what was really spent.
        </Trans>
      </p>
      <Figures key={JSON.stringify(search)} search={search} />
      {told.finals.length === 0 && (
        <p>
          <Trans>The cycle has neither a planned final nor a set for one: here are its days alone.</Trans>
        </p>
      )}
      {told.finals.map((each) => (
        <section key={each.run_id ?? each.set} aria-label={t`Final, set ${each.set}`}>
          <h2>
            <Trans>
              Final, set {each.set}: {said(each.cost)}
            </Trans>
          </h2>
          <p>
            {each.run_id ? (
              <Link to="/desk/runs/$runId" params={{ runId: each.run_id }}>
                <code>{each.run_id}</code>
              </Link>
            ) : (
              <Trans>Not planned yet: this is what its files would be as one final.</Trans>
            )}
          </p>
          <dl className={parts.facts}>
            <dt>
              <Trans>Teams</Trans>
            </dt>
            <dd>{figure(each.teams)}</dd>
            <dt>
              <Trans>of them on the event channel</Trans>
            </dt>
            <dd>{figure(each.listening)}</dd>
            <dt>
              <Trans>Files</Trans>
            </dt>
            <dd>{figure(each.files)}</dd>
          </dl>
          {each.lines.length === 0 ? (
            <p>
              <Trans>A final to which no team comes asks for nothing.</Trans>
            </p>
          ) : (
            <Lines label={t`Parts of the final, set ${each.set}`} lines={each.lines} told={told} />
          )}
        </section>
      ))}
      <section aria-labelledby="cost-days">
        <h2 id="cost-days">
          <Trans>Days of the deployment: {said(days.cost)}</Trans>
        </h2>
        <p>
          <Trans>Days: {figure(days.days)}. Timers tick and queues are asked whether anybody comes or not.</Trans>
        </p>
        <Lines label={t`Parts of the days`} lines={days.lines} told={told} />
      </section>
      <p>
        <Trans>
          How much a final asks for was counted in finals that were played (teams × files: {played}) and follows their
          size. Prices are those of the first tier, without free tiers and taxes.
        </Trans>
      </p>
    </>
  );
}

interface LinesProps {
  label: string;
  lines: Told["days"]["lines"];
  told: Told;
}

function Lines({ label, lines, told }: LinesProps) {
  const language = useLanguage();
  const prices = new Map(told.prices.map((each) => [each.kind, each]));
  return (
    <Wide label={label}>
      <thead>
        <tr>
          <th scope="col">
            <Trans>What</Trans>
          </th>
          <th scope="col">
            <Trans>How much</Trans>
          </th>
          <th scope="col">
            <Trans>Price</Trans>
          </th>
          <th scope="col">
            <Trans>Cost</Trans>
          </th>
          <th scope="col">
            <Trans>Source of the price</Trans>
          </th>
        </tr>
      </thead>
      <tbody>
        {lines.map(({ kind, count, cost }) => {
          const price = prices.get(kind);
          return (
            <tr key={kind}>
              <th scope="row">{language === "ru" ? price?.what_ru : price?.what}</th>
              <td>{numberOf(count, language)}</td>
              <td>
                {price && (
                  <Trans>
                    {money(price.price, told.currency, language)} for {numberOf(price.per, language)}
                  </Trans>
                )}
              </td>
              <td>{money(cost, told.currency, language)}</td>
              <td>
                {price?.date} · {price?.source}
              </td>
            </tr>
          );
        })}
      </tbody>
    </Wide>
  );
}

function Figures({ search }: { search: CostSearch }) {
  const navigate = useNavigate({ from: "/desk/cost" });
  const labels = {
    teams: <Trans>Teams of a final</Trans>,
    files: <Trans>Files of a final</Trans>,
    listening: <Trans>Teams on the event channel</Trans>,
    days: <Trans>Days</Trans>,
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void navigate({ search: readCost(Object.fromEntries(new FormData(event.currentTarget))) });
      }}
    >
      <p>
        <Trans>What if? Left empty, a figure is the cycle's own.</Trans>
      </p>
      {FIGURES.map(({ name, least, most }) => (
        <label key={name} className={parts.field}>
          {labels[name]}
          <input type="number" name={name} min={least} max={most} defaultValue={search[name] ?? ""} />
        </label>
      ))}
      <p>
        <Button primary type="submit">
          <Trans>Estimate</Trans>
        </Button>
      </p>
    </form>
  );
}
