import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { Wide } from "@/ui/Wide";
import type { Agreement, OfLabels } from "./data";
import { Head, useNumbers } from "./measured";

/**
 * How far annotators say the same of the same errors: field by field, and by type of error whether context is needed.
 *
 * Clause: TS G-5, TS G-7
 */
export function Labels({ of, texts }: { of: Agreement; texts: number }) {
  const { t } = useLingui();
  const fields = useFields();
  const types = Object.entries(of.by_type ?? {}).sort(([, one], [, other]) => other.errors - one.errors);
  const order = [...fields.keys()];
  const known = Object.entries(of.by_field ?? {}).sort(([one], [other]) => order.indexOf(one) - order.indexOf(other));
  return (
    <>
      <h2>
        <Trans>Agreement on errors, by what is said of them</Trans>
      </h2>
      <p>
        <Plural
          value={texts}
          one="From # text that both annotators have handed in."
          other="From # texts that both annotators have handed in."
        />{" "}
        <Trans>
          An error that one of the two does not name counts as a disagreement in “the same”, and has no label in alpha;
          a kappa needs both labels of every error. A dash stands for what is not defined.
        </Trans>
      </p>
      <Measured
        label={t`Agreement by field`}
        first={<Trans>What is said</Trans>}
        rows={known.map(([name, each]) => [name, fields.get(name) ?? name, each])}
      />
      <h2>
        <Trans>Whether context is needed, by type of error</Trans>
      </h2>
      {types.length === 0 ? (
        <p>
          <Trans>Nobody has named an error in these texts.</Trans>
        </p>
      ) : (
        <Measured
          label={t`Agreement by type of error`}
          first={<Trans>Type of error</Trans>}
          rows={types.map(([name, each]) => [name, name, each])}
        />
      )}
    </>
  );
}

type Row = readonly [key: string, title: ReactNode, measures: OfLabels];

function Measured({ label, first, rows }: { label: string; first: ReactNode; rows: readonly Row[] }) {
  const number = useNumbers();
  return (
    <Wide label={label}>
      <Head
        of={[
          first,
          <Trans key="1">Errors</Trans>,
          <Trans key="2">The same, %</Trans>,
          <Trans key="3">Krippendorff's alpha</Trans>,
          <Trans key="4">Fleiss' kappa</Trans>,
          <Trans key="5">Randolph's kappa</Trans>,
        ]}
      />
      <tbody>
        {rows.map(([key, title, each]) => (
          <tr key={key}>
            <th scope="row">{title}</th>
            <td>{each.errors}</td>
            <td>{number(each.same_percent, null)}</td>
            <td>{number(each.krippendorff_alpha, null, 2)}</td>
            <td>{number(each.fleiss_kappa, null, 2)}</td>
            <td>{number(each.randolph_kappa, null, 2)}</td>
          </tr>
        ))}
      </tbody>
    </Wide>
  );
}

/** What annotators say of an error, in the order in which they say it. */
function useFields(): ReadonlyMap<string, string> {
  const { t } = useLingui();
  return new Map([
    ["type", t`type of error`],
    ["context_dependent", t`whether context is needed`],
    ["detection", t`context needed to find it`],
    ["correction", t`context needed to correct it`],
    ["scope", t`clause or sentence`],
    ["distance", t`how far the context is`],
    ["direction", t`on which side the context is`],
  ]);
}
