import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useId } from "react";
import {
  type Context,
  change,
  contextOf,
  DIRECTIONS,
  onSide,
  type TokenText,
  USUAL_TYPES,
  withContext,
} from "@/text/commands";
import { linkOf, quoteOf } from "@/text/drawn";
import { type Fragment, freshTag } from "@/text/markup";
import { useLanguage } from "@/ui/contest";
import { Button, Sheet } from "@/ui/controls";
import styles from "./annotator.module.css";
import { type Id, useDesk, useView } from "./desk";

interface DetailsProps {
  of: TokenText;
  remove: (id: Id) => void;
  back: () => void;
}

/** Everything that is said of one error. */
export function EditDetails({ of, remove, back }: DetailsProps) {
  const { active, activate } = useView();
  const desk = useDesk();
  const title = (
    <h2 id="details">
      <Trans>The error</Trans>
    </h2>
  );
  if (!active) {
    return (
      <section data-zone="details" aria-labelledby="details" className={styles.panel}>
        {title}
        <p className={styles.help}>
          <Trans>Choose words of the text and press Enter to mark an error, or choose one of those below.</Trans>
        </p>
      </section>
    );
  }
  const close = () => {
    activate(null);
    back();
  };
  return (
    <Sheet zone="details" labelledBy="details" close={close} className={styles.panel}>
      {title}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Esc leaves the fields, wherever in them it is pressed */}
      <div
        onKeyDown={(event) => {
          if (event.key === "Escape") back();
        }}
      >
        <Fields key={active.id} of={active} text={of.text} />
        {desk.closed === null && (
          <div className={styles.row}>
            <Button onPress={back}>
              <Trans>Back to the text</Trans> <kbd>Esc</kbd>
            </Button>
            <Button onPress={() => remove(active.id)}>
              <Trans>Remove</Trans>
            </Button>
          </div>
        )}
      </div>
    </Sheet>
  );
}

function Fields({ of, text }: { of: Fragment; text: string }) {
  const { t } = useLingui();
  const desk = useDesk();
  const id = useId();
  const readOnly = desk.closed !== null;
  const words = quoteOf(text, of);
  const groups = new Map<string, string[]>();
  for (const each of desk.fragments) {
    if (each.tag) groups.set(each.tag, [...(groups.get(each.tag) ?? []), each.correction || "∅"]);
  }
  const fresh = freshTag(desk.fragments);
  const known = [...new Set([...desk.uses.keys(), ...desk.fragments.map(({ code }) => code), ...USUAL_TYPES])];
  return (
    <>
      <p>
        <What words={words} correction={of.correction} />
      </p>
      <Remarks of={of} />
      <div className={styles.field}>
        <label htmlFor={`${id}-correction`}>
          <Trans>Correction</Trans>
        </label>
        <input
          id={`${id}-correction`}
          aria-describedby={`${id}-correction-help`}
          value={of.correction}
          readOnly={readOnly}
          lang={desk.assignment.language === "eng" ? "en" : undefined}
          onChange={({ target }) => desk.run(change(of, { correction: target.value }, "edit", `correction ${of.id}`))}
        />
        <small id={`${id}-correction-help`}>
          <Trans>The words that should stand there; nothing where the words are to go.</Trans>
        </small>
      </div>
      <div className={styles.field}>
        <label htmlFor={`${id}-type`}>
          <Trans>Type</Trans>
        </label>
        <input
          id={`${id}-type`}
          aria-describedby={`${id}-type-help`}
          list={`${id}-types`}
          value={of.code}
          readOnly={readOnly}
          onChange={({ target }) => desk.run(change(of, { code: target.value }, "code", `type ${of.id}`))}
          onBlur={({ target }) => {
            if (target.value !== "" && !readOnly) desk.picked(target.value);
          }}
        />
        <datalist id={`${id}-types`}>
          {known
            .filter((each) => each !== "")
            .map((each) => (
              <option key={each} value={each} />
            ))}
        </datalist>
        <small id={`${id}-type-help`}>
          <Trans>As the corpus names its types; those you used and ERRANT's are offered.</Trans>
        </small>
      </div>
      <ContextFields of={of} />
      <div className={styles.field}>
        <label htmlFor={`${id}-group`}>
          <Trans>Goes together with</Trans>
        </label>
        <select
          id={`${id}-group`}
          value={of.tag}
          disabled={readOnly}
          onChange={({ target }) => desk.run(change(of, { tag: target.value }, "link"))}
        >
          <option value="">{t`no other error`}</option>
          {[...groups].map(([tag, corrections]) => (
            <option key={tag} value={tag}>
              {linkOf(tag)} {corrections.join(", ")}
            </option>
          ))}
          {!groups.has(fresh) && <option value={fresh}>{t`a new group ${fresh}`}</option>}
        </select>
      </div>
    </>
  );
}

/** What the correction does, in words. */
function What({ words, correction }: { words: string; correction: string }) {
  if (words === "" && correction === "") return <Trans>Something is missing here: write what.</Trans>;
  if (words === "") return <Trans>Inserts “{correction}”.</Trans>;
  if (correction === "") return <Trans>Removes “{words}”.</Trans>;
  if (correction === words) return <Trans>Changes nothing yet: “{words}”.</Trans>;
  return (
    <Trans>
      Replaces “{words}” with “{correction}”.
    </Trans>
  );
}

function Remarks({ of }: { of: Fragment }) {
  const { judged, fragments } = useDesk();
  const language = useLanguage();
  const own = judged?.faults.filter(({ where }) => fragments[placeOf(where.field)]?.id === of.id) ?? [];
  if (own.length === 0) return null;
  return (
    <ul className={styles.remarks}>
      {own.map((each) => (
        <li key={each.code + each.message}>{language === "ru" ? each.message_ru : each.message}</li>
      ))}
    </ul>
  );
}

const NEW: Partial<Context> = { detection: false, correction: false };

/** Whether the error needs context, and if so for what, where it is, and how far. */
function ContextFields({ of }: { of: Fragment }) {
  const { t } = useLingui();
  const desk = useDesk();
  const context = contextOf(of);
  const say = (said: Partial<Context> | null, joins?: string) => desk.run(withContext(of, said, joins));
  const sides = {
    left: t`before the error`,
    right: t`after the error`,
    either: t`on either side, each is enough`,
    both: t`on both sides together`,
  };
  return (
    <fieldset className={styles.questions} disabled={desk.closed !== null}>
      <legend>
        <Trans>Context</Trans>
      </legend>
      <label>
        <input type="checkbox" checked={context !== null} onChange={() => say(context === null ? NEW : null)} />{" "}
        <Trans>More than its own clause is needed to see or to mend it</Trans>
      </label>
      {context !== null && (
        <>
          {(["detection", "correction"] as const).map((name) => (
            <label key={name}>
              <input
                type="checkbox"
                checked={context[name] ?? false}
                onChange={({ target }) => say({ ...context, [name]: target.checked })}
              />{" "}
              {name === "detection" ? <Trans>needed to see that it is wrong</Trans> : <Trans>needed to mend it</Trans>}
            </label>
          ))}
          <Choice
            label={t`How far is counted in`}
            value={context.scope ?? ""}
            choices={{ clause: t`clauses`, sentence: t`sentences` }}
            take={(scope) => say({ ...context, scope: scope as Context["scope"] })}
          />
          <Choice
            label={t`The context is`}
            value={context.direction ?? ""}
            choices={sides}
            take={(side) => say(onSide(context, DIRECTIONS.find((each) => each === side) ?? "left"))}
          />
          {context.direction !== undefined && context.direction !== "right" && (
            <Distance
              label={t`How far before`}
              value={context.left ?? 1}
              take={(left) => say({ ...context, left }, `left ${of.id}`)}
            />
          )}
          {context.direction !== undefined && context.direction !== "left" && (
            <Distance
              label={t`How far after`}
              value={context.right ?? 1}
              take={(right) => say({ ...context, right }, `right ${of.id}`)}
            />
          )}
        </>
      )}
    </fieldset>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  choices: Readonly<Record<string, string>>;
  take: (value: string) => void;
}

function Choice({ label, value, choices, take }: ChoiceProps) {
  const { t } = useLingui();
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={({ target }) => take(target.value)}>
        {value === "" && <option value="">{t`choose …`}</option>}
        {Object.entries(choices).map(([name, title]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
    </div>
  );
}

const FARTHEST = 99;

function Distance({ label, value, take }: { label: string; value: number; take: (value: number) => void }) {
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="number"
        min={1}
        max={FARTHEST}
        value={value}
        onChange={({ target }) => {
          const wanted = Math.trunc(target.valueAsNumber);
          if (wanted >= 1 && wanted <= FARTHEST) take(wanted);
        }}
      />
    </div>
  );
}

/** All errors in the order of the text. */
export function EditList({ ordered }: { ordered: readonly Fragment[] }) {
  const { essay, judged } = useDesk();
  const { active, activate } = useView();
  const faulty = new Set(judged?.faults.map(({ where }) => placeOf(where.field)));
  const { fragments } = useDesk();
  return (
    <section aria-labelledby="edits" className={styles.panel}>
      <h2 id="edits">
        <Plural value={ordered.length} one="# error" other="# errors" />
      </h2>
      {ordered.length === 0 && (
        <p className={styles.help}>
          <Trans>Choose words and press Enter. If there is no error in the text, hand it in as it is.</Trans>
        </p>
      )}
      <ol className={styles.edits}>
        {ordered.map((each) => (
          <li key={each.id}>
            <button
              type="button"
              className={styles.link}
              aria-current={each.id === active?.id ? "true" : undefined}
              onClick={() => activate(each.id)}
            >
              <q>{quoteOf(essay.text, each) || "…"}</q> → <b>{each.correction || "∅"}</b>
            </button>{" "}
            <small>
              {each.code || <Trans>no type yet</Trans>} {linkOf(each.tag)}{" "}
              {contextOf(each) !== null && <Trans>context</Trans>}
              {faulty.has(fragments.indexOf(each)) && (
                <span className={styles.fault}>
                  <Trans>to be put right</Trans>
                </span>
              )}
            </small>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The place of an error among those that were sent, from the field that a fault names; none where it names no error. */
export function placeOf(field: unknown): number {
  return Number(/^edits\[(\d+)\]/.exec(String(field))?.[1] ?? Number.NaN);
}
