import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useId } from "react";
import { change } from "@/text/commands";
import { type Fragment, freshTag, isWholeText, type Written } from "@/text/markup";
import { linkOf, quoteOf } from "@/text/painted";
import { inLanguage, useLanguage } from "@/ui/contest";
import { Button, Sheet } from "@/ui/controls";
import styles from "./annotator.module.css";
import { useDesk, useView } from "./desk";
import { moveBorder } from "./useKeys";

/** Everything that is said of one fragment. */
export function Details() {
  const { active, activate, toText } = useView();
  const title = (
    <h2 id="details">
      <Trans>Details</Trans>
    </h2>
  );
  if (active) {
    const close = () => {
      activate(null);
      toText();
    };
    return (
      <Sheet zone="details" labelledBy="details" close={close} className={styles.panel}>
        {title}
        <Fields of={active} />
      </Sheet>
    );
  }
  return (
    <section data-zone="details" aria-labelledby="details" className={styles.panel}>
      {title}
      <p>
        <Trans>Click a marked place, or press Alt+↓, to see what is said of it.</Trans>
      </p>
    </section>
  );
}

function Fields({ of }: { of: Fragment }) {
  const { t } = useLingui();
  const desk = useDesk();
  const { pick } = useView();
  const language = useLanguage();
  const code = desk.codeOf(of.code);
  const isOpen = desk.closed === null;
  return (
    <>
      <p>
        <q>{isWholeText(of) ? <Trans>the whole text</Trans> : quoteOf(desk.essay.text, of)}</q>
      </p>
      <div className={styles.row}>
        {isOpen ? (
          <Button aria-label={t`Change the code ${of.code}`} onPress={() => pick({ for: { id: of.id }, typed: "" })}>
            {of.code}
          </Button>
        ) : (
          <b>{of.code}</b>
        )}
        {isOpen && !isWholeText(of) && <Borders of={of} />}
      </div>
      {code && <p className={styles.help}>{inLanguage(code.description, language) || desk.titleOf(code.category)}</p>}
      <Remarks of={of} />
      <Line
        of={of}
        name="subtype"
        label={t`Subtype`}
        help={t`The kind of error within the code.`}
        choices={code?.subtypes ?? []}
      />
      <Line of={of} name="comment" label={t`Comment`} help={t`Names the type of error; it does not cite the essay.`} />
      <Area
        of={of}
        name="explanation"
        label={t`Explanation`}
        help={t`Speaks about this very fragment: what is wrong in it, and why.`}
      />
      {(code?.correction || of.correction) && (
        <Line of={of} name="correction" label={t`Correction`} help={t`The words that should stand there.`} />
      )}
      {(code?.relation || of.tag) && <Link of={of} />}
    </>
  );
}

function Remarks({ of }: { of: Fragment }) {
  const { judged } = useDesk();
  const language = useLanguage();
  const said = judged ? [...judged.faults, ...judged.warnings] : [];
  const own = said.filter((each) => String(each.where.fragment) === String(of.id));
  if (own.length === 0) return null;
  return (
    <ul className={styles.remarks}>
      {own.map((each) => (
        <li key={each.code + each.message}>{language === "ru" ? each.message_ru : each.message}</li>
      ))}
    </ul>
  );
}

function Borders({ of }: { of: Fragment }) {
  const { t } = useLingui();
  const desk = useDesk();
  const button = (side: "start" | "end", by: -1 | 1, label: string) => (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={styles.border}
      onClick={(event) => moveBorder(desk, of, side, by, event.altKey)}
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

interface FieldProps {
  of: Fragment;
  name: Written;
  label: string;
  help: string;
}

function useField(of: Fragment, name: Written) {
  const desk = useDesk();
  return {
    value: of[name],
    readOnly: desk.closed !== null,
    onChange: (event: { target: { value: string } }) =>
      desk.run(change(of, { [name]: event.target.value }, "write", `${name} ${of.id}`)),
  };
}

function Line({ of, name, label, help, choices = [] }: FieldProps & { choices?: readonly string[] }) {
  const id = useId();
  const field = useField(of, name);
  return (
    <Field id={id} label={label} help={help}>
      <input
        id={id}
        aria-describedby={`${id}-help`}
        list={choices.length > 0 ? `${id}-choices` : undefined}
        {...field}
      />
      {choices.length > 0 && (
        <datalist id={`${id}-choices`}>
          {choices.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </Field>
  );
}

function Area({ of, name, label, help }: FieldProps) {
  const id = useId();
  return (
    <Field id={id} label={label} help={help}>
      <textarea id={id} aria-describedby={`${id}-help`} rows={3} {...useField(of, name)} />
    </Field>
  );
}

function Field({ id, label, help, children }: { id: string; label: string; help: string; children: ReactNode }) {
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      {children}
      <small id={`${id}-help`}>{help}</small>
    </div>
  );
}

/** Which fragments belong together: a cause and its effect. */
function Link({ of }: { of: Fragment }) {
  const { t } = useLingui();
  const id = useId();
  const desk = useDesk();
  const groups = new Map<string, string[]>();
  for (const each of desk.fragments) {
    if (each.tag) groups.set(each.tag, [...(groups.get(each.tag) ?? []), each.code]);
  }
  const fresh = freshTag(desk.fragments);
  const alone = of.tag !== "" && groups.get(of.tag)?.length === 1;
  return (
    <Field
      id={id}
      label={t`Link`}
      help={alone ? t`Nothing else has this number yet.` : t`Fragments with the same number belong together.`}
    >
      <select
        id={id}
        aria-describedby={`${id}-help`}
        value={of.tag}
        disabled={desk.closed !== null}
        onChange={(event) => desk.run(change(of, { tag: event.target.value }, "link"))}
      >
        <option value="">{t`none`}</option>
        {[...groups].map(([tag, codes]) => (
          <option key={tag} value={tag}>
            {tag} {linkOf(tag)} {codes.join(", ")}
          </option>
        ))}
        {!groups.has(fresh) && <option value={fresh}>{t`${fresh} new`}</option>}
      </select>
    </Field>
  );
}
