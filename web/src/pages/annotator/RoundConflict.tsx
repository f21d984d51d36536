import { Trans, useLingui } from "@lingui/react/macro";
import type { Schemas } from "@/api/client";
import type { Fragment } from "@/text/markup";
import { toReview } from "@/text/review";
import { inLanguage, useLanguage } from "@/ui/contest";
import { Button } from "@/ui/controls";
import styles from "./annotator.module.css";

type Questions = Schemas["RoundBody"]["questions"];

interface ConflictProps {
  questions: Questions;
  own: readonly Fragment[];
  theirs: readonly Fragment[];
  settle: (choice: "mine" | "theirs") => void;
}

/** Two reviews of one round, from two devices, and the choice between them. */
export function RoundConflict({ questions, own, theirs, settle }: ConflictProps) {
  const { t } = useLingui();
  return (
    <section role="alert" className={styles.conflict} aria-labelledby="conflict">
      <h2 id="conflict">
        <Trans>Another device saved a newer draft</Trans>
      </h2>
      <div className={styles.two}>
        <Side title={t`This device`} of={own} questions={questions} />
        <Side title={t`The other device`} of={theirs} questions={questions} />
      </div>
      <div className={styles.row}>
        <Button onPress={() => settle("mine")}>
          <Trans>Go on with this device's</Trans>
        </Button>
        <Button onPress={() => settle("theirs")}>
          <Trans>Go on with the other's (can be undone)</Trans>
        </Button>
      </div>
    </section>
  );
}

function Side({ title, of, questions }: { title: string; of: readonly Fragment[]; questions: Questions }) {
  const language = useLanguage();
  const { answers, comment } = toReview(of);
  return (
    <div>
      <h3>{title}</h3>
      <ul>
        {questions.map(({ key, text }) => (
          <li key={key}>
            {inLanguage(text, language)}{" "}
            <b>{answers[key] === undefined ? "—" : answers[key] ? <Trans>yes</Trans> : <Trans>no</Trans>}</b>
          </li>
        ))}
      </ul>
      {comment && <p className={styles.explanation}>{comment}</p>}
    </div>
  );
}
