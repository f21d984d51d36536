import { Trans } from "@lingui/react/macro";
import clauses from "./clauses.json";
import { useCycle, useLanguage } from "./cycle";
import parts from "./parts.module.css";

/** A clause of a contest's regulation that the site cites; `make clauses` writes what each says from docs/clauses. */
export type Cited = keyof typeof clauses;

/** The clause if it is of the regulation by which this cycle is held: another contest has clauses of its own. */
export function useCited(of: Cited | undefined): Cited | undefined {
  const track = useCycle()?.track;
  return of && clauses[of].contest === track ? of : undefined;
}

/** The clause by which something is decided, with what it says. */
export function Clause({ of, id }: { of: Cited; id: string }) {
  const said = clauses[of][useLanguage()];
  const number = of.replace(/^\S+ /, "");
  return (
    <p id={id} className={parts.clause}>
      <Trans>
        Clause {number} of the regulation: {said}
      </Trans>
    </p>
  );
}
