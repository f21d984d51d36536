import { Trans, useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { Moment } from "@/ui/moments";
import parts from "@/ui/parts.module.css";
import { Wide } from "@/ui/Wide";
import { modeWord, type SessionBody, stateWord } from "./words";

interface SessionTableProps {
  sessions: readonly SessionBody[];
  link: (sessionId: string) => ReactNode;
}

/** Sessions with their states and counts. */
export function SessionTable({ sessions, link }: SessionTableProps) {
  const { i18n, t } = useLingui();
  return (
    <Wide label={t`Table of sessions`}>
      <thead>
        <tr>
          <th scope="col">
            <Trans>Session</Trans>
          </th>
          <th scope="col">
            <Trans>State</Trans>
          </th>
          <th scope="col">
            <Trans>Answered</Trans>
          </th>
          <th scope="col">
            <Trans>Void</Trans>
          </th>
          <th scope="col">
            <Trans>Mode</Trans>
          </th>
          <th scope="col">
            <Trans>Set</Trans>
          </th>
          <th scope="col">
            <Trans>Opened</Trans>
          </th>
        </tr>
      </thead>
      <tbody>
        {sessions.map((each) => (
          <tr key={each.session_id}>
            <th scope="row">{link(each.session_id)}</th>
            <td>
              {i18n._(stateWord(each.state))}
              {each.annulled && (
                <span className={parts.void}>
                  {" "}
                  <Trans>annulled: {each.annulled.reason}</Trans>
                </span>
              )}
            </td>
            <td>
              {each.counts.answered}/{each.files}
            </td>
            <td>{each.counts.voided}</td>
            <td>{i18n._(modeWord(each.mode))}</td>
            <td>{each.set}</td>
            <td>
              <Moment at={each.opened_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </Wide>
  );
}
