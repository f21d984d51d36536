import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { type KeyboardEvent, memo, type ReactNode, useEffect, useId, useRef } from "react";
import { familyOf, markOf, UNKNOWN } from "@/text/codes";
import { type Command, change, removal } from "@/text/commands";
import { linkOf, quoteOf } from "@/text/drawn";
import { type Fragment, freshTag, isWholeText, type Written } from "@/text/markup";
import { inLanguage, MessageList, useLanguage } from "@/ui/contest";
import { Button, isPhone, Sheet } from "@/ui/controls";
import { Offers } from "@/ui/forms";
import { PageSection } from "@/ui/Page";
import styles from "./annotator.module.css";
import { type Id, moveBorder, useDesk, useView } from "./desk";

/** All details of one fragment. */
export function Details() {
  const { t } = useLingui();
  const { active, activate, toText } = useView();
  const title = <h2 id="details">{t`Details`}</h2>;
  if (active) {
    const close = () => {
      activate(null);
      toText();
    };
    return (
      <Sheet zone="details" labelledBy="details" close={close} className={styles.panel}>
        {title}
        {/* biome-ignore lint/a11y/noStaticElementInteractions: Esc and Enter leave the fields, wherever in them */}
        <div
          data-open
          onKeyDown={(event) => {
            const { target } = event;
            const isLine = target instanceof HTMLInputElement;
            if (isPhone() || !(event.key === "Escape" || (event.key === "Enter" && isLine))) return;
            event.preventDefault();
            toText(isWholeText(active) ? undefined : { start: active.end, end: active.end });
          }}
        >
          <Fields fragment={active} />
        </div>
      </Sheet>
    );
  }
  return (
    <section data-zone="details" aria-labelledby="details" className={styles.panel}>
      {title}
      <p>{t`Click an annotated place, or press Alt+↓, to see its details.`}</p>
    </section>
  );
}

function Fields({ fragment }: { fragment: Fragment }) {
  const { t } = useLingui();
  const desk = useDesk();
  const { pick } = useView();
  const language = useLanguage();
  const code = desk.codeOf(fragment.code);
  const isOpen = desk.closed === null;
  const remarks = [...(desk.judged?.faults ?? []), ...(desk.judged?.warnings ?? [])];
  return (
    <>
      <p>
        <q>{isWholeText(fragment) ? <Trans>the whole text</Trans> : quoteOf(desk.essay.text, fragment)}</q>
      </p>
      <div className={styles.row}>
        {isOpen ? (
          <Button
            aria-label={t`Change the code ${fragment.code}`}
            onPress={() => pick({ for: { id: fragment.id }, typed: "" })}
          >
            {fragment.code}
          </Button>
        ) : (
          <b>{fragment.code}</b>
        )}
        {isOpen && !isWholeText(fragment) && <Borders fragment={fragment} />}
      </div>
      {code && <p className={styles.help}>{inLanguage(code.description, language) || desk.titleOf(code.category)}</p>}
      <MessageList
        of={remarks.filter((remark) => String(remark.where.fragment) === String(fragment.id))}
        className={styles.remarks}
      />
      <Line
        fragment={fragment}
        name="comment"
        label={t`Comment`}
        help={t`Names the type of error; it does not cite the essay.`}
      />
      {(code?.correction || fragment.correction) && (
        <Line fragment={fragment} name="correction" label={t`Correction`} help={t`The correct words.`} />
      )}
      <Line
        fragment={fragment}
        name="explanation"
        label={t`Explanation`}
        help={t`Is about this very fragment: what is wrong in it, and why.`}
        rows={3}
      />
      <Line
        fragment={fragment}
        name="subtype"
        label={t`Subtype`}
        help={t`The kind of error within the code.`}
        choices={code?.subtypes ?? []}
      />
      {(code?.relation || fragment.tag) && <Link fragment={fragment} />}
    </>
  );
}

/** Focus the comment of the fragment shown in the details; if nothing can be written, focus its first control. */
export function focusDetails(): void {
  const details = document.querySelector("[data-zone=details]");
  const inputs = [...(details?.querySelectorAll<HTMLElement>("input, textarea, button") ?? [])];
  // Hidden elements take no focus: the sheet's close button is shown on phones only.
  inputs.sort((one, other) => Number(other.matches("input")) - Number(one.matches("input")));
  inputs.find((element) => element.checkVisibility())?.focus();
}

function Borders({ fragment }: { fragment: Fragment }) {
  const { t } = useLingui();
  const desk = useDesk();
  const button = (side: "start" | "end", by: -1 | 1, label: string) => (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={styles.border}
      onClick={(event) => moveBorder(desk, fragment, side, by, event.altKey)}
    >
      {by < 0 ? "◂" : "▸"}
    </button>
  );
  return (
    <span className={styles.borders}>
      {button("start", -1, t`Start a word earlier (Alt: a character)`)}
      {button("start", 1, t`Start a word later (Alt: a character)`)}
      <span aria-hidden="true">…</span>
      {button("end", -1, t`End a word earlier (Alt: a character)`)}
      {button("end", 1, t`End a word later (Alt: a character)`)}
    </span>
  );
}

interface LineProps {
  fragment: Fragment;
  name: Written;
  label: string;
  help: string;
  /** Texts that are offered. */
  choices?: readonly string[];
  /** Height of a longer text, in lines. */
  rows?: number;
}

/** Field for one of a fragment's texts. */
function Line({ fragment, name, label, help, choices = [], rows }: LineProps) {
  const desk = useDesk();
  const list = useId();
  const field = {
    value: fragment[name],
    readOnly: desk.closed !== null,
    onChange: (event: { target: { value: string } }) =>
      desk.run(change(fragment, { [name]: event.target.value }, "write", `${name} ${fragment.id}`)),
  };
  return (
    <Field label={label} help={help}>
      {(input) => (
        <>
          {rows ? (
            <textarea {...input} {...field} rows={rows} />
          ) : (
            <input {...input} {...field} list={choices.length > 0 ? list : undefined} />
          )}
          {choices.length > 0 && <Offers id={list} of={choices} />}
        </>
      )}
    </Field>
  );
}

interface FieldProps {
  label: string;
  help?: string;
  /** Input, with the attributes that link it to its label and its help. */
  children: (input: { id: string; "aria-describedby": string | undefined }) => ReactNode;
}

/** Field of the details: label above, help below. */
export function Field({ label, help, children }: FieldProps) {
  const id = useId();
  const helpId = help === undefined ? undefined : `${id}-help`;
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      {children({ id, "aria-describedby": helpId })}
      {help !== undefined && <small id={helpId}>{help}</small>}
    </div>
  );
}

interface LinkFieldProps extends Omit<FieldProps, "children"> {
  of: Fragment;
  none: string;
  /** Return a link's name, made from its fragments. */
  nameOf: (tag: string, linked: readonly Fragment[]) => string;
  fresh: (tag: string) => string;
}

/** Choice of the link that a fragment belongs to: linked fragments have the same tag. */
export function LinkField({ of, none, nameOf, fresh, ...rest }: LinkFieldProps) {
  const desk = useDesk();
  const groups = new Map<string, Fragment[]>();
  for (const fragment of desk.fragments) {
    if (fragment.tag) groups.set(fragment.tag, [...(groups.get(fragment.tag) ?? []), fragment]);
  }
  const next = freshTag(desk.fragments);
  return (
    <Field {...rest}>
      {(input) => (
        <select
          {...input}
          value={of.tag}
          disabled={desk.closed !== null}
          onChange={({ target }) => desk.run(change(of, { tag: target.value }, "link"))}
        >
          <option value="">{none}</option>
          {[...groups].map(([tag, linked]) => (
            <option key={tag} value={tag}>
              {nameOf(tag, linked)}
            </option>
          ))}
          {!groups.has(next) && <option value={next}>{fresh(next)}</option>}
        </select>
      )}
    </Field>
  );
}

function Link({ fragment }: { fragment: Fragment }) {
  const { t } = useLingui();
  const { fragments } = useDesk();
  const alone = fragment.tag !== "" && fragments.filter(({ tag }) => tag === fragment.tag).length === 1;
  return (
    <LinkField
      of={fragment}
      label={t`Link`}
      help={alone ? t`Nothing else has this number yet.` : t`Fragments with the same number belong together.`}
      none={t`none`}
      nameOf={(tag, linked) => `${tag} ${linkOf(tag)} ${linked.map(({ code }) => code).join(", ")}`}
      fresh={(tag) => t`${tag} new`}
    />
  );
}

/** All fragments in the order of the text. */
export function Fragments({ ordered, remove }: { ordered: readonly Fragment[]; remove: (command: Command) => void }) {
  const { t } = useLingui();
  const desk = useDesk();
  const { active, goTo } = useView();
  const list = useRef<HTMLDivElement>(null);
  const current = ordered.find((fragment) => fragment.id === active?.id) ?? ordered[0];
  useEffect(() => {
    if (active) list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [active]);
  const move = (to: Fragment | undefined) => {
    if (!to) return;
    goTo(to.id);
    list.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(String(to.id))}"]`)?.focus();
  };
  const pressed = (event: KeyboardEvent<HTMLDivElement>) => {
    if (!current || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = ordered.indexOf(current);
    const isOpen = desk.closed === null;
    const side = event.shiftKey ? "start" : "end";
    if (event.key === "ArrowDown") move(ordered[at + 1]);
    else if (event.key === "ArrowUp") move(ordered[at - 1]);
    else if (event.key === "Home") move(ordered[0]);
    else if (event.key === "End") move(ordered.at(-1));
    else if (event.key === "Enter" || event.key === " ") {
      goTo(current.id);
      focusDetails();
    } else if (isOpen && event.key === "ArrowRight") moveBorder(desk, current, side, 1, false);
    else if (isOpen && event.key === "ArrowLeft") moveBorder(desk, current, side, -1, false);
    else if (isOpen && event.key === "Delete") {
      remove(removal(desk.fragments, current.id));
      move(ordered[at + 1] ?? ordered[at - 1]);
    } else return;
    event.preventDefault();
  };
  return (
    <PageSection
      id="fragments"
      title={<Plural value={ordered.length} one="# fragment" other="# fragments" />}
      data-zone="list"
      className={styles.panel}
    >
      {ordered.length === 0 ? (
        <p>{t`Nothing is marked yet. Select words in the text and type a code, or press Enter.`}</p>
      ) : (
        <div
          ref={list}
          role="listbox"
          aria-label={t`Fragments`}
          className={styles.list}
          onKeyDown={pressed}
          tabIndex={-1}
        >
          {ordered.map((fragment) => (
            <Item
              key={fragment.id}
              fragment={fragment}
              text={desk.essay.text}
              code={desk.codeOf(fragment.code)}
              isActive={fragment.id === active?.id}
              isFirst={fragment === current}
              faults={faultsOf(desk.judged, fragment.id)}
              goTo={goTo}
            />
          ))}
        </div>
      )}
    </PageSection>
  );
}

interface ItemProps {
  fragment: Fragment;
  text: string;
  code: ReturnType<ReturnType<typeof useDesk>["codeOf"]>;
  isActive: boolean;
  isFirst: boolean;
  faults: number;
  goTo: (id: Id) => void;
}

const Item = memo(function Item({ fragment, text, code, isActive, isFirst, faults, goTo }: ItemProps) {
  const family = code ?? UNKNOWN;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list takes the keys
    <div
      role="option"
      aria-selected={isActive}
      tabIndex={isFirst ? 0 : -1}
      data-id={fragment.id}
      data-family={familyOf(family)}
      onClick={() => goTo(fragment.id)}
    >
      <span className={styles.mark} aria-hidden="true">
        {markOf(family)}
      </span>
      <b>
        {fragment.code}
        {fragment.subtype && `/${fragment.subtype}`} {linkOf(fragment.tag)}
      </b>
      {faults > 0 && (
        <span className={styles.fault}>
          <span aria-hidden="true">⚠</span>
          <span className="sr-only">
            <Plural value={faults} one="# remark" other="# remarks" />
          </span>
        </span>
      )}
      <q>{fragment.start === fragment.end ? <Trans>the whole text</Trans> : quoteOf(text, fragment)}</q>
    </div>
  );
});

function faultsOf(judged: ReturnType<typeof useDesk>["judged"], id: Id): number {
  if (!judged) return 0;
  return [...judged.faults, ...judged.warnings].filter((fault) => String(fault.where.fragment) === String(id)).length;
}

/** Fragments that are about the essay as a whole. */
export function WholeText({ add }: { add: () => void }) {
  const { t } = useLingui();
  const desk = useDesk();
  const { goTo } = useView();
  const wholes = desk.fragments.filter(isWholeText);
  const isOpen = desk.closed === null;
  if (!isOpen && wholes.length === 0) return null;
  return (
    <PageSection id="whole-text" title={t`Whole text`} className={styles.panel}>
      {wholes.length > 0 && (
        <ul className={styles.chips}>
          {wholes.map((fragment) => (
            <li key={fragment.id}>
              <button type="button" onClick={() => goTo(fragment.id)}>
                {fragment.code}
              </button>
              {isOpen && (
                <button
                  type="button"
                  aria-label={t`Remove ${fragment.code}`}
                  onClick={() => desk.run(removal(desk.fragments, fragment.id))}
                >
                  ✕
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {isOpen && <Button onPress={add}>{t`Add an error of the whole text`}</Button>}
    </PageSection>
  );
}
