import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Table } from "@/ui/Table";
import type { Agreement, OfLabels } from "./data";
import { useNumbers } from "./measured";

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
        first={t`What is said`}
        rows={known.map(([name, each]) => [name, fields.get(name) ?? name, each])}
      />
      <h2>
        <Trans>Whether context is needed, by type of error</Trans>
      </h2>
      <Measured
        label={t`Agreement by type of error`}
        first={t`Type of error`}
        rows={types.map(([name, each]) => [name, name, each])}
        empty={t`Nobody has named an error in these texts.`}
      />
    </>
  );
}

interface MeasuredProps {
  label: string;
  first: string;
  rows: readonly (readonly [key: string, title: string, measures: OfLabels])[];
  empty?: string;
}

function Measured({ first, ...rest }: MeasuredProps) {
  const { t } = useLingui();
  const number = useNumbers();
  return (
    <Table
      {...rest}
      rowKey={([key]) => key}
      columns={[
        { header: first, cell: ([, title]) => title },
        { header: t`Errors`, cell: ([, , { errors }]) => errors },
        { header: t`The same, %`, cell: ([, , each]) => number(each.same_percent, null) },
        { header: t`Krippendorff's alpha`, cell: ([, , each]) => number(each.krippendorff_alpha, null, 2) },
        { header: t`Fleiss' kappa`, cell: ([, , each]) => number(each.fleiss_kappa, null, 2) },
        { header: t`Randolph's kappa`, cell: ([, , each]) => number(each.randolph_kappa, null, 2) },
      ]}
    />
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
