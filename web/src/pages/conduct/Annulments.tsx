import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, type Schemas } from "@/api/client";
import { get, renewed } from "@/api/queries";
import { useMay } from "@/auth/hooks";
import { useTeamName } from "@/pages/desk/teamNames";
import { AskedPage } from "@/shell/AskedPage";
import { Reasoned } from "@/ui/forms";
import { Moment } from "@/ui/moments";
import parts from "@/ui/parts.module.css";
import { Wide } from "@/ui/Wide";
import { SettlementTabs } from "./SettlementTabs";

type Annulment = Schemas["AnnulmentBody"];
type Of = Annulment["of"];

const OF: Record<Of, MessageDescriptor> = {
  set: msg`data set`,
  session: msg`session`,
  result: msg`a team's result`,
};

/** What was annulled and restored, with reasons (D 6.10). */
export function Annulments() {
  const { t } = useLingui();
  const found = useQuery(get("/v1/conduct/annulments", {}, 30_000));
  const organizes = useMay("organize");
  return (
    <AskedPage title={t`Annulments`} of={found}>
      {({ annulments }) => (
        <>
          <SettlementTabs />
          <p>
            <Trans>
              What is annulled leaves boards and conclusions and stays visible to its team, with the reason. Of an
              annulled set no session begins.
            </Trans>
          </p>
          {organizes && <Annul />}
          {annulments.length === 0 ? (
            <p>
              <Trans>Nothing was ever annulled.</Trans>
            </p>
          ) : (
            <Table of={annulments} organizes={organizes} />
          )}
        </>
      )}
    </AskedPage>
  );
}

function decide(body: Schemas["AnnulmentRequest"]) {
  return api.POST("/v1/conduct/annulments", { body });
}

function Annul() {
  const { i18n } = useLingui();
  const [of, setOf] = useState<Of>("session");
  const [subject, setSubject] = useState("");
  const [board, setBoard] = useState("qualification");
  const target =
    of === "result" ? { of, subject: subject.trim(), board: board.trim() } : { of, subject: subject.trim() };
  return (
    <div className={parts.actions}>
      <Reasoned
        label={<Trans>Annul…</Trans>}
        asks={<Trans>It leaves boards and conclusions from now on; it can be restored.</Trans>}
        clause="D 6.10"
        act={(reason) => decide({ ...target, annulled: true, reason })}
        done={renewed}
      >
        <label className={parts.field}>
          <Trans>What</Trans>
          <select value={of} onChange={(event) => setOf(event.currentTarget.value as Of)}>
            {(Object.keys(OF) as Of[]).map((each) => (
              <option key={each} value={each}>
                {i18n._(OF[each])}
              </option>
            ))}
          </select>
        </label>
        <label className={parts.field}>
          {of === "set" && <Trans>Name of the set</Trans>}
          {of === "session" && <Trans>Number of the session</Trans>}
          {of === "result" && <Trans>Team</Trans>}
          <input required value={subject} onChange={(event) => setSubject(event.currentTarget.value)} />
        </label>
        {of === "result" && (
          <label className={parts.field}>
            <Trans>Board: qualification, or a final's run</Trans>
            <input required value={board} onChange={(event) => setBoard(event.currentTarget.value)} />
          </label>
        )}
      </Reasoned>
    </div>
  );
}

function Table({ of, organizes }: { of: readonly Annulment[]; organizes: boolean }) {
  const nameOf = useTeamName();
  const { i18n, t } = useLingui();
  return (
    <Wide label={t`Annulments`}>
      <thead>
        <tr>
          <th scope="col">{t`What`}</th>
          <th scope="col">{t`State`}</th>
          <th scope="col">{t`When`}</th>
          <th scope="col">{t`Reason`}</th>
          {organizes && (
            <th scope="col">
              <span className="sr-only">{t`Decision`}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {of.map((each) => (
          <tr key={`${each.of} ${each.subject} ${each.board}`}>
            <th scope="row">
              {i18n._(OF[each.of])} {each.of === "result" ? nameOf(each.subject) : each.subject}
              {each.board && ` (${each.board})`}
            </th>
            <td>{each.annulled ? t`annulled` : t`restored`}</td>
            <td>
              <Moment at={each.at} />
            </td>
            <td>{each.reason}</td>
            {organizes && (
              <td>
                {each.annulled && (
                  <Reasoned
                    label={<Trans>Restore</Trans>}
                    asks={<Trans>Restore {each.subject}: it counts again on boards and in conclusions.</Trans>}
                    act={(reason) =>
                      decide({ of: each.of, subject: each.subject, board: each.board, annulled: false, reason })
                    }
                    done={renewed}
                  />
                )}
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </Wide>
  );
}
