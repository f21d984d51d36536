import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { type KeyboardEvent, memo, useEffect, useRef } from "react";
import { type Command, removal } from "@/text/commands";
import { familyOf, markOf, UNKNOWN } from "@/text/families";
import type { Fragment } from "@/text/markup";
import { linkOf, quoteOf } from "@/text/painted";
import styles from "./annotator.module.css";
import { type Id, useDesk, useView } from "./desk";
import { moveBorder } from "./useKeys";

/** All fragments in the order of the text. */
export function Fragments({ ordered, remove }: { ordered: readonly Fragment[]; remove: (command: Command) => void }) {
  const { t } = useLingui();
  const desk = useDesk();
  const { active, goTo } = useView();
  const list = useRef<HTMLDivElement>(null);
  const shown = ordered.find((each) => each.id === active?.id) ?? ordered[0];
  useEffect(() => {
    if (active) list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [active]);
  const move = (to: Fragment | undefined) => {
    if (!to) return;
    goTo(to.id);
    list.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(String(to.id))}"]`)?.focus();
  };
  const pressed = (event: KeyboardEvent<HTMLDivElement>) => {
    if (!shown || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = ordered.indexOf(shown);
    const isOpen = desk.closed === null;
    const side = event.shiftKey ? "start" : "end";
    if (event.key === "ArrowDown") move(ordered[at + 1]);
    else if (event.key === "ArrowUp") move(ordered[at - 1]);
    else if (event.key === "Home") move(ordered[0]);
    else if (event.key === "End") move(ordered.at(-1));
    else if (event.key === "Enter" || event.key === " ") {
      goTo(shown.id);
      document.querySelector<HTMLElement>("[data-zone=details] :is(input, textarea, button)")?.focus();
    } else if (isOpen && event.key === "ArrowRight") moveBorder(desk, shown, side, 1, false);
    else if (isOpen && event.key === "ArrowLeft") moveBorder(desk, shown, side, -1, false);
    else if (isOpen && event.key === "Delete") {
      remove(removal(desk.fragments, shown.id));
      move(ordered[at + 1] ?? ordered[at - 1]);
    } else return;
    event.preventDefault();
  };
  return (
    <section data-zone="list" aria-labelledby="fragments" className={styles.panel}>
      <h2 id="fragments">
        <Plural value={ordered.length} one="# fragment" other="# fragments" />
      </h2>
      {ordered.length === 0 ? (
        <p>
          <Trans>Nothing is marked yet. Select words in the text and type a code, or press Enter.</Trans>
        </p>
      ) : (
        <div
          ref={list}
          role="listbox"
          aria-label={t`Fragments`}
          className={styles.list}
          onKeyDown={pressed}
          tabIndex={-1}
        >
          {ordered.map((each) => (
            <Item
              key={each.id}
              of={each}
              text={desk.essay.text}
              code={desk.codeOf(each.code)}
              isActive={each.id === active?.id}
              isFirst={each === shown}
              faults={faultsOf(desk.judged, each.id)}
              goTo={goTo}
            />
          ))}
        </div>
      )}
    </section>
  );
}

interface ItemProps {
  of: Fragment;
  text: string;
  code: ReturnType<ReturnType<typeof useDesk>["codeOf"]>;
  isActive: boolean;
  isFirst: boolean;
  faults: number;
  goTo: (id: Id) => void;
}

const Item = memo(function Item({ of, text, code, isActive, isFirst, faults, goTo }: ItemProps) {
  const known = code ?? UNKNOWN;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list takes the keys
    <div
      role="option"
      aria-selected={isActive}
      tabIndex={isFirst ? 0 : -1}
      data-id={of.id}
      data-family={familyOf(known)}
      onClick={() => goTo(of.id)}
    >
      <span className={styles.mark} aria-hidden="true">
        {markOf(known)}
      </span>
      <b>
        {of.code}
        {of.subtype && `/${of.subtype}`} {linkOf(of.tag)}
      </b>
      {faults > 0 && (
        <span className={styles.fault}>
          <span aria-hidden="true">⚠</span>
          <span className="sr-only">
            <Plural value={faults} one="# remark" other="# remarks" />
          </span>
        </span>
      )}
      <q>{of.start === of.end ? <Trans>the whole text</Trans> : quoteOf(text, of)}</q>
    </div>
  );
});

function faultsOf(judged: ReturnType<typeof useDesk>["judged"], id: Id): number {
  if (!judged) return 0;
  return [...judged.faults, ...judged.warnings].filter((each) => String(each.where.fragment) === String(id)).length;
}
