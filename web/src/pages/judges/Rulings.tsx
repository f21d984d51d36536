import { Trans } from "@lingui/react/macro";
import type { Schemas } from "@/api/client";
import { Moment } from "@/ui/moments";
import parts from "@/ui/parts.module.css";

type Ruling = Schemas["RulingBody"];

/** Every step of judges and commission, the first one first. */
export function Rulings({ of }: { of: readonly Ruling[] }) {
  if (of.length === 0) {
    return (
      <p>
        <Trans>Nobody has ruled on it yet.</Trans>
      </p>
    );
  }
  return (
    <ol>
      {of.map((each) => (
        <li key={each.at}>
          <Moment at={each.at} /> · <Said ruling={each} />
          <br />
          {each.reason}
          {!each.counts && (
            <p className={parts.void}>
              <Trans>It was about an earlier report and counts no more.</Trans>
            </p>
          )}
        </li>
      ))}
    </ol>
  );
}

function Said({ ruling }: { ruling: Ruling }) {
  if (ruling.step === "judgement") {
    return ruling.positive ? <Trans>the judges confirmed</Trans> : <Trans>the judges rejected</Trans>;
  }
  return ruling.positive ? <Trans>the commission verified</Trans> : <Trans>the commission returned it</Trans>;
}
