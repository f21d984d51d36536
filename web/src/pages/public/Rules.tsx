import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { Fragment, useEffect } from "react";
import { get } from "@/api/client";
import {
  anchorOf,
  type Cycle,
  cycleQuery,
  type Declared,
  inLanguage,
  numberOf,
  useAllCited,
  useBoards,
  useClauseText,
  useDeclared,
  useLanguage,
} from "@/ui/contest";
import { PageLink } from "@/ui/controls";
import { inUnit, limitShare } from "@/ui/numbers";
import { Answered, Moment, Page } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Table } from "@/ui/Table";

/** Key of the board in contests that measure programs against experts. */
const RELATIVE = "relative_accuracy";

/** Show the rules in force: the cycle's figures with their effective date, and the platform's own documents. */
export function Rules() {
  const { t } = useLingui();
  const cycle = useQuery(cycleQuery);
  return (
    <Page title={t`Rules`}>
      {cycle.data && <Regulation cycle={cycle.data} />}
      <h2 id="how">{t`How programs are measured`}</h2>
      <Measures />
      <h2 id="figures">{t`Figures in force`}</h2>
      <Answered of={cycle}>{(data) => <Figures cycle={data} />}</Answered>
      <h2 id="versions">{t`Versions`}</h2>
      <p>
        <Trans>
          A change is <Link to="/announcements">announced</Link> before it takes effect; open sessions keep the version
          that they began with.
        </Trans>
      </p>
      <Answered asks={get("/v1/parameters", {})}>
        {(data) => (
          <ul>
            {data.versions.map((version) => (
              <li key={version.version}>
                <Trans>
                  Version {version.version}, announced <Moment at={version.announced_at} />
                </Trans>
                {version.effective_at && (
                  <>
                    {", "}
                    <Trans>
                      in force from <Moment at={version.effective_at} />
                    </Trans>
                  </>
                )}
              </li>
            ))}
          </ul>
        )}
      </Answered>
      <Clauses />
      <h2 id="documents">{t`Documents`}</h2>
      <ul>
        <li>
          <a href="/docs">{t`The interface for programs`}</a>
        </li>
        <li>
          <a href="/docs/errors">{t`Every refusal, with an example and what to do`}</a>
        </li>
        {cycle.data?.track === "essay" && (
          <li>
            <a href="/v1/classifier">{t`The classifier: every code with its description (JSON)`}</a>
          </li>
        )}
        <li>
          <a href="/v1/keys">{t`The public keys of receipts and runs (JSON)`}</a>
        </li>
        <li>
          <a href="/v1/openapi.json">{t`The interface as an OpenAPI document (JSON)`}</a>
        </li>
      </ul>
    </Page>
  );
}

/** List the clauses that the site cites, each with its own anchor. */
function Clauses() {
  const { t } = useLingui();
  const all = useAllCited();
  const text = useClauseText();
  const hash = useLocation({ select: (at) => at.hash });
  const isThere = all.length > 0;
  useEffect(() => {
    // The browser looked for the anchor before the cycle came and the clauses were listed.
    if (isThere && hash) document.getElementById(hash)?.scrollIntoView();
  }, [isThere, hash]);
  return (
    isThere && (
      <>
        <h2 id="clauses">{t`Clauses of the regulation that this site cites`}</h2>
        <p>{t`Each clause in short; only the regulation itself is binding.`}</p>
        <dl className={parts.facts}>
          {all.map((clause) => (
            <Fragment key={clause}>
              <dt id={anchorOf(clause)}>
                <a href={`#${anchorOf(clause)}`}>{numberOf(clause)}</a>
              </dt>
              <dd>{text(clause)}</dd>
            </Fragment>
          ))}
        </dl>
      </>
    )
  );
}

/** Link to the regulation's text, if the cycle has it, and to the knowledge base. */
function Regulation({ cycle }: { cycle: Cycle }) {
  const { t } = useLingui();
  const language = useLanguage();
  const text = cycle.pages.find(({ name }) => name === "rules");
  return (
    <p>
      {text && (
        <>
          <PageLink to="/knowledge/$name" id={text.name}>
            {inLanguage(text.title, language)}
          </PageLink>
          {", "}
          <Trans>
            in force from <Moment at={text.versions.at(-1)?.at ?? ""} />
          </Trans>
          {" · "}
        </>
      )}
      <Link to="/knowledge">{t`Knowledge base`}</Link>
      {" · "}
      <Link to="/cycles">{t`Earlier cycles`}</Link>
    </p>
  );
}

const UNITS = { share: msg`a share, from 0 to 1`, percent: msg`per cent`, points: msg`points` };

/** Show the measure declared by the organizers: its unit, direction, barrier and the program that computes it. */
function DeclaredMeasure({ of: { unit, better, barrier, program } }: { of: Declared }) {
  const { i18n, t } = useLingui();
  const language = useLanguage();
  const boards = useBoards().data?.boards ?? [];
  const inWords = i18n._(UNITS[unit]);
  return (
    <ul>
      <li>
        {boards[0] && inLanguage(boards[0].title, language)}: {inWords},{" "}
        {better === "lower" ? t`the lower value is the better one` : t`the higher value is the better one`}
      </li>
      <li>
        {barrier === "people" && t`The barrier: people's answers, measured in the same way, have to be bettered`}
        {barrier === null && <Trans>There is no barrier</Trans>}
        {typeof barrier === "number" && <Trans>The barrier: {inUnit(barrier, unit, language)} has to be reached</Trans>}
      </li>
      <li>
        <Trans>
          Computed by {program.file} {program.version}, SHA-256
        </Trans>{" "}
        <code title={program.sha256}>{program.sha256.slice(0, 12)}…</code>
      </li>
    </ul>
  );
}

/** Show the measures by which programs are ranked: relative accuracy, or those of the contest's boards. */
function Measures() {
  const language = useLanguage();
  const boards = useBoards().data?.boards ?? [];
  const declared = useDeclared();
  if (declared) return <DeclaredMeasure of={declared} />;
  if (boards[0]?.key === RELATIVE) {
    return (
      <p>
        <Trans>
          STAR is the accuracy of a program against the experts, STER that of the experts against each other, OTAR their
          ratio in per cent. An OTAR of 100 % or more overcomes the barrier.
        </Trans>
      </p>
    );
  }
  return (
    <ul>
      {boards.map(({ key, title, measure, levels, unit }) => (
        <li key={key}>
          {inLanguage(title, language)}: {inLanguage(measure, language)}
          {levels.map((level) => (
            <span key={level.title.en}>
              {" · "}
              {inLanguage(level.title, language)} {inUnit(level.value, unit, language)}
            </span>
          ))}
        </li>
      ))}
    </ul>
  );
}

function Figures({ cycle }: { cycle: Cycle }) {
  const { t } = useLingui();
  const language = useLanguage();
  const { parameters, limits } = cycle;
  const number = (value: number) => new Intl.NumberFormat(language).format(value);
  const share = limitShare(parameters.readiness_min_share, language);
  const qualifies = cycle.modes.some(({ mode }) => mode === "technical");
  const kinds: Record<string, string> = { training: t`training`, test: t`test`, final: t`final` };
  const rows: [string, string][] = [
    [t`Sessions of a team a day`, number(parameters.sessions_per_day)],
    ...Object.entries(parameters.sessions_per_day_on ?? {}).map(([kind, most]): [string, string] => {
      const name = kinds[kind] ?? kind;
      return [t`Sessions of a team a day, sets of the kind: ${name}`, number(most)];
    }),
    [t`Seconds for an answer`, `${number(parameters.time_limit_s.min)}–${number(parameters.time_limit_s.max)}`],
    [t`Seconds of silence that end a session`, number(parameters.idle_timeout_s)],
    [t`Answers to a file that are evaluated`, number(parameters.sends_per_file)],
    [t`Requests of a team in a second`, number(parameters.requests_per_second)],
    [t`Bytes of an answer`, number(limits.answer_bytes)],
    ...(qualifies
      ? ([
          [t`Ready for a final: files of a session, at least`, number(parameters.readiness_min_files)],
          [t`Ready for a final: validly answered, at least`, share],
        ] satisfies [string, string][])
      : []),
    [t`Final: seconds to ask for an open file`, number(parameters.final.request_s)],
    [t`Final: seconds for an answer`, number(parameters.final.answer_s)],
    [t`Final: seconds from the opening to the answer`, number(parameters.final.total_s)],
  ];
  return (
    <Table
      rows={rows}
      rowKey={([name]) => name}
      columns={[{ cell: ([name]) => name }, { cell: ([, value]) => value }]}
    />
  );
}
