import { Trans, useLingui } from "@lingui/react/macro";
import { causeWord } from "@/pages/cabinet/words";
import { STATES } from "@/pages/public/Runs";
import { TimeOfDay, useSeconds } from "@/ui/moments";
import styles from "./conduct.module.css";
import { CAUSES, type Watch } from "./data";
import { NextOpening } from "./Grid";

/** Is everybody connected, is anything ours broken? */
export function Counters({ of }: { of: Watch }) {
  const { i18n } = useLingui();
  const seconds = useSeconds();
  const { opened, total_files: files, connected, teams, delay_ms: delay, next_opening: next } = of;
  const late = delay.p95 === null ? "—" : seconds(delay.p95);
  const isOpening = opened > 0 && (of.state === "running" || of.state === "paused");
  const platforms = of.voided.platform ?? 0;
  return (
    <div className={styles.counters}>
      <p className={styles.state}>
        <strong role="status">{i18n._(STATES[of.state])}</strong> ·{" "}
        {isOpening ? (
          <Trans>
            file {opened} of {files} is open
          </Trans>
        ) : (
          <Trans>
            files opened: {opened} of {files}
          </Trans>
        )}
        {next && (
          <>
            {" · "}
            <NextOpening of={next} files={files} />
          </>
        )}
      </p>
      <ul>
        <li>
          <Trans>
            connected {connected} of {teams.length}
          </Trans>
        </li>
        <li>
          <Trans>delay p95 {late}</Trans>
        </li>
        <li data-trouble={platforms > 0 || undefined}>
          <Trans>lost to the platform: {platforms}</Trans> {platforms === 0 ? "✓" : "⚠"}
        </li>
        {CAUSES.filter((cause) => cause !== "platform").map((cause) => (
          <li key={cause}>
            {i18n._(causeWord(cause))}: {of.voided[cause] ?? 0}
          </li>
        ))}
        <li>
          <Trans>
            as of <TimeOfDay at={of.now} />
          </Trans>
        </li>
      </ul>
    </div>
  );
}
