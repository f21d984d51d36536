import { Plural, Trans } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { Moment } from "@/ui/moments";
import styles from "./annotator.module.css";
import { StateOf } from "./StateOf";
import { draftOf, kindOf, type Work } from "./server";

/** What came of an assignment: the receipt, or why there is none. */
export function Ended({ of }: { of: Work }) {
  const { assignment } = of;
  const { markup, draft } = assignment;
  const fragments = of.content ? draftOf(of).fragments : [];
  const isLatest = markup !== null && markup.revision === draft?.revision;
  return (
    <section className={styles.receipt} role="status">
      <h2>
        <StateOf state={assignment.state} />
      </h2>
      {markup ? (
        <p>
          <Trans>
            Your draft of <Moment at={markup.saved_at} /> is the markup.
          </Trans>{" "}
          {isLatest &&
            {
              ratings: <Plural value={fragments.length} one="# explanation rated." other="# explanations rated." />,
              edits: <Plural value={fragments.length} one="# error." other="# errors." />,
              markup: <Plural value={fragments.length} one="# fragment." other="# fragments." />,
            }[kindOf(of)]}
        </p>
      ) : (
        <p>
          <Trans>No draft of yours became the markup.</Trans>
        </p>
      )}
      {markup && !isLatest && (
        <p>
          <Trans>
            What was saved after it had faults and did not count. If that is wrong, tell the coordinator at once.
          </Trans>
        </p>
      )}
      {assignment.reason && <p>{assignment.reason}</p>}
      {markup && (
        <p>
          <Trans>
            Revision {markup.revision}, SHA-256 <code>{markup.content_sha256}</code>
          </Trans>
        </p>
      )}
      <Link to="/assignments">
        {kindOf(of) === "edits" ? <Trans>To the next text</Trans> : <Trans>To the next essay</Trans>}
      </Link>
    </section>
  );
}
