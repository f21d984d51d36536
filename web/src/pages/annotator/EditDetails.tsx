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
import type { Fragment } from "@/text/markup";
import { languageTag, MessageList } from "@/ui/contest";
import { Button, Sheet } from "@/ui/controls";
import { Check, Offers } from "@/ui/forms";
import { PageSection } from "@/ui/Page";
import styles from "./annotator.module.css";
import { Field, LinkField } from "./Details";
import { type Id, useDesk, useView } from "./desk";

/** All details of one error. */
export function EditDetails({ text, remove, back }: { text: TokenText; remove: (id: Id) => void; back: () => void }) {
  const { t } = useLingui();
  const { active, activate } = useView();
  const desk = useDesk();
  const title = <h2 id="details">{t`The error`}</h2>;
  if (!active) {
    return (
      <section data-zone="details" aria-labelledby="details" className={styles.panel}>
        {title}
        <p className={styles.help}>
          {t`Choose words of the text and press Enter to mark an error, or choose one of those below.`}
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
        <Fields key={active.id} fragment={active} text={text.text} />
        {desk.closed === null && (
          <div className={styles.row}>
            <Button onPress={back}>
              {t`Back to the text`} <kbd>Esc</kbd>
            </Button>
            <Button onPress={() => remove(active.id)}>{t`Remove`}</Button>
          </div>
        )}
      </div>
    </Sheet>
  );
}

function Fields({ fragment, text }: { fragment: Fragment; text: string }) {
  const { t } = useLingui();
  const desk = useDesk();
  const types = useId();
  const readOnly = desk.closed !== null;
  const words = quoteOf(text, fragment);
  const codes = [...new Set([...desk.uses.keys(), ...desk.fragments.map(({ code }) => code), ...USUAL_TYPES])];
  return (
    <>
      <p>
        <What words={words} correction={fragment.correction} />
      </p>
      <MessageList
        of={desk.judged?.faults.filter(({ where }) => desk.fragments[placeOf(where.field)]?.id === fragment.id) ?? []}
        className={styles.remarks}
      />
      <Field label={t`Correction`} help={t`The correct words; leave empty to remove the words.`}>
        {(input) => (
          <input
            {...input}
            value={fragment.correction}
            readOnly={readOnly}
            lang={languageTag(desk.assignment.language)}
            onChange={({ target }) =>
              desk.run(change(fragment, { correction: target.value }, "edit", `correction ${fragment.id}`))
            }
          />
        )}
      </Field>
      <Field label={t`Type`} help={t`As the corpus names its types; those you used and ERRANT's are offered.`}>
        {(input) => (
          <>
            <input
              {...input}
              list={types}
              value={fragment.code}
              readOnly={readOnly}
              onChange={({ target }) =>
                desk.run(change(fragment, { code: target.value }, "code", `type ${fragment.id}`))
              }
              onBlur={({ target }) => {
                if (target.value !== "" && !readOnly) desk.picked(target.value);
              }}
            />
            <Offers id={types} of={codes.filter((word) => word !== "")} />
          </>
        )}
      </Field>
      <ContextFields fragment={fragment} />
      <LinkField
        of={fragment}
        label={t`Corrected together with`}
        none={t`no other error`}
        nameOf={(tag, linked) => `${linkOf(tag)} ${linked.map(({ correction }) => correction || "∅").join(", ")}`}
        fresh={(tag) => t`a new group ${tag}`}
      />
    </>
  );
}

function What({ words, correction }: { words: string; correction: string }) {
  const { t } = useLingui();
  if (words === "" && correction === "") return <Trans>Something is missing here: write the missing words.</Trans>;
  if (words === "") return <Trans>Inserts “{correction}”.</Trans>;
  if (correction === "") return <Trans>Removes “{words}”.</Trans>;
  if (correction === words) return <Trans>Changes nothing yet: “{words}”.</Trans>;
  return t`Replaces “${words}” with “${correction}”.`;
}

const NEW: Partial<Context> = { detection: false, correction: false };

/** Fields for the context that an error needs, if any: its purpose, its side and its distance. */
function ContextFields({ fragment }: { fragment: Fragment }) {
  const { t } = useLingui();
  const desk = useDesk();
  const context = contextOf(fragment);
  const say = (context: Partial<Context> | null, joins?: string) => desk.run(withContext(fragment, context, joins));
  const sides = {
    left: t`before the error`,
    right: t`after the error`,
    either: t`on either side, each is enough`,
    both: t`on both sides together`,
  };
  return (
    <fieldset className={styles.questions} disabled={desk.closed !== null}>
      <legend>{t`Context`}</legend>
      <Check
        label={t`Seeing or correcting it needs more than its own clause`}
        value={context !== null}
        change={(checked) => say(checked ? NEW : null)}
      />
      {context !== null && (
        <>
          {(["detection", "correction"] as const).map((name) => (
            <Check
              key={name}
              label={name === "detection" ? t`needed to see that it is wrong` : t`needed to correct it`}
              value={context[name] ?? false}
              change={(checked) => say({ ...context, [name]: checked })}
            />
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
            take={(side) => say(onSide(context, DIRECTIONS.find((direction) => direction === side) ?? "left"))}
          />
          {context.direction !== undefined && context.direction !== "right" && (
            <Distance
              label={t`How far before`}
              value={context.left ?? 1}
              take={(words) => say({ ...context, left: words }, `left ${fragment.id}`)}
            />
          )}
          {context.direction !== undefined && context.direction !== "left" && (
            <Distance
              label={t`How far after`}
              value={context.right ?? 1}
              take={(right) => say({ ...context, right }, `right ${fragment.id}`)}
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
  return (
    <Field label={label}>
      {(input) => (
        <select {...input} value={value} onChange={({ target }) => take(target.value)}>
          {value === "" && <option value="">{t`choose …`}</option>}
          {Object.entries(choices).map(([name, title]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

const FARTHEST = 99;

function Distance({ label, value, take }: { label: string; value: number; take: (value: number) => void }) {
  return (
    <Field label={label}>
      {(input) => (
        <input
          {...input}
          type="number"
          min={1}
          max={FARTHEST}
          value={value}
          onChange={({ target }) => {
            const count = Math.trunc(target.valueAsNumber);
            if (count >= 1 && count <= FARTHEST) take(count);
          }}
        />
      )}
    </Field>
  );
}

/** All errors in the order of the text. */
export function EditList({ ordered }: { ordered: readonly Fragment[] }) {
  const { t } = useLingui();
  const { essay, judged } = useDesk();
  const { active, activate } = useView();
  const faulty = new Set(judged?.faults.map(({ where }) => placeOf(where.field)));
  const { fragments } = useDesk();
  return (
    <PageSection
      id="edits"
      title={<Plural value={ordered.length} one="# error" other="# errors" />}
      className={styles.panel}
    >
      {ordered.length === 0 && (
        <p className={styles.help}>
          {t`Choose words and press Enter. If there is no error in the text, hand it in as it is.`}
        </p>
      )}
      <ol className={styles.edits}>
        {ordered.map((fragment) => (
          <li key={fragment.id}>
            <button
              type="button"
              className={styles.link}
              aria-current={fragment.id === active?.id ? "true" : undefined}
              onClick={() => activate(fragment.id)}
            >
              <q>{quoteOf(essay.text, fragment) || "…"}</q> → <b>{fragment.correction || "∅"}</b>
            </button>{" "}
            <small>
              {fragment.code || t`no type yet`} {linkOf(fragment.tag)} {contextOf(fragment) !== null && t`context`}
              {faulty.has(fragments.indexOf(fragment)) && <span className={styles.fault}>{t`to be corrected`}</span>}
            </small>
          </li>
        ))}
      </ol>
    </PageSection>
  );
}

/** Return the index of the sent error that a fault's field names; NaN if it names none. */
export function placeOf(field: unknown): number {
  return Number(/^edits\[(\d+)\]/.exec(String(field))?.[1] ?? Number.NaN);
}
