import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { Schemas } from "@/api/client";
import { EVERY, get } from "@/api/queries";
import { Evidence } from "@/pages/cabinet/Evidence";
import { causeWord, stateWord } from "@/pages/cabinet/words";
import { useTeamName } from "@/pages/desk/teamNames";
import { Button } from "@/ui/controls";
import { TimeOfDay } from "@/ui/moments";
import { Answered } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import styles from "./conduct.module.css";
import type { WatchedTeam } from "./data";

interface PanelProps {
  team: WatchedTeam;
  file: number;
  /** Give its void another cause; only organizers can. */
  rule: (() => void) | null;
  close: () => void;
}

/** One file of one team: what happened when, and why it is void. */
export function DeliveryPanel({ team, file, rule, close }: PanelProps) {
  const { t } = useLingui();
  const name = useTeamName()(team.team_id);
  const heading = useRef<HTMLHeadingElement>(null);
  const status = useQuery(
    get("/v1/sessions/{session_id}", { params: { path: { session_id: team.session_id } } }, EVERY.live),
  );
  const shown = `${team.team_id} ${file}`;
  useEffect(() => {
    if (shown) heading.current?.focus();
  }, [shown]);
  return (
    <section className={styles.delivery} aria-label={t`Delivery`}>
      <h2 ref={heading} tabIndex={-1}>
        <Trans>
          {name}, file {file}
        </Trans>
      </h2>
      <Answered of={status}>
        {({ deliveries }) => {
          const delivery = deliveries.find(({ number }) => number === file);
          return delivery ? <Timeline of={delivery} rule={rule} /> : <Trans>This session has no such file.</Trans>;
        }}
      </Answered>
      <Button onPress={close}>
        <Trans>Close</Trans>
      </Button>
    </section>
  );
}

function Timeline({ of, rule }: { of: Schemas["DeliveryBody"]; rule: (() => void) | null }) {
  const { i18n, t } = useLingui();
  const steps: [string, string | null][] = [
    [t`Opens`, of.opens_at],
    [t`To be asked for by`, of.request_by],
    [t`Handed out`, of.handed_out_at],
    [t`To be answered by`, of.answer_by],
    [t({ message: "Answered", context: "moment" }), of.answered_at],
  ];
  return (
    <>
      <dl className={parts.facts}>
        <dt>{t`State`}</dt>
        <dd>
          {i18n._(stateWord(of.state))}
          {of.cause && `: ${i18n._(causeWord(of.cause))}`}
        </dd>
        {steps.map(([name, at]) => (
          <div key={name} className={styles.step}>
            <dt>{name}</dt>
            <dd>{at ? <TimeOfDay at={at} /> : "—"}</dd>
          </div>
        ))}
        <dt>{t`Sends`}</dt>
        <dd>{of.sends}</dd>
        {of.cause && (
          <>
            <dt>{t`Evidence`}</dt>
            <dd>
              <Evidence of={of.evidence} />
            </dd>
          </>
        )}
      </dl>
      {of.cause && rule && (
        <p>
          <Button onPress={rule}>
            <Trans>Another cause…</Trans>
          </Button>
        </p>
      )}
    </>
  );
}
