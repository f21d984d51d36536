import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, type Schemas } from "@/api/client";
import { get } from "@/api/queries";
import { Changes } from "@/ui/audit";
import { By, useLanguage } from "@/ui/contest";
import { Button } from "@/ui/controls";
import { ReasonField } from "@/ui/forms";
import { Moment } from "@/ui/moments";
import { Answered, Problem } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { MomentField, toIso } from "./MomentField";
import styles from "./office.module.css";
import { asWritten, readWritten } from "./parameters";

type Planned = Schemas["PlannedParametersBody"];

interface ChangeProps {
  versions: readonly Schemas["VersionBody"][];
  renewed: () => unknown;
}

/** The next version: written, looked at with what it changes and the notice it gives, then announced. */
export function ChangeParameters({ versions, renewed }: ChangeProps) {
  const newest = Math.max(...versions.filter(({ state }) => state !== "withdrawn").map(({ version }) => version));
  const found = useQuery(get("/v1/parameters/{version}", { params: { path: { version: newest } } }));
  return (
    <section aria-labelledby="change-title">
      <h2 id="change-title">
        <Trans>Change the parameters</Trans>
      </h2>
      <Answered of={found}>
        {(told) => <Form key={newest} text={JSON.stringify(asWritten(told.parameters), null, 2)} renewed={renewed} />}
      </Answered>
    </section>
  );
}

function Form({ text, renewed }: { text: string; renewed: () => unknown }) {
  const { t } = useLingui();
  const [written, setWritten] = useState(text);
  const [effective, setEffective] = useState("");
  const [reason, setReason] = useState("");
  const [fault, setFault] = useState<string | null>(null);
  const ask = async (preview: boolean): Promise<Planned | null> => {
    const read = readWritten(written);
    setFault("fault" in read ? read.fault || t`an object of JSON is needed` : null);
    if ("fault" in read) return null;
    const body = { parameters: read.parameters, effective_at: toIso(effective), reason, preview };
    return (await api.POST("/v1/parameter-changes", { body })).data ?? null;
  };
  const looking = useMutation({ mutationFn: () => ask(true) });
  const changing = useMutation({ mutationFn: () => ask(false), onSuccess: (made) => made && renewed() });
  const edited = <T,>(set: (value: T) => void) => {
    return (value: T) => {
      set(value);
      // What was looked at is not what stands here any more.
      looking.reset();
      changing.reset();
    };
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        looking.mutate();
      }}
    >
      <label className={`${parts.field} ${styles.long}`}>
        <Trans>As JSON, like "parameters" of cycle.json; what is left out takes its usual value</Trans>
        <textarea
          className={styles.json}
          rows={16}
          spellCheck={false}
          required
          value={written}
          onChange={(event) => edited(setWritten)(event.currentTarget.value)}
        />
      </label>
      {fault !== null && (
        <p role="alert" className={parts.void}>
          <Trans>This is no JSON: {fault}</Trans>
        </p>
      )}
      <MomentField
        label={<Trans>In force from (your time)</Trans>}
        required
        value={effective}
        change={edited(setEffective)}
      />
      <ReasonField label={<Trans>Reason (it is announced)</Trans>} value={reason} change={edited(setReason)} />
      {looking.error && <Problem error={looking.error} />}
      <p>
        <Button type="submit" isDisabled={looking.isPending}>
          <Trans>Look at what changes</Trans>
        </Button>
      </p>
      {changing.data && (
        <p role="status" className={parts.good}>
          <Trans>✓ Version {changing.data.version} is announced. The list shows it within half a minute.</Trans>
        </p>
      )}
      {looking.data && !changing.data && (
        <>
          <Preview of={looking.data} />
          <By clause="R 5.8" />
          {changing.error && <Problem error={changing.error} />}
          <p>
            <Button primary isDisabled={changing.isPending} onPress={() => changing.mutate()}>
              <Trans>Change and announce</Trans>
            </Button>
          </p>
        </>
      )}
    </form>
  );
}

function Preview({ of }: { of: Planned }) {
  const { t } = useLingui();
  const language = useLanguage();
  const { version, warnings, announcement } = of;
  return (
    <section aria-labelledby="preview-title">
      <h3 id="preview-title">
        <Trans>
          Version {version}, in force from <Moment at={of.effective_at} />
        </Trans>
      </h3>
      {warnings.length === 0 ? (
        <p className={parts.good}>
          <Trans>✓ It is announced as early as the rules ask.</Trans>
        </p>
      ) : (
        <ul className={parts.void}>
          {warnings.map((each) => (
            <li key={each.message}>{language === "ru" ? each.message_ru : each.message}</li>
          ))}
        </ul>
      )}
      <Changes of={of.changes} label={t`Fields that change`} />
      <h4>
        <Trans>The announcement</Trans>
      </h4>
      <pre>
        {announcement.title[language]}
        {"\n\n"}
        {announcement.text[language]}
      </pre>
    </section>
  );
}
