import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { GetAnswer } from "@/api/client";
import { useCalled, useGroupName } from "@/ui/contest";
import { AskedPage, PageSection } from "@/ui/Page";
import { type Column, Table } from "@/ui/Table";
import {
  type Agreement,
  agreementOf,
  MarkingTabs,
  type Measures,
  type OfLabels,
  progressOf,
  Reports,
  useCodeName,
  useNames,
  useNumbers,
} from "./data";

type Body = GetAnswer<"/v1/markings/{marking_id}/agreement">;

/** Show the inter-annotator agreement, each expert's differences from its partners, and the time that experts take. */
export function AgreementPage() {
  const { t } = useLingui();
  const { markingId } = useParams({ from: "/desk/experts/markings/$markingId/agreement" });
  return (
    <AskedPage title={t`Experts' agreement: ${markingId}`} asks={agreementOf(markingId)}>
      {(body) => (
        <>
          <MarkingTabs markingId={markingId} />
          <Experts of={body} markingId={markingId} />
          <Tables agreement={(body.agreement ?? {}) as Agreement} />
          <BySuggestions of={body} />
          <Reports markingId={markingId} />
        </>
      )}
    </AskedPage>
  );
}

function Experts({ of, markingId }: { of: Body; markingId: string }) {
  const { t } = useLingui();
  const nameOf = useNames();
  const number = useNumbers();
  const progress = useQuery(progressOf(markingId)).data;
  const drift = ((of.agreement ?? {}) as Agreement).by_expert;
  const rows = (progress?.experts ?? []).map((line) => ({
    ...line,
    own: drift?.find(({ expert }) => expert === line.expert_id),
    speed: of.speeds.find(({ expert_id }) => expert_id === line.expert_id),
    calibrated: progress?.calibrations.find(({ expert_id }) => expert_id === line.expert_id),
  }));
  return (
    <PageSection
      id="experts-title"
      title={drift ? t`Experts: speed and drift from partners` : t`Experts: progress and speed`}
    >
      {drift && (
        <p>
          <Trans>
            Drift is the mean difference from the partner on what both have marked up, with its 95 % interval; an
            interval needs three of these.
          </Trans>
        </p>
      )}
      <Table
        label={t`Table of experts`}
        rows={rows}
        rowKey={(row) => row.expert_id}
        columns={[
          { header: t`Expert`, cell: (row) => nameOf(row.expert_id) },
          { header: t`Not opened`, cell: ({ states }) => states.assigned ?? 0 },
          { header: t`At work`, cell: ({ states }) => states.opened ?? 0 },
          { header: t`Handed in`, cell: ({ states }) => states.handed_in ?? 0 },
          { header: t`Ran out without a markup`, cell: (row) => row.without_markup },
          { header: t`Median time, min`, cell: ({ speed }) => number(speed && speed.median_s / 60, null) },
          drift && {
            header: t`Agreement with partners, %`,
            cell: ({ own }) => number(own?.accuracy, own?.accuracy_95),
          },
          drift && { header: t`Drift of points, %`, cell: ({ own }) => number(own?.points, own?.points_95) },
          drift && { header: t`Drift of fragments`, cell: ({ own }) => number(own?.fragments, own?.fragments_95) },
          { header: t`In calibration, %`, cell: ({ calibrated }) => number(calibrated?.accuracy, null) },
        ]}
      />
    </PageSection>
  );
}

function Tables({ agreement }: { agreement: Agreement }) {
  const { t } = useLingui();
  const { Many } = useCalled();
  const nameOf = useNames();
  const titleOf = useGroupName();
  const codeOf = useCodeName();
  const number = useNumbers();
  if (!agreement.all || agreement.all.essays === 0) {
    return <p>{t`Agreement appears here when two experts have handed in the same text.`}</p>;
  }
  if (agreement.by_field) return <Labels agreement={agreement} texts={agreement.all.essays} />;
  const measures: readonly Column<Measures>[] = [
    { header: Many, cell: ({ essays }) => essays },
    { header: t`Pair accuracy, %`, cell: ({ accuracy, accuracy_95 }) => number(accuracy, accuracy_95) },
    { header: t`Krippendorff's alpha`, cell: ({ alpha, alpha_95 }) => number(alpha, alpha_95, 2) },
  ];
  const all = { ...agreement.all, name: "", title: t`all` };
  const subjects = Object.entries(agreement.by_subject ?? {}).map(([name, measures]) => ({
    ...measures,
    name,
    title: titleOf(name),
  }));
  return (
    <>
      <h2>{t`Agreement by type`}</h2>
      <Table
        label={t`Agreement by type`}
        rows={[all, ...subjects]}
        rowKey={({ name }) => name}
        columns={[{ header: t`Type`, cell: ({ title }) => title }, ...measures]}
      />
      <h2>{t`Agreement of pairs`}</h2>
      <Table
        label={t`Agreement of pairs`}
        rows={agreement.by_pair ?? []}
        rowKey={({ experts }) => experts.join(" ")}
        columns={[{ header: t`Pair`, cell: ({ experts }) => experts.map(nameOf).join(" · ") }, ...measures]}
      />
      <h2>{t`Agreement by code`}</h2>
      <Table
        label={t`Agreement by code`}
        rows={agreement.by_code ?? []}
        rowKey={({ subject, code }) => `${subject} ${code}`}
        columns={[
          { header: t`Code`, cell: ({ subject, code }) => codeOf(subject, code) },
          { header: t`Type`, cell: ({ subject }) => titleOf(subject) },
          { header: t`Fragments`, cell: ({ units }) => units },
          { header: t`Agreed`, cell: ({ agreed }) => agreed },
          { header: t`Krippendorff's alpha`, cell: ({ alpha, alpha_95 }) => number(alpha, alpha_95, 2) },
        ]}
      />
    </>
  );
}

/** Show agreement by the number of annotations made with suggestions (0, 1 or 2); nothing if there are none. */
function BySuggestions({ of }: { of: Body }) {
  const { t } = useLingui();
  const { Many } = useCalled();
  const number = useNumbers();
  const groups = of.by_suggestions as unknown as readonly { experts: 0 | 1 | 2; agreement: Agreement }[];
  const rows = groups.flatMap(({ experts, agreement: { all } }) => (all ? [{ ...all, experts }] : []));
  if (rows.length === 0) return null;
  const titles = { 0: t`without suggestions`, 1: t`one of the two with suggestions`, 2: t`both with suggestions` };
  return (
    <>
      <h2>{t`Agreement with and without suggestions`}</h2>
      <Table
        label={t`Agreement with and without suggestions`}
        rows={rows}
        rowKey={({ experts }) => String(experts)}
        columns={[
          { header: t`Annotations`, cell: ({ experts }) => titles[experts] },
          { header: Many, cell: ({ essays }) => essays },
          { header: t`Pair accuracy, %`, cell: ({ accuracy, accuracy_95 }) => number(accuracy, accuracy_95) },
          { header: t`Krippendorff's alpha`, cell: ({ alpha, alpha_95 }) => number(alpha, alpha_95, 2) },
        ]}
      />
    </>
  );
}

/**
 * Inter-annotator agreement on the same errors: field by field, and on the need for context by type of error.
 *
 * Clause: TS G-5, TS G-7
 */
export function Labels({ agreement, texts }: { agreement: Agreement; texts: number }) {
  const { t } = useLingui();
  const fields = useFields();
  const types = Object.entries(agreement.by_type ?? {}).sort(([, one], [, other]) => other.errors - one.errors);
  const order = [...fields.keys()];
  const entries = Object.entries(agreement.by_field ?? {}).sort(
    ([one], [other]) => order.indexOf(one) - order.indexOf(other),
  );
  return (
    <>
      <h2>{t`Agreement on errors, by field`}</h2>
      <p>
        <Plural
          value={texts}
          one="From # text that both annotators have handed in."
          other="From # texts that both annotators have handed in."
        />{" "}
        <Trans>
          An error that only one of the two marks counts as a disagreement in “the same”, and has no label in alpha; a
          kappa needs both labels of every error. A dash means undefined.
        </Trans>
      </p>
      <Measured
        label={t`Agreement by field`}
        first={t`Field`}
        rows={entries.map(([name, measures]) => [name, fields.get(name) ?? name, measures])}
      />
      <h2>{t`Whether context is needed, by type of error`}</h2>
      <Measured
        label={t`Agreement by type of error`}
        first={t`Type of error`}
        rows={types.map(([name, measures]) => [name, name, measures])}
        empty={t`No errors are marked in these texts.`}
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
        { header: t`The same, %`, cell: ([, , measures]) => number(measures.same_percent, null) },
        { header: t`Krippendorff's alpha`, cell: ([, , measures]) => number(measures.krippendorff_alpha, null, 2) },
        { header: t`Fleiss' kappa`, cell: ([, , measures]) => number(measures.fleiss_kappa, null, 2) },
        { header: t`Randolph's kappa`, cell: ([, , measures]) => number(measures.randolph_kappa, null, 2) },
      ]}
    />
  );
}

/** Return the titles of the fields that annotators fill in for an error, in the order in which they fill them in. */
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
