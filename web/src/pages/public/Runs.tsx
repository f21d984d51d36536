import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Schemas } from "@/api/client";
import { EVERY, get } from "@/api/queries";
import { Moment } from "@/ui/moments";
import { Answered, Page } from "@/ui/Page";

export type Run = Schemas["RunBody"];

export const runsQuery = get("/v1/runs", {}, EVERY.idle);

export const MODES: Record<Run["mode"], MessageDescriptor> = {
  algorithmic: msg`Algorithmic session`,
  technical: msg`Technical qualification`,
  final: msg`Final`,
};

/** With a context: in other rooms the same words are said of sessions, in other forms. */
export const STATES: Record<Run["state"], MessageDescriptor> = {
  planned: msg({ message: "planned", context: "run" }),
  running: msg({ message: "running", context: "run" }),
  paused: msg({ message: "paused", context: "run" }),
  finished: msg({ message: "finished", context: "run" }),
  stopped: msg({ message: "stopped", context: "run" }),
};

/**
 * Everything that opened, or will open, for everybody at once.
 *
 * Clause: R 7.16.2
 */
export function Runs() {
  const { i18n, t } = useLingui();
  const runs = useQuery(runsQuery);
  return (
    <Page title={t`Runs`}>
      <p>
        <Trans>
          A run opens the same files for everybody at the same instants. Its files and schedule are committed to,
          signed, before it begins; afterwards anybody can check that nothing was changed.
        </Trans>
      </p>
      <Answered of={runs}>
        {(told) =>
          told.runs.length === 0 ? (
            <p>
              <Trans>
                No run yet. Technical qualifications and finals stand here from the moment they are planned, with their
                signed commitment.
              </Trans>
            </p>
          ) : (
            <ul>
              {told.runs.map((run) => (
                <li key={run.run_id}>
                  <Link to="/runs/$runId" params={{ runId: run.run_id }}>
                    {i18n._(MODES[run.mode])} · <Moment at={run.starts_at} />
                  </Link>
                  {" · "}
                  {i18n._(STATES[run.state])}
                  {" · "}
                  <Plural value={run.files} one="# file" other="# files" />
                  {run.trial && (
                    <>
                      {" · "}
                      <Trans>a trial, counts nowhere</Trans>
                    </>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Answered>
    </Page>
  );
}
