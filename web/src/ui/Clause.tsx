import { Trans } from "@lingui/react/macro";
import clauses from "./clauses.json";
import { useCycle, useLanguage } from "./cycle";
import parts from "./parts.module.css";

/** A clause of a contest's regulation that the site cites; `make clauses` writes what each says from docs/clauses. */
export type Cited = keyof typeof clauses;

/** All clauses of the regulation by which this cycle is held that the site cites. */
export function useAllCited(): Cited[] {
  const track = useCycle()?.track;
  return (Object.keys(clauses) as Cited[]).filter((each) => clauses[each].contest === track);
}

/** The clause if it is of the regulation by which this cycle is held: another contest has clauses of its own. */
export function useCited(of: Cited | undefined): Cited | undefined {
  const all = useAllCited();
  return of && all.includes(of) ? of : undefined;
}

/** What a clause says, in the reader's language. */
export function useClauseText(): (of: Cited) => string {
  const language = useLanguage();
  return (of) => clauses[of][language];
}

/** A clause's number within its regulation. */
export function numberOf(of: Cited): string {
  return of.replace(/^\S+ /, "");
}

/** Where the page of the rules has a clause: `r-8.2.1`. */
export function anchorOf(of: Cited): string {
  return of.toLowerCase().replace(" ", "-");
}

/** The clause by which something is decided, with what it says; its number leads to it among the rules. */
export function Clause({ of, id }: { of: Cited; id?: string }) {
  const said = useClauseText()(of);
  const number = numberOf(of);
  return (
    <p id={id} className={parts.clause}>
      <Trans>
        <a href={`/rules#${anchorOf(of)}`} target="_blank" rel="noopener">
          Clause {number} of the regulation
        </a>
        : {said}
      </Trans>
    </p>
  );
}

/** The same where the clause is of this cycle's regulation, and nothing where it is another's. */
export function By({ clause }: { clause: Cited }) {
  const of = useCited(clause);
  return of && <Clause of={of} />;
}
