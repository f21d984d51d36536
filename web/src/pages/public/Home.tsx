import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Cycle, cycleQuery, inLanguage, useLanguage } from "@/ui/contest";
import { Answered, Page } from "@/ui/Page";
import { Board } from "./Board";
import { useBoard } from "./boardData";
import { runsQuery } from "./Runs";
import { NextDate, Stages } from "./Stages";

const TOP = 5;
const HUNDRED = 100;

/** What this is, when, and who leads. */
export function Home() {
  const { t } = useLingui();
  const language = useLanguage();
  const cycle = useQuery(cycleQuery);
  const board = useBoard({ final: false, by: "all", run: undefined });
  return (
    <Page title={cycle.data ? inLanguage(cycle.data.name, language) : t`The contest`}>
      <p>
        <strong>
          <Trans>Is any program as good as the people who do this work?</Trans>
        </strong>{" "}
        <Trans>
          Programs answer files that open for everybody at the same instant, and are measured against experts, who are
          measured against each other in the same way.
        </Trans>{" "}
        {board.data?.board.barrier === HUNDRED && <Trans>A relative accuracy of 100 % overcomes the barrier.</Trans>}
      </p>
      <Answered of={cycle}>{(told) => <Dates cycle={told} />}</Answered>
      <h2>
        <Trans>Leaderboard of the qualification</Trans>
      </h2>
      <Answered of={board}>{(told) => <Board board={told} points={[]} top={TOP} />}</Answered>
      <p>
        <Link to="/boards">
          <Trans>All places, by language and with every detail</Trans>
        </Link>
      </p>
      <p>
        <Link to="/take-part">
          <Trans>Take part in ten minutes</Trans>
        </Link>
      </p>
    </Page>
  );
}

function Dates({ cycle }: { cycle: Cycle }) {
  const runs = useQuery(runsQuery);
  return (
    <>
      <NextDate cycle={cycle} runs={runs.data?.runs ?? []} />
      {cycle.stages.length > 0 && <Stages cycle={cycle} />}
    </>
  );
}
