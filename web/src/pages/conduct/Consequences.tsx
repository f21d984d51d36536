import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useTeamName } from "@/pages/desk/teamNames";
import { useLanguage } from "@/ui/contest";
import { TimeOfDay } from "@/ui/moments";
import { share } from "@/ui/numbers";
import parts from "@/ui/parts.module.css";
import { Wide } from "@/ui/Wide";
import type { Preview } from "./data";
import { sayNumbers } from "./fileNumbers";

/** What a decision would change, as the platform computed it: nothing is written yet. */
export function Consequences({ of }: { of: Preview }) {
  const changed = of.teams.filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after));
  return (
    <>
      <p>
        <Trans>
          It would hold from <TimeOfDay at={of.effective_at} />.
        </Trans>
      </p>
      <Moved of={of.moved} />
      {of.ends.length > 0 && (
        <p>
          <Plural value={of.ends.length} one="# open session would end." other="# open sessions would end." />
        </p>
      )}
      {changed.length === 0 ? (
        <p>
          <Trans>No team would lose or regain a file.</Trans>
        </p>
      ) : (
        <Teams of={changed} />
      )}
    </>
  );
}

function Moved({ of }: { of: Preview["moved"] }) {
  const { t } = useLingui();
  const [first] = of;
  if (!first) {
    return (
      <p>
        <Trans>No opening would move.</Trans>
      </p>
    );
  }
  return (
    <details open={of.length <= 3}>
      <summary>
        <Plural value={of.length} one="# opening would move" other="# openings would move" />
      </summary>
      <Wide label={t`Openings that would move`}>
        <thead>
          <tr>
            <th scope="col">{t`File`}</th>
            <th scope="col">{t`Now`}</th>
            <th scope="col">{t`Then`}</th>
          </tr>
        </thead>
        <tbody>
          {of.map(({ number, before, after }) => (
            <tr key={number}>
              <th scope="row">{number}</th>
              <td>{before ? <TimeOfDay at={before} /> : "—"}</td>
              <td>{after ? <TimeOfDay at={after} /> : "—"}</td>
            </tr>
          ))}
        </tbody>
      </Wide>
    </details>
  );
}

function Teams({ of }: { of: Preview["teams"] }) {
  const nameOf = useTeamName();
  const { t } = useLingui();
  return (
    <Wide label={t`Teams for whom something would change`}>
      <thead>
        <tr>
          <th scope="col">{t`Team`}</th>
          <th scope="col">{t`Now`}</th>
          <th scope="col">{t`Then`}</th>
        </tr>
      </thead>
      <tbody>
        {of.map(({ team_id: team, session_id: session, before, after }) => (
          <tr key={session}>
            <th scope="row">{nameOf(team)}</th>
            <td>
              <Lost of={before} />
            </td>
            <td>
              <Lost of={after} />
            </td>
          </tr>
        ))}
      </tbody>
    </Wide>
  );
}

function Lost({ of }: { of: Preview["teams"][number]["before"] }) {
  const missed = share(of.voided_share, useLanguage());
  const numbers = sayNumbers(of.voided);
  return (
    <>
      {of.voided.length === 0 ? <Trans>nothing void</Trans> : <Trans>void: {numbers}</Trans>};{" "}
      <Trans>missed {missed}</Trans>
      {of.solution_voided && (
        <>
          {"; "}
          <strong className={parts.void}>
            <Trans>annulled as a whole</Trans>
          </strong>
        </>
      )}
    </>
  );
}
