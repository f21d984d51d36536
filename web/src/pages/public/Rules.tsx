import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { get } from "@/api/queries";
import { Answered } from "@/ui/Answered";
import { type Cycle, cycleQuery, useLanguage } from "@/ui/cycle";
import { Moment } from "@/ui/Moment";
import { Page } from "@/ui/Page";

/** What holds now: the figures of the cycle, since when, and the documents that the platform gives itself. */
export function Rules() {
  const { t } = useLingui();
  const cycle = useQuery(cycleQuery);
  const versions = useQuery(get("/v1/parameters", {}));
  return (
    <Page title={t`Rules`}>
      <h2 id="how">
        <Trans>How programs are measured</Trans>
      </h2>
      <p>
        <Trans>
          STAR is the accuracy of a program against the experts, STER that of the experts against each other, OTAR their
          ratio in per cent. An OTAR of 100 % or more overcomes the barrier.
        </Trans>
      </p>
      <h2 id="figures">
        <Trans>Figures in force</Trans>
      </h2>
      <Answered of={cycle}>{(told) => <Figures cycle={told} />}</Answered>
      <h2 id="versions">
        <Trans>Versions</Trans>
      </h2>
      <p>
        <Trans>
          A change is <Link to="/announcements">announced</Link> before it takes effect; open sessions keep the version
          that they began with.
        </Trans>
      </p>
      <Answered of={versions}>
        {(told) => (
          <ul>
            {told.versions.map((version) => (
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
      <h2 id="documents">
        <Trans>Documents</Trans>
      </h2>
      <ul>
        <li>
          <a href="/docs">{t`The interface for programs`}</a>
        </li>
        <li>
          <a href="/docs/errors">{t`Every refusal, with an example and what to do`}</a>
        </li>
        <li>
          <a href="/v1/classifier">{t`The classifier: every code with its description (JSON)`}</a>
        </li>
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

function Figures({ cycle }: { cycle: Cycle }) {
  const { t } = useLingui();
  const language = useLanguage();
  const { parameters, limits } = cycle;
  const number = (value: number) => new Intl.NumberFormat(language).format(value);
  const share = new Intl.NumberFormat(language, { style: "percent" }).format(parameters.readiness_min_share);
  const rows: [string, string][] = [
    [t`Sessions of a team a day`, number(parameters.sessions_per_day)],
    [t`Seconds for an answer`, `${number(parameters.time_limit_s.min)}–${number(parameters.time_limit_s.max)}`],
    [t`Seconds of silence that end a session`, number(parameters.idle_timeout_s)],
    [t`Answers to a file that are looked at`, number(parameters.sends_per_file)],
    [t`Requests of a team in a second`, number(parameters.requests_per_second)],
    [t`Bytes of an answer`, number(limits.answer_bytes)],
    [t`Ready for a final: files of a session, at least`, number(parameters.readiness_min_files)],
    [t`Ready for a final: validly answered, at least`, share],
    [t`Final: seconds to ask for an open file`, number(parameters.final.request_s)],
    [t`Final: seconds for an answer`, number(parameters.final.answer_s)],
    [t`Final: seconds from the opening to the answer`, number(parameters.final.total_s)],
  ];
  return (
    <table>
      <tbody>
        {rows.map(([name, value]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
