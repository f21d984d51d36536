import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Link, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { EVERY, get, post, renewed, type Schemas } from "@/api/client";
import { Changes } from "@/ui/audit";
import { By, MessageList, useLanguage } from "@/ui/contest";
import { Act, Done, Field, Form, MomentField, Reasoned, ReasonField, Submit, useAction, useDraft } from "@/ui/forms";
import { Answered, AskedPage, Moment, PageSection } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Table } from "@/ui/Table";
import { asWritten, readWritten } from "./data";
import styles from "./office.module.css";

type Version = Schemas["VersionBody"];

const STATES: Readonly<Record<string, MessageDescriptor>> = {
  in_force: msg`in force`,
  pending: msg`announced`,
  former: msg`former`,
  withdrawn: msg`withdrawn`,
};

/** Public list of versions, some seconds old; a change made here appears without a reload. */
const ALL = get("/v1/parameters", {}, EVERY.live);

/** List the versions of the parameters with their changes, and the form for the next one. */
export function Parameters() {
  const { t } = useLingui();
  const { version } = useSearch({ from: "/desk/parameters" });
  return (
    <AskedPage title={t`Parameters`} asks={ALL}>
      {({ versions }) => (
        <>
          <Versions versions={versions} />
          {version && <Changed version={Number(version)} versions={versions} />}
          <PageSection id="change-title" title={<Trans>Change the parameters</Trans>}>
            <Answered asks={get("/v1/parameters/{version}", { version: newestOf(versions) })}>
              {({ parameters }) => {
                const text = JSON.stringify(asWritten(parameters), null, 2);
                return <NextVersion key={parameters.version} text={text} />;
              }}
            </Answered>
          </PageSection>
        </>
      )}
    </AskedPage>
  );
}

function Versions({ versions }: { versions: readonly Version[] }) {
  const { i18n, t } = useLingui();
  return (
    <Table
      label={t`Table of versions`}
      rows={versions.toSorted((a, b) => b.version - a.version)}
      rowKey={(row) => row.version}
      columns={[
        {
          header: t`Version`,
          cell: (row) =>
            row.version > 1 ? (
              <Link to="/desk/parameters" search={{ version: String(row.version) }} resetScroll={false}>
                {t`${row.version}: what it changes`}
              </Link>
            ) : (
              row.version
            ),
        },
        {
          header: t`State`,
          cell: (row) => (STATES[row.state] ? i18n._(STATES[row.state] as MessageDescriptor) : row.state),
        },
        { header: t`Announced`, cell: (row) => <Moment at={row.announced_at} /> },
        { header: t`In force from`, cell: (row) => (row.effective_at ? <Moment at={row.effective_at} /> : "—") },
        {
          cell: ({ state, version }) =>
            state === "pending" && (
              <Reasoned
                label={<Trans>Withdraw</Trans>}
                asks={t`Withdraw version ${version} before it takes effect? Its announcement is shown as withdrawn.`}
                act={(reason) => post("/v1/parameter-changes/{version}/withdrawal", { version }, { reason })}
              />
            ),
        },
      ]}
    />
  );
}

/** Return the number of the newest version that was not withdrawn; the infinity below all numbers if there is none. */
function newestOf(versions: readonly Version[]): number {
  return Math.max(...versions.filter(({ state }) => state !== "withdrawn").map(({ version }) => version));
}

/** Show the differences from the version before it that was not withdrawn. */
function Changed({ version, versions }: { version: number; versions: readonly Version[] }) {
  const { t } = useLingui();
  const since = newestOf(versions.filter((other) => other.version < version));
  const query = Number.isFinite(since) ? { since } : {};
  return (
    <PageSection id="changed-title" title={<Trans>Changes of version {version}</Trans>}>
      <Answered asks={get("/v1/parameters/{version}/changes", { version, ...query })}>
        {(data) => <Changes differences={data.changes} label={t`Fields that differ`} />}
      </Answered>
    </PageSection>
  );
}

type Planned = Schemas["PlannedParametersBody"];

/** Form to write the next version, preview its changes and its notice period, then announce it. */
function NextVersion({ text }: { text: string }) {
  const { t } = useLingui();
  // The preview does not match the edited form any more.
  const { draft, bind } = useDraft({ text, effective_at: "", reason: "" }, () => {
    looking.reset();
    changing.reset();
  });
  const [fault, setFault] = useState<string | null>(null);
  const ask = async (preview: boolean): Promise<Planned | null> => {
    const { text, ...rest } = draft;
    const read = readWritten(text);
    setFault("fault" in read ? read.fault || t`a JSON object is needed` : null);
    if ("fault" in read) return null;
    return (await post("/v1/parameter-changes", {}, { parameters: read.parameters, ...rest, preview })) ?? null;
  };
  const looking = useAction(() => ask(true));
  const changing = useAction(
    () => ask(false),
    (answer) => answer && renewed(),
  );
  return (
    <Form submit={() => looking.mutate()}>
      <Field
        label={t`As JSON, like "parameters" of cycle.json; omitted fields take their default values`}
        look={`${parts.field} ${parts.long}`}
        className={styles.json}
        rows={16}
        spellCheck={false}
        required
        {...bind("text")}
      />
      {fault !== null && (
        <p role="alert" className={parts.void}>
          {t`This is not valid JSON: ${fault}`}
        </p>
      )}
      <MomentField label={t`In force from`} required {...bind("effective_at")} />
      <ReasonField label={t`Reason (it is announced)`} {...bind("reason")} />
      {looking.problem}
      <p>
        <Submit of={looking}>{t`Preview the changes`}</Submit>
      </p>
      {changing.data && (
        <Done>
          <Trans>✓ Version {changing.data.version} is announced. The list shows it within half a minute.</Trans>
        </Done>
      )}
      {looking.data && !changing.data && (
        <>
          <Preview plan={looking.data} />
          <By clause="R 5.8" />
          {changing.problem}
          <p>
            <Act primary of={changing}>
              {t`Change and announce`}
            </Act>
          </p>
        </>
      )}
    </Form>
  );
}

function Preview({ plan }: { plan: Planned }) {
  const { t } = useLingui();
  const language = useLanguage();
  const { version, warnings, announcement } = plan;
  return (
    <section aria-labelledby="preview-title">
      <h3 id="preview-title">
        <Trans>
          Version {version}, in force from <Moment at={plan.effective_at} />
        </Trans>
      </h3>
      {warnings.length === 0 ? (
        <p className={parts.good}>{t`✓ It is announced as early as the rules require.`}</p>
      ) : (
        <MessageList of={warnings} className={parts.void} />
      )}
      <Changes differences={plan.changes} label={t`Fields that change`} />
      <h4>{t`The announcement`}</h4>
      <pre>
        {announcement.title[language]}
        {"\n\n"}
        {announcement.text[language]}
      </pre>
    </section>
  );
}
