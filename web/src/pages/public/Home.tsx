import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Answered } from "@/ui/Answered";
import { type Cycle, cycleQuery, inLanguage, useLanguage } from "@/ui/cycle";
import { Page } from "@/ui/Page";
import { NextDate, Stages } from "./Stages";

/** What this is, when, and who leads. */
export function Home() {
  const { t } = useLingui();
  const language = useLanguage();
  const cycle = useQuery(cycleQuery);
  return (
    <Page title={cycle.data ? inLanguage(cycle.data.name, language) : t`The contest`}>
      <p>
        <strong>
          <Trans>Is any program as good as the people who do this work?</Trans>
        </strong>{" "}
        <Trans>
          Programs answer files that open for everybody at the same instant, and are measured against experts, who are
          measured against each other in the same way. A relative accuracy of 100 % overcomes the barrier.
        </Trans>
      </p>
      <Answered of={cycle}>{(told) => <Dates cycle={told} />}</Answered>
    </Page>
  );
}

function Dates({ cycle }: { cycle: Cycle }) {
  return (
    <>
      <NextDate cycle={cycle} />
      <Stages cycle={cycle} />
    </>
  );
}
