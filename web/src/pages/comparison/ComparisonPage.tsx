import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useParams, useSearch } from "@tanstack/react-router";
import { AskedPage } from "@/shell/AskedPage";
import { type Beside, isBeside, isCompared, type Scoring, useCompared } from "./comparisonData";
import { Shown } from "./Shown";
import { Told } from "./Told";

/** Markups of one essay beside each other: where they differ, of which kind, and what each difference cost. */
export function ComparisonPage() {
  const { t } = useLingui();
  const { sessionId, number } = useParams({ from: "/sessions/$sessionId/files/$number/comparison" });
  const { x, y } = useSearch({ from: "/sessions/$sessionId/files/$number/comparison" });
  const file = { sessionId, number: Number(number) };
  const found = useCompared(file, { x, y });
  const answered = found.data && isBeside(found.data) ? found.data : null;
  const title =
    answered && !isCompared(answered)
      ? t`File ${number}: the answer beside the references`
      : t`File ${number}: comparison of markups`;
  return (
    <AskedPage title={title} of={found}>
      {(answer) => {
        if (!isBeside(answer)) return <InTheMaking scoring={answer as Scoring} />;
        if (!isCompared(answer)) return <OtherContest of={answer} />;
        const pair = answer.comparisons[0];
        return pair ? <Shown file={file} of={answer} pair={pair} /> : <NothingToCompare />;
      }}
    </AskedPage>
  );
}

/** The answer of a contest without markups beside what is right, and what it was worth. */
function OtherContest({ of: { answer, experts, score } }: { of: Beside }) {
  const { t } = useLingui();
  const references = experts.map((each, place) => [t`Reference ${place + 1}`, each] as const);
  return <Told of={[[t`Answer`, answer], ...references, [t`Score`, score]]} />;
}

function InTheMaking({ scoring }: { scoring: Scoring }) {
  const { scored, files } = scoring;
  return (
    <p role="status">
      {scoring.status === "rating" ? (
        <Trans>Experts still rate the explanations; the comparison shows here by itself.</Trans>
      ) : (
        <Trans>
          Scoring goes on: {scored} of <Plural value={files} one="# file" other="# files" /> scored. The comparison
          shows here by itself.
        </Trans>
      )}
    </p>
  );
}

function NothingToCompare() {
  return (
    <p>
      <Trans>No expert's markup of this file is here yet, so there is nothing to compare it with.</Trans>
    </p>
  );
}
