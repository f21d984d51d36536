import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { api, type Schemas } from "@/api/client";
import { get } from "@/api/queries";
import { useCalled, useLanguage } from "@/ui/contest";
import { Button } from "@/ui/controls";
import { Problem } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Wide } from "@/ui/Wide";
import { renewed, useNames } from "./data";

type Kind = "set" | "run" | "session";

/** Give work out: what would be done is shown first. */
export function Begin() {
  const { t } = useLingui();
  const [kind, setKind] = useState<Kind>("set");
  const [name, setName] = useState("");
  const id = useId();
  const { many } = useCalled();
  const cycle = useQuery(get("/v1/conduct/cycle", {})).data;
  const runs = useQuery(get("/v1/runs", {})).data?.runs ?? [];
  const sets = Object.entries(cycle?.sets ?? {}).filter(([, { kind: of }]) => of === "training" || of === "test");
  const known = {
    set: sets.map(([each]) => each),
    run: runs.filter(({ mode }) => mode === "final").map(({ run_id }) => run_id),
    session: [],
  }[kind];
  return (
    <section aria-labelledby="begin-title">
      <h2 id="begin-title">
        <Trans>Give work out</Trans>
      </h2>
      <div className={parts.filters}>
        <label>
          <Trans>What</Trans>
          <select value={kind} onChange={(event) => setKind(event.currentTarget.value as Kind)}>
            <option value="set">{t`${many} of a set`}</option>
            <option value="run">{t`files of a final that is over`}</option>
            <option value="session">{t`explanations of a session's answers, to rate`}</option>
          </select>
        </label>
        <label>
          {kind === "set" ? <Trans>Set</Trans> : kind === "run" ? <Trans>Run</Trans> : <Trans>Session</Trans>}
          <input
            value={name}
            list={id}
            autoComplete="off"
            maxLength={40}
            onChange={(event) => setName(event.currentTarget.value.trim())}
          />
        </label>
        <datalist id={id}>
          {known.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      </div>
      <Giving key={`${kind} ${name}`} order={name === "" ? null : { [kind]: name }} />
    </section>
  );
}

/** One order: its preview, then the deed. */
export function Giving({ order }: { order: { [kind in Kind]?: string } | null }) {
  const said = (preview: boolean) => ({ ...order, preview }) as Schemas["MarkingRequest"];
  const looking = useMutation({
    mutationFn: async () => (await api.POST("/v1/markings", { body: said(true) })).data,
  });
  const giving = useMutation({
    mutationFn: async () => (await api.POST("/v1/markings", { body: said(false) })).data,
    onSuccess: renewed,
  });
  const plan = giving.data ?? looking.data;
  const count = looking.data?.essays;
  return (
    <>
      {(giving.error ?? looking.error) && <Problem error={giving.error ?? looking.error} />}
      {plan && <Plan of={plan} />}
      <div className={parts.actions}>
        <Button isDisabled={order === null || looking.isPending} onPress={() => looking.mutate()}>
          <Trans>Who would get what?</Trans>
        </Button>
        {looking.data && looking.data.essays > 0 && looking.data.uncovered.length === 0 && !giving.data && (
          <Button primary isDisabled={giving.isPending} onPress={() => giving.mutate()}>
            <Trans>Give out: {count}</Trans>
          </Button>
        )}
      </div>
    </>
  );
}

function Plan({ of }: { of: Schemas["PlanBody"] }) {
  const { t } = useLingui();
  const language = useLanguage();
  const nameOf = useNames();
  const count = of.essays;
  if (count === 0) {
    return (
      <p role="status">
        <Trans>Everything has its experts; there is nothing to give out.</Trans>
      </p>
    );
  }
  return (
    <>
      <p role="status">
        {of.preview ? <Trans>Without enough experts: {count}</Trans> : <Trans>Given out: {count}</Trans>}
      </p>
      {of.uncovered.length > 0 && (
        <>
          <p className={parts.void}>
            <Trans>Not all can be covered, so none is given out:</Trans>
          </p>
          <ul>
            {of.uncovered.map((each) => (
              <li key={each.item_id}>
                {each.item_id}: {language === "ru" ? each.message_ru : each.message}
              </li>
            ))}
          </ul>
        </>
      )}
      <Wide label={t`What each expert has, before and after`}>
        <thead>
          <tr>
            <th scope="col">
              <Trans>Expert</Trans>
            </th>
            <th scope="col">
              <Trans>Has now</Trans>
            </th>
            <th scope="col">
              <Trans>With these</Trans>
            </th>
          </tr>
        </thead>
        <tbody>
          {of.loads.map((each) => (
            <tr key={each.expert_id}>
              <th scope="row">{nameOf(each.expert_id)}</th>
              <td>{each.before}</td>
              <td>{each.after}</td>
            </tr>
          ))}
        </tbody>
      </Wide>
    </>
  );
}
