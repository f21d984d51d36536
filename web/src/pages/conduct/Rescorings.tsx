import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "@/api/client";
import { EVERY, get, renewed } from "@/api/queries";
import { useMay } from "@/auth/hooks";
import { AskedPage } from "@/shell/AskedPage";
import { useCycleZone, useLanguage } from "@/ui/contest";
import { Reasoned } from "@/ui/forms";
import { Moment } from "@/ui/moments";
import parts from "@/ui/parts.module.css";
import { moment } from "@/ui/time";
import { Wide } from "@/ui/Wide";
import { runsQuery } from "./data";
import { DECIDED, MODE_NAMES, MODES, NO_SELECTION, type Rescoring, type Selection, selected } from "./rescoring";
import { SettlementTabs } from "./SettlementTabs";

/** Closed sessions that were scored anew, beside their scores. */
export function Rescorings() {
  const { t } = useLingui();
  const found = useQuery(get("/v1/rescorings", {}, EVERY.live));
  const organizes = useMay("organize");
  return (
    <AskedPage title={t`Rescorings`} of={found}>
      {({ rescorings }) => (
        <>
          <SettlementTabs />
          <p>
            <Trans>
              After a change of parameters, classifier, markups or scorer, closed sessions and scored submissions are
              scored anew beside their scores. Nothing goes by it before it is accepted.
            </Trans>
          </p>
          {organizes && <Begin />}
          {rescorings.length === 0 ? (
            <p>
              <Trans>Nothing was scored anew yet.</Trans>
            </p>
          ) : (
            <Table of={rescorings} />
          )}
        </>
      )}
    </AskedPage>
  );
}

function Table({ of }: { of: readonly Rescoring[] }) {
  const { i18n, t } = useLingui();
  return (
    <Wide label={t`Rescorings`}>
      <thead>
        <tr>
          <th scope="col">{t`Begun`}</th>
          <th scope="col">{t`State`}</th>
          <th scope="col">{t`Scored anew`}</th>
          <th scope="col">{t`Parameters`}</th>
          <th scope="col">{t`Reason`}</th>
        </tr>
      </thead>
      <tbody>
        {of.map((each) => (
          <tr key={each.rescoring_id}>
            <th scope="row">
              <Link to="/desk/settlement/rescorings/$rescoringId" params={{ rescoringId: each.rescoring_id }}>
                <Moment at={each.begun_at} />
              </Link>
            </th>
            <td>{i18n._(DECIDED[each.state])}</td>
            <td>
              {each.made}/{each.total}
            </td>
            <td>{each.parameters_version}</td>
            <td>{each.reason}</td>
          </tr>
        ))}
      </tbody>
    </Wide>
  );
}

function Begin() {
  const { i18n, t } = useLingui();
  const [language, zone] = [useLanguage(), useCycleZone()];
  const navigate = useNavigate();
  const finals = useQuery(runsQuery).data?.runs.filter(({ mode }) => mode === "final") ?? [];
  const [said, setSaid] = useState<Selection>(NO_SELECTION);
  const text = (name: keyof Selection, label: string, type = "text") => (
    <label className={parts.field}>
      {label}
      <input
        type={type}
        value={said[name]}
        onChange={(event) => setSaid({ ...said, [name]: event.currentTarget.value })}
      />
    </label>
  );
  return (
    <div className={parts.actions}>
      <Reasoned
        primary
        label={<Trans>Score anew…</Trans>}
        asks={
          <Trans>
            Every closed session and scored submission to which all applies that is said. A final is scored anew as a
            whole: choose it and nothing else but the parameters.
          </Trans>
        }
        act={async (reason) => {
          const { data } = await api.POST("/v1/rescorings", { body: selected(said, reason) });
          if (data) {
            await navigate({
              to: "/desk/settlement/rescorings/$rescoringId",
              params: { rescoringId: data.rescoring_id },
            });
          }
        }}
        done={renewed}
      >
        <label className={parts.field}>
          <Trans>A final</Trans>
          <select value={said.run} onChange={(event) => setSaid({ ...said, run: event.currentTarget.value })}>
            <option value="">—</option>
            {finals.map((run) => (
              <option key={run.run_id} value={run.run_id}>
                {moment(Date.parse(run.starts_at), language, zone).own} · {run.run_id}
              </option>
            ))}
          </select>
        </label>
        <label className={parts.field}>
          <Trans>Mode</Trans>
          <select value={said.mode} onChange={(event) => setSaid({ ...said, mode: event.currentTarget.value })}>
            <option value="">—</option>
            {MODES.map((mode) => (
              <option key={mode} value={mode}>
                {i18n._(MODE_NAMES[mode])}
              </option>
            ))}
          </select>
        </label>
        {text("set", t`Set`)}
        {text("team", t`Team`)}
        {text("since", t`Closed since (UTC day)`, "date")}
        {text("until", t`Closed until (UTC day)`, "date")}
        {text("version", t`Version of the parameters (else the present one; of a final its own)`, "number")}
      </Reasoned>
    </div>
  );
}
