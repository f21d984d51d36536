import { Trans, useLingui } from "@lingui/react/macro";
import { removal } from "@/text/commands";
import { isWholeText } from "@/text/markup";
import { Button } from "@/ui/controls";
import styles from "./annotator.module.css";
import { useDesk, useView } from "./desk";

/** What is said of the essay as a whole. */
export function WholeText({ add }: { add: () => void }) {
  const { t } = useLingui();
  const desk = useDesk();
  const { goTo } = useView();
  const found = desk.fragments.filter(isWholeText);
  const isOpen = desk.closed === null;
  if (!isOpen && found.length === 0) return null;
  return (
    <section aria-labelledby="whole-text" className={styles.panel}>
      <h2 id="whole-text">
        <Trans>Whole text</Trans>
      </h2>
      {found.length > 0 && (
        <ul className={styles.chips}>
          {found.map((each) => (
            <li key={each.id}>
              <button type="button" onClick={() => goTo(each.id)}>
                {each.code}
              </button>
              {isOpen && (
                <button
                  type="button"
                  aria-label={t`Remove ${each.code}`}
                  onClick={() => desk.run(removal(desk.fragments, each.id))}
                >
                  ✕
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {isOpen && (
        <Button onPress={add}>
          <Trans>Add an error of the whole text</Trans>
        </Button>
      )}
    </section>
  );
}
