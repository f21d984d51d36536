import { Trans } from "@lingui/react/macro";
import clauses from "./clauses.json";
import { useLanguage } from "./cycle";
import parts from "./parts.module.css";

/** A clause of the regulation that the site cites; `make clauses` writes what each says from docs/clauses. */
export type Cited = keyof typeof clauses;

/** The clause by which something is decided, with what it says. */
export function Clause({ of, id }: { of: Cited; id: string }) {
  const said = clauses[of][useLanguage()];
  const number = of.replace(/^R /, "");
  return (
    <p id={id} className={parts.clause}>
      <Trans>
        Clause {number} of the regulation: {said}
      </Trans>
    </p>
  );
}
