import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { type Cycle, useLanguage } from "@/ui/contest";
import { Countdown, Moment, useNow } from "@/ui/moments";
import { day } from "@/ui/time";
import styles from "./public.module.css";
import { MODES, type Run } from "./Runs";

type Stage = Cycle["stages"][number];

export const STAGES: Record<Stage["name"], MessageDescriptor> = {
  selection: msg`Selection`,
  qualification: msg`Qualification`,
  final: msg`Final`,
  results: msg`Results`,
};

/** The next border between stages or the next run, whichever is nearer, with what is left until it. */
export function NextDate({ cycle, runs }: { cycle: Cycle; runs: readonly Run[] }) {
  const { i18n } = useLingui();
  const now = useNow();
  const dates = [
    ...cycle.stages.flatMap((stage) => [
      { name: STAGES[stage.name], at: stage.starts_at, begins: true },
      { name: STAGES[stage.name], at: stage.ends_at, begins: false },
    ]),
    ...runs.map((run) => ({ name: MODES[run.mode], at: run.starts_at, begins: true })),
  ];
  const next = dates.filter(({ at }) => Date.parse(at) > now).sort((a, b) => Date.parse(a.at) - Date.parse(b.at))[0];
  if (!next) {
    return (
      <p>
        <Trans>No date is set for what comes next. It will be announced.</Trans>
      </p>
    );
  }
  const name = i18n._(next.name);
  return (
    <p className={styles.next}>
      {next.begins ? <Trans>{name} begins in</Trans> : <Trans>{name} ends in</Trans>}{" "}
      <strong>
        <Countdown to={next.at} />
      </strong>
      <br />
      <Moment at={next.at} />
    </p>
  );
}

/** The cycle's stages in their order, with the present one marked. */
export function Stages({ cycle }: { cycle: Cycle }) {
  const { i18n, t } = useLingui();
  const language = useLanguage();
  const now = useNow(60_000);
  return (
    <ol className={styles.stages} aria-label={t`Stages of the cycle`}>
      {cycle.stages.map((stage) => {
        const isNow = Date.parse(stage.starts_at) <= now && now < Date.parse(stage.ends_at);
        return (
          <li key={stage.name} aria-current={isNow ? "step" : undefined}>
            <strong>{i18n._(STAGES[stage.name])}</strong>
            <span>
              {day(stage.first, language)} – {day(stage.last, language)}
            </span>
            <span>{language === "ru" ? stage.message_ru : stage.message}</span>
            {isNow && (
              <span className={styles.now}>
                <Trans>now</Trans>
              </span>
            )}
          </li>
        );
      })}
    </ol>
  );
}
