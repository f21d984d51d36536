import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { get, type Schemas } from "@/api/client";
import { type Categorized, FAMILIES, type Family, familyOf, MARKS, markOf, UNKNOWN } from "@/text/codes";
import { byFamily, type LookOf } from "@/text/drawn";
import { LineSample } from "@/text/Lines";
import { type Fragment, isWholeText } from "@/text/markup";
import { codesOf } from "@/ui/contest";
import { Problem } from "@/ui/Page";
import styles from "./comparison.module.css";

interface Families {
  /** Null until the families are requested and the classifier is loaded. */
  known: { codeOf: (name: string) => Categorized; look: LookOf } | null;
  error: unknown;
  retry: () => void;
}

/** Fetch the families of a subject's codes, from the cycle's classifier. */
export function useFamilies(subject: string | undefined, enabled: boolean): Families {
  const { data, error, refetch } = useQuery({
    ...get("/v1/classifier", {}),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: enabled,
  });
  const families = useMemo(() => {
    if (!enabled || !data) return null;
    const codes = new Map(codesIn(codesOf(data), subject).map((code) => [code.code, code]));
    const codeOf = (name: string) => codes.get(name) ?? UNKNOWN;
    return { codeOf, look: byFamily(codeOf) };
  }, [enabled, data, subject]);
  return { known: families, error: enabled ? error : null, retry: () => void refetch() };
}

/** Return the codes of a subject; a markup need not name the subject if the label set has only one. */
function codesIn(classifier: Schemas["Classifier"] | null, subject: string | undefined): readonly Schemas["Code"][] {
  const [only, ...others] = Object.values(classifier?.subjects ?? {});
  return (subject ? classifier?.subjects[subject] : others.length === 0 ? only : undefined) ?? [];
}

/** Legend of the texts' lines: the line of each family that occurs in the two markups. */
export function Legend({ families, fragments }: { families: Families; fragments: readonly Fragment[] }) {
  const { t } = useLingui();
  if (families.error) return <Problem error={families.error} retry={families.retry} />;
  if (!families.known) return null;
  const { codeOf } = families.known;
  const entries = new Map(fragments.map(({ code }) => entryOf(codeOf(code))).map((entry) => [entry.key, entry]));
  const ordered = [...entries.values()].sort(
    (one, other) => FAMILIES.indexOf(one.family) - FAMILIES.indexOf(other.family),
  );
  if (ordered.length === 0) return null;
  return (
    <ul className={styles.legend} aria-label={t`Families of codes`}>
      {ordered.map(({ key, family, mark, name }) => (
        <li key={key} data-family={family}>
          <LineSample family={family} />
          <b aria-hidden="true">{mark}</b> {name ?? <FamilyName family={family} />}
        </li>
      ))}
    </ul>
  );
}

/** Return a code's legend row, named after its family if `name` is absent. A code with its own colour has its own. */
function entryOf(code: Categorized): { key: string; family: Family; mark: string; name?: string } {
  const [family, mark] = [familyOf(code), markOf(code)];
  if (code.colour) return { key: `${family} ${code.code}`, family, mark, name: code.code ?? code.category };
  return { key: mark, family, mark, ...(mark !== MARKS[family] && { name: code.category }) };
}

function FamilyName({ family }: { family: Family }) {
  const { t } = useLingui();
  const words = {
    grammar: t`grammar`,
    speech: t`speech`,
    logic: t`logic`,
    composition: t`composition`,
    fact: t`facts`,
    task: t`the task`,
    meaning: t`blocks of meaning`,
    ethics: t`ethics, corrections, spelling`,
  };
  return words[family];
}

/** Values of a contest whose answers are not markups: each with its name, as the platform stores it. */
export function Values({ of }: { of: readonly (readonly [name: string, value: unknown])[] }) {
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

/** True if an answer is a markup of an essay, which the comparison pages can draw. */
export function isMarkup(answer: unknown): boolean {
  return typeof answer === "object" && answer !== null && "selections" in answer;
}

/** A fragment in words: its code and the text that it covers. */
export function Quote({ text, fragment }: { text: string; fragment: Fragment | undefined }) {
  if (!fragment) return "—";
  return (
    <>
      <b>
        {fragment.code}
        {fragment.subtype && `/${fragment.subtype}`}
      </b>{" "}
      {isWholeText(fragment) ? <Trans>the whole text</Trans> : <q>{text.slice(fragment.start, fragment.end)}</q>}
      {fragment.correction && ` → ${fragment.correction}`}
    </>
  );
}
