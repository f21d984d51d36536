import { Trans, useLingui } from "@lingui/react/macro";
import { causeWord } from "@/pages/cabinet/words";
import { useTeamName } from "@/pages/desk/teamNames";
import { Author } from "@/ui/audit";
import { Button } from "@/ui/controls";
import { TimeOfDay } from "@/ui/moments";
import { Wide } from "@/ui/Wide";
import { type ConductedRun, type Decided, KINDS } from "./data";
import { sayNumbers } from "./fileNumbers";

/** Every decision about a run: who, when, why; each that may be taken back can be. */
export function Decisions({ run, undo }: { run: ConductedRun; undo: ((amendment: number) => void) | null }) {
  const { i18n, t } = useLingui();
  const undone = run.amendments.filter(({ kind }) => kind === "undo").map(({ details }) => details.amendment);
  return (
    <section aria-labelledby="decisions-title">
      <h2 id="decisions-title">
        <Trans>Decisions</Trans>
      </h2>
      {run.amendments.length === 0 ? (
        <p>
          <Trans>Nothing was decided about this run since it was planned.</Trans>
        </p>
      ) : (
        <Wide label={t`Table of decisions`}>
          <thead>
            <tr>
              <th scope="col">{t`№`}</th>
              <th scope="col">{t`Decision`}</th>
              <th scope="col">{t`Holds from`}</th>
              <th scope="col">{t`Who`}</th>
              <th scope="col">{t`Reason`}</th>
              {undo && (
                <th scope="col">
                  <span className="sr-only">{t({ message: "Take back", context: "decision" })}</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {run.amendments.map((each) => (
              <tr key={each.number}>
                <th scope="row">{each.number}</th>
                <td>
                  {i18n._(KINDS[each.kind])} <Details of={each} />
                  {undone.includes(each.number) && (
                    <>
                      {" "}
                      <em>
                        <Trans>(taken back)</Trans>
                      </em>
                    </>
                  )}
                </td>
                <td>
                  <TimeOfDay at={each.effective_at} />
                </td>
                <td>
                  <Author of={each.who} name={each.name} />
                </td>
                <td>{each.reason}</td>
                {undo && (
                  <td>
                    {each.kind !== "undo" && !undone.includes(each.number) && (
                      <Button aria-label={t`Take back… (decision ${each.number})`} onPress={() => undo(each.number)}>
                        <Trans context="decision">Take back…</Trans>
                      </Button>
                    )}
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </Wide>
      )}
    </section>
  );
}

/** What the kind says more. */
function Details({ of }: { of: Decided }) {
  const nameOf = useTeamName();
  const { i18n } = useLingui();
  const { numbers, team_id: team, number, cause, amendment } = of.details;
  if (Array.isArray(numbers)) return sayNumbers(numbers as number[]);
  if (typeof cause === "string") return `${nameOf(String(team))} ${number}: ${i18n._(causeWord(cause))}`;
  return typeof amendment === "number" ? `№ ${amendment}` : null;
}
