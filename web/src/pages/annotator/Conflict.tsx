import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { sameFragments } from "@/text/journal";
import { type Fragment, inOrder } from "@/text/markup";
import { quoteOf } from "@/text/painted";
import { Button } from "@/ui/controls";
import styles from "./annotator.module.css";
import { useDesk } from "./desk";

/** Two drafts of one essay, from two devices: what only one of them has, and the choice. */
export function Conflict() {
  const { t } = useLingui();
  const { save, fragments, settle } = useDesk();
  if (save.kind !== "conflict") return null;
  return (
    <section role="alert" className={styles.conflict} aria-labelledby="conflict">
      <h2 id="conflict">
        <Trans>Another device saved a newer draft</Trans>
      </h2>
      <p>
        <Trans>Nothing is lost: choose which one goes on. Every saved version stays on the platform.</Trans>
      </p>
      <div className={styles.two}>
        <Side title={t`This device`} own={fragments} other={save.theirs} />
        <Side title={t`The other device`} own={save.theirs} other={fragments} />
      </div>
      <div className={styles.row}>
        <Button onPress={() => settle("mine")}>
          <Trans>Go on with this device's</Trans>
        </Button>
        <Button onPress={() => settle("theirs")}>
          <Trans>Go on with the other's (can be undone)</Trans>
        </Button>
      </div>
    </section>
  );
}

function Side({ title, own, other }: { title: string; own: readonly Fragment[]; other: readonly Fragment[] }) {
  const { essay } = useDesk();
  const alone = inOrder(own).filter((each) => !other.some((twin) => sameFragments([each], [twin])));
  return (
    <div>
      <h3>{title}</h3>
      <p>
        <Plural value={own.length} one="# fragment" other="# fragments" />;{" "}
        <Plural value={alone.length} one="# only here:" other="# only here:" />
      </p>
      <ul>
        {alone.map((each) => (
          <li key={each.id}>
            <b>{each.code}</b> <q>{quoteOf(essay.text, each)}</q>
          </li>
        ))}
      </ul>
    </div>
  );
}
