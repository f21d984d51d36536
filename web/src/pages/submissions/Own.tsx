import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import type { Schemas } from "@/api/client";
import { Cabinet } from "@/pages/cabinet/Cabinet";
import { STAGES } from "@/pages/public/Stages";
import { type Cycle, useCycle } from "@/ui/contest";
import { Button } from "@/ui/controls";
import { Countdown, Moment, useNow } from "@/ui/moments";
import { Answered, Skeleton } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { NewSubmission } from "./NewSubmission";
import { useOwn } from "./questions";
import { SubmissionTable } from "./SubmissionTable";

/**
 * The team's submissions: what may still be handed in, a new one, and how far the others are.
 *
 * Clause: TS T13, TS F-5, platform §8 cabinet
 */
export function Own() {
  const { t } = useLingui();
  return <Cabinet title={t`Submissions`}>{(team) => <Inside isApproved={team.status === "approved"} />}</Cabinet>;
}

function Inside({ isApproved }: { isApproved: boolean }) {
  const cycle = useCycle();
  if (!cycle) return <Skeleton lines={6} />;
  if (cycle.submissions.length === 0) return <NotTaken />;
  return (
    <>
      {isApproved ? (
        <NewSubmission cycle={cycle} />
      ) : (
        <p>
          <Trans>
            A team submits when the organizers have admitted it. <Link to="/cabinet">The cabinet</Link> says how far
            that is.
          </Trans>
        </p>
      )}
      <List cycle={cycle} />
    </>
  );
}

function NotTaken() {
  return (
    <p>
      <Trans>
        This contest takes no submissions: programs answer in <Link to="/cabinet/sessions">sessions</Link>.
      </Trans>
    </p>
  );
}

function List({ cycle }: { cycle: Cycle }) {
  const pages = useOwn();
  return (
    <Answered of={pages}>
      {({ pages: told }) => {
        const all = told.flatMap((each) => each.submissions);
        return (
          <>
            {told[0]?.left_today && <Left of={told[0].left_today} cycle={cycle} />}
            <h2>
              <Trans>The team's submissions</Trans>
            </h2>
            {all.length === 0 ? (
              <p>
                <Trans>
                  None yet. Choose a file above, or give it to the kit: <code>pku submit FILE</code>.
                </Trans>
              </p>
            ) : (
              <SubmissionTable
                of={all}
                link={(submissionId) => (
                  <Link to="/cabinet/submissions/$submissionId" params={{ submissionId }}>
                    {submissionId}
                  </Link>
                )}
              />
            )}
            {pages.hasNextPage && (
              <Button isDisabled={pages.isFetchingNextPage} onPress={() => void pages.fetchNextPage()}>
                <Trans>Earlier submissions</Trans>
              </Button>
            )}
            {cycle.submissions.includes("program") && (
              <p>
                <Link to="/cabinet/private-test">
                  <Trans>The private test: final boards and prizes</Trans>
                </Link>
              </p>
            )}
          </>
        );
      }}
    </Answered>
  );
}

/** What may still be handed in today, and until when anything may be. */
function Left({ of, cycle }: { of: Schemas["LeftBody"]; cycle: Cycle }) {
  const { i18n } = useLingui();
  const now = useNow(60_000);
  const stage = cycle.stages.find((each) => Date.parse(each.starts_at) <= now && now < Date.parse(each.ends_at));
  const name = stage && i18n._(STAGES[stage.name]);
  return (
    <section aria-labelledby="left-title">
      <h2 id="left-title">
        <Trans>Left today</Trans>
      </h2>
      <ul>
        <li>
          <Plural value={of.scored} one="# submission that is scored" other="# submissions that are scored" />
        </li>
        <li>
          <Plural
            value={of.unscored}
            one="# submission that comes to no score (refused or failed)"
            other="# submissions that come to no score (refused or failed)"
          />
        </li>
      </ul>
      {(of.scored === 0 || of.unscored === 0) && (
        <p className={parts.void}>
          <Trans>
            No more can be handed in today. A file that is brought now can be handed in when the next day begins.
          </Trans>
        </p>
      )}
      <p>
        <Trans>
          The next day of the contest begins in <Countdown to={of.resets_at} />. A submission counts for the day on
          which it was handed in; what the platform fails at counts nowhere. One of a team is under way at a time.
        </Trans>
      </p>
      {stage && (
        <p>
          <Trans>
            The stage {name} ends <Moment at={stage.ends_at} />, in <Countdown to={stage.ends_at} />.
          </Trans>
        </p>
      )}
    </section>
  );
}
