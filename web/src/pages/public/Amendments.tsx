import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Moment } from "@/ui/Moment";
import type { Run } from "./Runs";

type Amendment = Run["amendments"][number];

export const AMENDMENTS: Record<Amendment["amendment"]["amendment"], MessageDescriptor> = {
  pause: msg`Pause`,
  resume: msg`Resumption`,
  stop: msg`Stop`,
  void: msg`Files void for everybody`,
  replace: msg`Files replaced`,
  admit: msg`A late team admitted`,
  undo: msg`A decision taken back`,
};

/** The organizers' signed decisions about a run. */
export function Amendments({ amendments }: { amendments: readonly Amendment[] }) {
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
          </li>
        ))}
      </ol>
    </>
  );
}
