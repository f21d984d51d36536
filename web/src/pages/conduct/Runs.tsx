import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { get, post, queryClient, type Schemas } from "@/api/client";
import { useMay } from "@/auth/hooks";
import { setKindWord } from "@/pages/cabinet/words";
import { MODES, STATES } from "@/pages/public/Runs";
import { languageName, MessageList, useCycle, useLanguage } from "@/ui/contest";
import { Button, PageLink } from "@/ui/controls";
import { Act, Check, Checks, Choice, Field, Form, MomentField, useAction, useDraft } from "@/ui/forms";
import { AskedPage, Fact, Moment, useSeconds } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Table } from "@/ui/Table";
import styles from "./conduct.module.css";
import { fitted, NO_PLAN, type Notice, newName, type Plan, requestOf, runsQuery, setsOf, takesAdmitted } from "./data";

/** Page of all runs, the latest start first, with a link to plan a new one. */
export function Runs() {
  const { i18n, t } = useLingui();
  const mayPlan = useMay("organize");
  return (
    <AskedPage title={t`Runs`} asks={runsQuery}>
      {(data) => (
        <>
          {mayPlan && (
            <p>
              <Link to="/desk/plan">{t`Plan a run`}</Link>
            </p>
          )}
          <Table
            label={t`Runs`}
            rows={data.runs}
            empty={<Trans>No run is planned yet. Technical runs plan themselves; a final is planned here.</Trans>}
            rowKey={(run) => run.run_id}
            columns={[
              {
                header: t`Start`,
                cell: (run) => (
                  <PageLink to="/desk/runs/$runId" id={run.run_id}>
                    <Moment at={run.starts_at} />
                  </PageLink>
                ),
              },
              {
                header: t`Run`,
                cell: (run) => (
                  <>
                    {i18n._(MODES[run.mode])}
                    {run.trial && `, ${t`trial`}`}
                  </>
                ),
              },
              { header: t`State`, cell: (run) => i18n._(STATES[run.state]) },
              { header: t`Set`, cell: (run) => run.set },
              { header: t`Files`, cell: (run) => run.total_files },
              {
                header: t`Results`,
                cell: (run) =>
                  run.mode === "final" ? (
                    <PageLink to="/desk/settlement/$runId" id={run.run_id}>
                      {run.published ? t`published` : t`not published`}
                    </PageLink>
                  ) : (
                    "—"
                  ),
              },
            ]}
          />
        </>
      )}
    </AskedPage>
  );
}

/** Page to plan a run in two steps: the preview, and then the commitment, which is published. */
export function PlanRun() {
  const { t } = useLingui();
  const mayPlan = useMay("organize");
  return (
    <AskedPage title={t`Plan a run`} asks={get("/v1/conduct/cycle", {})}>
      {(data) =>
        mayPlan ? (
          <PlanForm data={data} />
        ) : (
          <p>{t`Runs are planned by organizers. You see every run once it is planned.`}</p>
        )
      }
    </AskedPage>
  );
}

function PlanForm({ data }: { data: Schemas["HeldCycleBody"] }) {
  const navigate = useNavigate();
  const languages = Object.keys(useCycle()?.languages ?? {});
  const [name, setName] = useState(newName);
  const { draft, bind } = useDraft<Plan>(NO_PLAN, () => {
    // A changed plan is a different run, which the preview does not describe.
    setName(newName());
    previewing.reset();
    planning.reset();
  });
  const plan = fitted(draft, data.sets);
  const previewing = useAction(() => post("/v1/conduct/runs/preview", {}, requestOf(plan)));
  const planning = useAction(
    () => post("/v1/conduct/runs", {}, requestOf(plan, name)),
    async (answer) => {
      await queryClient.invalidateQueries({ queryKey: ["/v1/conduct/runs"] });
      await navigate({ to: "/desk/runs/$runId", params: { runId: answer.run.run_id } });
    },
  );
  return (
    <>
      <Form submit={() => previewing.mutate()}>
        <PlanFields plan={plan} bind={bind} sets={data.sets} languages={languages} />
        <div className={parts.actions}>
          <Button primary={!previewing.data} type="submit" isDisabled={previewing.isPending}>
            <Trans>Show what would be planned</Trans>
          </Button>
        </div>
      </Form>
      {previewing.problem}
      {previewing.data && (
        <Planned preview={previewing.data}>
          {planning.problem}
          <Act primary of={planning}>
            <Trans>Plan it and publish its commitment</Trans>
          </Act>
        </Planned>
      )}
    </>
  );
}

interface PlanFieldsProps {
  plan: Plan;
  bind: ReturnType<typeof useDraft<Plan>>["bind"];
  sets: Schemas["HeldCycleBody"]["sets"];
  languages: readonly string[];
}

function PlanFields({ plan, bind, sets, languages }: PlanFieldsProps) {
  const { i18n, t } = useLingui();
  const language = useLanguage();
  const teams = useQuery(get("/v1/teams", {})).data?.teams.filter(({ status }) => status === "approved") ?? [];
  const usual = t`the cycle's`;
  const byLanguage = (files: Record<string, number>) =>
    Object.entries(files)
      .map(([code, count]) => `${languageName(code, language)} ${count}`)
      .join(", ");
  return (
    <div className={styles.form}>
      <Choice label={t`Kind`} {...bind("mode")} options={["final", "technical"]} named={(mode) => MODES[mode]} />
      <Choice
        label={t`Set from which files are drawn`}
        required
        value={plan.set}
        change={bind("set").change}
        options={[
          ...(plan.set === "" ? [["", t`The cycle has no set for runs of this kind`] as const] : []),
          ...Object.entries(setsOf(plan, sets)).map(
            ([name, { kind, files }]) =>
              [name, `${name} (${i18n._(setKindWord(kind))}; ${byLanguage(files)})`] as const,
          ),
        ]}
      />
      <MomentField label={t`First file opens`} required {...bind("start")} />
      <Field label={t`Files`} {...NUMERAL} min={1} placeholder={t`all of the set`} {...bind("files")} />
      <Field label={t`Seconds between openings`} {...NUMERAL} placeholder={usual} {...bind("interval")} />
      <Choice
        label={t`Language`}
        {...bind("language")}
        options={["all", ...languages]}
        named={(name) => (name === "all" ? t`all` : languageName(name, language))}
      />
      <details className={styles.more}>
        <summary>{t`Other limits than the cycle's, in seconds`}</summary>
        <div className={styles.form}>
          <Field label={t`To ask, from the opening`} {...NUMERAL} placeholder={usual} {...bind("request")} />
          <Field label={t`To answer, from the hand-out`} {...NUMERAL} placeholder={usual} {...bind("answer")} />
          <Field label={t`To answer, from the opening`} {...NUMERAL} placeholder={usual} {...bind("total")} />
          <Field label={t`To join, from the start`} {...NUMERAL} placeholder={usual} {...bind("join")} />
        </div>
      </details>
      <details className={styles.more}>
        <summary>{t`Only these teams (otherwise a final takes the admitted ones, any other run all)`}</summary>
        <Checks
          legend={<span className="sr-only">{t`Teams`}</span>}
          options={teams.map(({ team_id, name }) => [team_id, name] as const)}
          chosen={plan.admitted}
          change={bind("admitted").change}
          className={styles.choices}
          look={styles.check}
        />
      </details>
      <Check look={styles.check} label={t`A trial: identical to a final, but it does not count`} {...bind("trial")} />
    </div>
  );
}

/** Attributes of a field for a number that is not below zero. */
const NUMERAL = { type: "number", min: 0, step: "any" };

/** Preview of the run, as computed by the platform. */
function Planned({ preview, children }: { preview: Schemas["PlanPreviewBody"]; children: ReactNode }) {
  const { i18n, t } = useLingui();
  const seconds = useSeconds();
  return (
    <section className={styles.preview} aria-label={t`What would be planned`} aria-live="polite">
      <h2>{i18n._(MODES[preview.mode])}</h2>
      <Notices notices={preview.notices} />
      <dl className={parts.facts}>
        <Fact
          name={t`Files`}
        >{t`${preview.files} of the ${preview.available} of the set ${preview.set} that may be drawn`}</Fact>
        <Fact name={t`Starts`} at={preview.starts_at} />
        <Fact name={t`Ends`} at={preview.ends_at} />
        <Fact name={t`Between openings`}>{seconds(preview.interval_ms)}</Fact>
        <Fact name={t`Limits`}>
          <LimitsOf limits={preview.limits} />
        </Fact>
        <Fact name={t`Teams`}>
          {preview.admitted
            ? preview.admitted.join(", ")
            : takesAdmitted(preview)
              ? t`those admitted when they join`
              : t`every approved team`}
        </Fact>
      </dl>
      <p>
        <Trans>
          No files are drawn yet. Planning the run draws the files and publishes a signed commitment to them; a planned
          run can be stopped, but not deleted.
        </Trans>
      </p>
      {children}
    </section>
  );
}

export function LimitsOf({ limits }: { limits: Schemas["MillisecondLimitsBody"] }) {
  const seconds = useSeconds();
  const [ask, answer, total, join] = [limits.request, limits.answer, limits.total, limits.join].map(seconds);
  return (
    <Trans>
      to ask {ask}; to answer {answer} from the hand-out and {total} from the opening; to join {join}
    </Trans>
  );
}

/** Warnings that the platform gives without refusing the request. */
export function Notices({ notices }: { notices: readonly Notice[] }) {
  return <MessageList of={notices} className={styles.notices} place={() => "⚠ "} />;
}
