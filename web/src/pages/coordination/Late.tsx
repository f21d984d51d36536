import { Trans } from "@lingui/react/macro";
import { useGroupName } from "@/ui/contest";
import { Moment } from "@/ui/moments";
import parts from "@/ui/parts.module.css";
import { type Progress, useNames } from "./data";

/** Essays whose time ran out without a markup and that nobody has now. */
export function Late({ of }: { of: Progress }) {
  const nameOf = useNames();
  const titleOf = useGroupName();
  const late = of.essays.filter((each) => each.late);
  return (
    <section aria-labelledby="late-title">
      <h2 id="late-title">
        <Trans>Late</Trans>
      </h2>
      {late.length === 0 ? (
        <p className={parts.good}>
          <Trans>Nothing is late.</Trans>
        </p>
      ) : (
        <ul>
          {late.map((essay) => (
            <li key={essay.item_id}>
              <b>{essay.item_id}</b> {titleOf(essay.subject)}:{" "}
              {essay.assignments
                .filter((each) => each.state === "expired" && each.markup === null)
                .map((each) => (
                  <span key={each.assignment_id}>
                    {nameOf(each.expert_id)}
                    {each.ended_at && (
                      <>
                        , <Moment at={each.ended_at} />
                      </>
                    )}{" "}
                  </span>
                ))}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
