import { Trans } from "@lingui/react/macro";
import { useCycleZone, useLanguage } from "@/ui/contest";
import { moment } from "@/ui/time";

interface RunChoiceProps {
  runs: readonly { run_id: string; starts_at: string; set: string }[];
  run: string;
  choose(run: string): void;
}

/** Which run a page is about, by its start in the reader's zone and its set. */
export function RunChoice({ runs, run, choose }: RunChoiceProps) {
  const language = useLanguage();
  const zone = useCycleZone();
  return (
    <label>
      <Trans>Run</Trans>
      <select value={run} onChange={(event) => choose(event.currentTarget.value)}>
        {runs.map((each) => (
          <option key={each.run_id} value={each.run_id}>
            {moment(Date.parse(each.starts_at), language, zone).own} · {each.set}
          </option>
        ))}
      </select>
    </label>
  );
}
