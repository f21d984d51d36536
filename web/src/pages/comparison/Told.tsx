import { Trans } from "@lingui/react/macro";
import styles from "./comparison.module.css";

/** Values of a contest whose answers are no markups: each under its name, as the platform keeps them. */
export function Told({ of }: { of: readonly (readonly [name: string, value: unknown])[] }) {
  return (
    <dl className={styles.told}>
      {of.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Value of={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value({ of }: { of: unknown }) {
  if (of === null || of === undefined) return <Trans>none</Trans>;
  if (typeof of !== "object") return String(of);
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
  return <pre tabIndex={0}>{JSON.stringify(of, null, 2)}</pre>;
}

/** Whether an answer is a markup of an essay, which the pages of the comparison draw. */
export function isMarkup(answer: unknown): boolean {
  return typeof answer === "object" && answer !== null && "selections" in answer;
}
