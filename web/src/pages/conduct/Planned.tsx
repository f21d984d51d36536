import { Trans, useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import type { Schemas } from "@/api/client";
import { MODES } from "@/pages/public/Runs";
import { Moment, useSeconds } from "@/ui/moments";
import parts from "@/ui/parts.module.css";
import styles from "./conduct.module.css";
import { takesAdmitted } from "./data";
import { Notices } from "./Notices";

/** The run that would be planned, as the platform computed it. */
export function Planned({ of, children }: { of: Schemas["PlanPreviewBody"]; children: ReactNode }) {
  const { i18n, t } = useLingui();
  const seconds = useSeconds();
  return (
    <section className={styles.preview} aria-label={t`What would be planned`} aria-live="polite">
      <h2>{i18n._(MODES[of.mode])}</h2>
      <Notices of={of.notices} />
      <dl className={parts.facts}>
        <dt>{t`Files`}</dt>
        <dd>
          <Trans>
            {of.files} of the {of.available} of the set {of.set} that may be drawn
          </Trans>
        </dd>
        <dt>{t`Starts`}</dt>
        <dd>
          <Moment at={of.starts_at} />
        </dd>
        <dt>{t`Ends`}</dt>
        <dd>
          <Moment at={of.ends_at} />
        </dd>
        <dt>{t`Between openings`}</dt>
        <dd>{seconds(of.interval_ms)}</dd>
        <dt>{t`Limits`}</dt>
        <dd>
          <LimitsOf of={of.limits} />
        </dd>
        <dt>{t`Teams`}</dt>
        <dd>
          {of.admitted
            ? of.admitted.join(", ")
            : takesAdmitted(of)
              ? t`those admitted when they join`
              : t`every approved team`}
        </dd>
      </dl>
      <p>
        <Trans>
          No file is drawn yet. When it is planned, the files are drawn and a signed commitment to them is published; a
          run cannot be unplanned, only stopped.
        </Trans>
      </p>
      {children}
    </section>
  );
}

export function LimitsOf({ of }: { of: Schemas["MillisecondLimitsBody"] }) {
  const seconds = useSeconds();
  const [ask, answer, total, join] = [of.request, of.answer, of.total, of.join].map(seconds);
  return (
    <Trans>
      to ask {ask}; to answer {answer} from the hand-out and {total} from the opening; to join {join}
    </Trans>
  );
}
