import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import type { Schemas } from "@/api/client";
import { ApiError } from "@/api/problem";
import { EVERY, get } from "@/api/queries";
import { useSession } from "@/auth/hooks";
import { isForbidden } from "@/shell/AskedPage";
import { Forbidden } from "@/shell/Failures";
import { Page, Problem, Skeleton } from "@/ui/Page";
import { recallRound, rememberRound } from "./database";
import { keepPage } from "./keepPage";
import { Round } from "./Round";
import { isAway } from "./server";
import { Unkept } from "./Unkept";

type RoundBody = Schemas["RoundBody"];
const ASKED = get("/v1/round", {}, EVERY.idle);

/**
 * A clinician's round: the present one, or what to wait for.
 *
 * Clause: TS D-10, D 9.10.8.3, D 9.10.8.7
 */
export function RoundPage() {
  const { t } = useLingui();
  useEffect(keepPage, []);
  const session = useSession();
  const client = useQueryClient();
  const found = useQuery({ ...ASKED, enabled: session.state !== "coming" });
  const noNetwork = session.state === "coming" && session.away === true;
  const kept = useKeptRound(noNetwork || isAway(found.error));
  const [failed, setFailed] = useState<unknown>(null);
  const shown = useCallback((round: RoundBody) => client.setQueryData(ASKED.queryKey, round), [client]);
  const { data } = found;
  useEffect(() => {
    if (data) rememberRound(data).catch(setFailed);
  }, [data]);
  const nothing = found.error instanceof ApiError && found.error.code === "no_round";
  const round = nothing ? undefined : (data ?? kept);
  if (isForbidden(found.error) && !round) return <Forbidden error={found.error} />;
  if (round) {
    const { round: number, rounds, system } = round;
    return (
      <Page title={t`Round ${number} of ${rounds}: program ${system}`}>
        {failed !== null && <Unkept />}
        <Round
          // Another round is other work.
          key={keyOf(round)}
          id={keyOf(round)}
          round={round}
          online={data !== undefined}
          shown={shown}
          refresh={() => void found.refetch()}
          failed={setFailed}
        />
      </Page>
    );
  }
  return (
    <Page title={t`My round`}>
      {nothing ? (
        <p role="status">
          <Trans>
            No round is open for you now. The organizers open rounds one after another; yours will stand here by itself,
            within half a minute. You need not reload this page.
          </Trans>
        </p>
      ) : found.error && kept !== undefined ? (
        <Problem error={found.error} retry={() => void found.refetch()} />
      ) : (
        <Skeleton lines={12} />
      )}
    </Page>
  );
}

/** What a round is kept by: nobody else has the same name in the round that ends then. */
function keyOf({ until, person }: RoundBody): string {
  return `round ${until} ${person}`;
}

/** The round that this device kept, if its time is not over; undefined until it has been looked up. */
function useKeptRound(wanted: boolean): RoundBody | null | undefined {
  const [kept, setKept] = useState<RoundBody | null | undefined>(undefined);
  useEffect(() => {
    if (!wanted) return;
    recallRound().then(
      (found) => setKept(found && Date.parse(found.until) > Date.now() ? found : null),
      () => setKept(null),
    );
  }, [wanted]);
  return wanted ? kept : null;
}
