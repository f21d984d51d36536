import { Trans } from "@lingui/react/macro";
import styles from "./ui.module.css";

/** Grey lines in the place of what comes; they show after 150 ms, so that a quick answer does not flicker. */
export function Skeleton({ lines }: { lines: number }) {
  return (
    <div className={styles.skeleton}>
      <span className="sr-only" role="status">
        <Trans>Loading</Trans>
      </span>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all the same
        <div key={line} aria-hidden="true" />
      ))}
    </div>
  );
}
