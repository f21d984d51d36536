import { Trans } from "@lingui/react/macro";
import type { Schemas } from "@/api/client";
import { useLanguage } from "@/ui/contest";
import styles from "./annotator.module.css";
import { type Judged, useDesk } from "./desk";

export function gradeOf(judged: Judged | null): Schemas["Grade"] | null {
  return (judged?.grade as Schemas["Grade"] | null | undefined) ?? null;
}

/** The grade of the last saved draft, with the sentence that explains each criterion. */
export function Grade() {
  const { judged, before, save } = useDesk();
  const language = useLanguage();
  const [grade, earlier] = [gradeOf(judged), gradeOf(before)];
  return (
    <section aria-labelledby="grade" className={styles.panel} data-old={save.kind === "kept" ? "" : undefined}>
      <h2 id="grade" tabIndex={-1}>
        {grade ? (
          <Trans>
            Grade {grade.total}/{grade.max}
          </Trans>
        ) : (
          <Trans>Grade</Trans>
        )}
      </h2>
      {grade ? (
        <dl className={styles.grade}>
          {Object.entries(grade.criteria).map(([name, points]) => (
            <div key={name} data-changed={earlier && earlier.criteria[name] !== points ? "" : undefined}>
              <dt>
                {name} <b>{points}</b>
                {earlier && earlier.criteria[name] !== points && (
                  <small>
                    {" "}
                    <Trans>was {earlier.criteria[name]}</Trans>
                  </small>
                )}
              </dt>
              <dd>{grade.explanations[name]?.[language]}</dd>
            </div>
          ))}
        </dl>
      ) : (
        <p>
          {judged && judged.faults.length > 0 ? (
            <Trans>There is no grade while the markup has faults; they are marked ⚠ in the list.</Trans>
          ) : (
            <Trans>The grade comes with the first saved draft.</Trans>
          )}
        </p>
      )}
      {save.kind === "kept" && (
        <p>
          <Trans>This is the grade of the last draft that reached the platform.</Trans>
        </p>
      )}
    </section>
  );
}
