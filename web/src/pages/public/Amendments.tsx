import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { CAUSES } from "@/ui/contest";
import { Moment } from "@/ui/moments";
import type { Run } from "./Runs";

type Amendment = Run["amendments"][number];
type Ruling = Run["rulings"][number];

export const AMENDMENTS: Record<Amendment["amendment"]["amendment"], MessageDescriptor> = {
  pause: msg`Pause`,
  resume: msg`Resumption`,
  stop: msg`Stop`,
  void: msg`Files void for everybody`,
  replace: msg`Files replaced`,
  admit: msg`A late team admitted`,
  undo: msg`A decision taken back`,
  sealed: msg`A ruling on one team's file; what it says, the record tells`,
};

/** The organizers' signed decisions about a run, sealed ones with what they say as soon as that is told. */
export function Amendments({ amendments, rulings }: { amendments: readonly Amendment[]; rulings: readonly Ruling[] }) {
  const { i18n } = useLingui();
  if (amendments.length === 0) return null;
  return (
    <>
      <h2>
        <Trans>Decisions</Trans>
      </h2>
      <ol>
        {amendments.map(({ amendment }) => (
          <li key={amendment.number} value={amendment.number}>
            <strong>{i18n._(AMENDMENTS[amendment.amendment])}</strong>, <Moment at={amendment.effective_at} />
            {amendment.reason && `: ${amendment.reason}`}
            {rulings
              .filter((each) => each.number === amendment.number)
              .map((each) => (
                <Opened key={each.number} ruling={each} />
              ))}
          </li>
        ))}
      </ol>
    </>
  );
}

/** What was ruled on one team's file. */
function Opened({ ruling: { details, reason } }: { ruling: Ruling }) {
  const { i18n } = useLingui();
  if (!("cause" in details)) {
    return (
      <>
        {": "}
        <Trans>
          ruling {details.amendment} is taken back: {reason}
        </Trans>
      </>
    );
  }
  const { team_id: team, number, cause } = details;
  return (
    <>
      {": "}
      <Trans>
        {team}, file {number}: the cause is “{i18n._(CAUSES[cause])}”. {reason}
      </Trans>
    </>
  );
}
