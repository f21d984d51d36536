import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Schemas } from "@/api/client";
import { get } from "@/api/queries";
import { setKindWord } from "@/pages/cabinet/words";
import { MODES } from "@/pages/public/Runs";
import { languageName, useLanguage } from "@/ui/contest";
import parts from "@/ui/parts.module.css";
import { ownZone } from "@/ui/time";
import styles from "./conduct.module.css";
import { type Plan, setsOf } from "./plan";

interface PlanFieldsProps {
  plan: Plan;
  change: (said: Partial<Plan>) => void;
  sets: Schemas["HeldCycleBody"]["sets"];
  languages: readonly string[];
}

export function PlanFields({ plan, change, sets, languages }: PlanFieldsProps) {
  const { i18n, t } = useLingui();
  const zone = ownZone();
  const language = useLanguage();
  const byLanguage = (files: Record<string, number>) =>
    Object.entries(files)
      .map(([code, count]) => `${languageName(code, language)} ${count}`)
      .join(", ");
  return (
    <div className={styles.form}>
      <Field label={t`Kind`}>
        <select value={plan.mode} onChange={(event) => change({ mode: event.currentTarget.value as Plan["mode"] })}>
          <option value="final">{i18n._(MODES.final)}</option>
          <option value="technical">{i18n._(MODES.technical)}</option>
        </select>
      </Field>
      <Field label={t`Set its files are drawn from`}>
        <select required value={plan.set} onChange={(event) => change({ set: event.currentTarget.value })}>
          {plan.set === "" && <option value="">{t`The cycle has no set for runs of this kind`}</option>}
          {Object.entries(setsOf(plan, sets)).map(([name, { kind, files }]) => (
            <option key={name} value={name}>
              {name} ({i18n._(setKindWord(kind))}; {byLanguage(files)})
            </option>
          ))}
        </select>
      </Field>
      <Field label={t`First file opens (your time, ${zone})`}>
        <input
          type="datetime-local"
          step={1}
          required
          value={plan.start}
          onChange={(event) => change({ start: event.currentTarget.value })}
        />
      </Field>
      <Numeral
        label={t`Files`}
        hint={t`all of the set`}
        value={plan.files}
        least={1}
        set={(files) => change({ files })}
      />
      <Numeral
        label={t`Seconds between openings`}
        hint={t`the cycle's`}
        value={plan.interval}
        set={(interval) => change({ interval })}
      />
      <Field label={t`Language`}>
        <select value={plan.language} onChange={(event) => change({ language: event.currentTarget.value })}>
          <option value="all">{t`all`}</option>
          {languages.map((each) => (
            <option key={each} value={each}>
              {languageName(each, language)}
            </option>
          ))}
        </select>
      </Field>
      <Limits plan={plan} change={change} />
      <Admitted plan={plan} change={change} />
      <label className={styles.check}>
        <input
          type="checkbox"
          checked={plan.trial}
          onChange={(event) => change({ trial: event.currentTarget.checked })}
        />{" "}
        <Trans>A trial: the same in everything, counted nowhere</Trans>
      </label>
    </div>
  );
}

function Limits({ plan, change }: Pick<PlanFieldsProps, "plan" | "change">) {
  const { t } = useLingui();
  const hint = t`the cycle's`;
  return (
    <details className={styles.more}>
      <summary>
        <Trans>Other limits than the cycle's, in seconds</Trans>
      </summary>
      <div className={styles.form}>
        <Numeral
          label={t`To ask, from the opening`}
          hint={hint}
          value={plan.request}
          set={(request) => change({ request })}
        />
        <Numeral
          label={t`To answer, from the hand-out`}
          hint={hint}
          value={plan.answer}
          set={(answer) => change({ answer })}
        />
        <Numeral
          label={t`To answer, from the opening`}
          hint={hint}
          value={plan.total}
          set={(total) => change({ total })}
        />
        <Numeral label={t`To join, from the start`} hint={hint} value={plan.join} set={(join) => change({ join })} />
      </div>
    </details>
  );
}

/** Nobody chosen: a final takes the teams that are admitted when they join, any other run every approved one. */
function Admitted({ plan, change }: Pick<PlanFieldsProps, "plan" | "change">) {
  const teams = useQuery(get("/v1/teams", {})).data?.teams.filter(({ status }) => status === "approved") ?? [];
  const toggle = (team: string, wanted: boolean) =>
    change({ admitted: wanted ? [...plan.admitted, team] : plan.admitted.filter((each) => each !== team) });
  return (
    <details className={styles.more}>
      <summary>
        <Trans>Only these teams (otherwise a final takes the admitted ones, any other run all)</Trans>
      </summary>
      <fieldset className={styles.choices}>
        <legend className="sr-only">
          <Trans>Teams</Trans>
        </legend>
        {teams.map(({ team_id: team, name }) => (
          <label key={team} className={styles.check}>
            <input
              type="checkbox"
              checked={plan.admitted.includes(team)}
              onChange={(event) => toggle(team, event.currentTarget.checked)}
            />{" "}
            {name}
          </label>
        ))}
      </fieldset>
    </details>
  );
}

function Field({ label, children }: { label: ReactNode; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: its control is what it is given
    <label className={parts.field}>
      <span>{label}</span>
      {children}
    </label>
  );
}

interface NumeralProps {
  label: string;
  hint: string;
  value: string;
  least?: number;
  set: (value: string) => void;
}

function Numeral({ label, hint, value, least = 0, set }: NumeralProps) {
  return (
    <Field label={label}>
      <input
        type="number"
        min={least}
        step="any"
        placeholder={hint}
        value={value}
        onChange={(event) => set(event.currentTarget.value)}
      />
    </Field>
  );
}
