import { Trans, useLingui } from "@lingui/react/macro";
import type { Schemas } from "@/api/client";
import { useQuestions } from "@/text/useQuestions";
import { useLanguage } from "@/ui/contest";
import { accuracy, decimal } from "@/ui/numbers";
import { Table } from "@/ui/Table";
import styles from "./comparison.module.css";

type Compared = Schemas["Comparison"];

/** Decimals of what a metric counts. */
const PLACES = 2;

/**
 * The seven metrics with what each brings to the pair accuracy; every number is the platform's.
 *
 * Clause: platform §8 viewer
 */
export function Metrics({
  of,
  chosen,
  choose,
}: {
  of: Compared;
  chosen: string | null;
  choose: (name: string) => void;
}) {
  const { t } = useLingui();
  const language = useLanguage();
  const said = (value: number | null) => (value === null ? "—" : decimal(value, PLACES, language, 0));
  const metric = chosen ? of.metrics[chosen as "M1"] : null;
  return (
    <section aria-labelledby="metrics" className={styles.metrics}>
      <h2 id="metrics">
        <Trans>Pair accuracy: {accuracy(of.pair_accuracy, language)} %</Trans>
      </h2>
      <div className={styles.tools} role="toolbar" aria-label={t`Metrics`}>
        {Object.entries(of.metrics).map(([name, each]) => (
          <button key={name} type="button" aria-pressed={name === chosen} onClick={() => choose(name)}>
            {name} <b>{accuracy(each.value, language)}</b>
          </button>
        ))}
      </div>
      {metric && (
        <p role="status">
          {metric.because ? (
            metric.because[language]
          ) : chosen === "M7" ? (
            <Trans>The mean of the ratings of X's explanations; rated: {said(metric.denominator)}.</Trans>
          ) : (
            <Trans>
              {chosen}: {said(metric.numerator)} of {said(metric.denominator)}.
            </Trans>
          )}{" "}
          <Trans>
            Its weight is {said(metric.weight)}; it brings {accuracy(metric.part_of_pair_accuracy, language)} to the
            pair accuracy.
          </Trans>
        </p>
      )}
      {chosen === "M1" && <Grades of={of} />}
      {chosen === "M7" && <Questions />}
    </section>
  );
}

/** What a rating is made of. */
function Questions() {
  const questions = useQuestions();
  return (
    <>
      <p>
        <Trans>
          Experts answer these questions about each explanation. Every yes gives it 20 %; several experts' ratings are
          averaged. An expert's own markup always has 100.
        </Trans>
      </p>
      <ol>
        {questions.map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ol>
    </>
  );
}

function Grades({ of }: { of: Compared }) {
  const language = useLanguage();
  const { x, y } = of.grades;
  if (!x || !y) return null;
  const differs = (name: string) => of.differing_criteria.includes(name);
  const names = Object.keys(x.criteria).sort((one, other) => Number(differs(other)) - Number(differs(one)));
  const gradeOf = ({ criteria, explanations }: typeof x, name: string) =>
    `${criteria[name]}: ${explanations[name]?.[language] ?? ""}`;
  return (
    <Table
      rows={names}
      rowKey={(name) => name}
      columns={[
        { cell: (name) => `${name} ${differs(name) ? "≠" : ""}` },
        { header: "X", cell: (name) => gradeOf(x, name) },
        { header: "Y", cell: (name) => gradeOf(y, name) },
      ]}
    />
  );
}
