import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { GetAnswer } from "@/api/client";
import { AskedPage } from "@/shell/AskedPage";
import { useCalled, useGroupName } from "@/ui/contest";
import { Wide } from "@/ui/Wide";
import { type Agreement, agreementOf, type Measures, progressOf, useCodeName, useNames } from "./data";
import { Labels } from "./Labels";
import { Head, useNumbers } from "./measured";
import { Reports } from "./Reports";
import { MarkingTabs } from "./Tabs";

type Body = GetAnswer<"/v1/markings/{marking_id}/agreement">;

/** How far experts agree, what sets each apart from its partners, and how long they take. */
export function AgreementPage() {
  const { t } = useLingui();
  const { markingId } = useParams({ from: "/desk/experts/markings/$markingId/agreement" });
  const found = useQuery(agreementOf(markingId));
  return (
    <AskedPage title={t`Experts' agreement: ${markingId}`} of={found}>
      {(body) => (
        <>
          <MarkingTabs markingId={markingId} />
          <Experts of={body} markingId={markingId} />
          <Tables of={(body.agreement ?? {}) as Agreement} />
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
  const rows = progress?.experts ?? [];
  return (
    <section aria-labelledby="experts-title">
      <h2 id="experts-title">
        {drift ? <Trans>Experts: speed and drift from partners</Trans> : <Trans>Experts: progress and speed</Trans>}
      </h2>
      {drift && (
        <p>
          <Trans>
            Drift is the mean difference from the partner on what both have marked up, with its 95 % interval; an
            interval needs three of these.
          </Trans>
        </p>
      )}
      <Wide label={t`Table of experts`}>
        <Head
          of={[
            <Trans key="0">Expert</Trans>,
            <Trans key="1">Not opened</Trans>,
            <Trans key="2">At work</Trans>,
            <Trans key="3">Handed in</Trans>,
            <Trans key="4">Ran out without a markup</Trans>,
            <Trans key="5">Median time, min</Trans>,
            ...(drift
              ? [
                  <Trans key="6">Agreement with partners, %</Trans>,
                  <Trans key="7">Drift of points, %</Trans>,
                  <Trans key="8">Drift of fragments</Trans>,
                ]
              : []),
            <Trans key="9">In calibration, %</Trans>,
          ]}
        />
        <tbody>
          {rows.map((each) => {
            const own = drift?.find(({ expert }) => expert === each.expert_id);
            const speed = of.speeds.find(({ expert_id }) => expert_id === each.expert_id);
            const calibrated = progress?.calibrations.find(({ expert_id }) => expert_id === each.expert_id);
            return (
              <tr key={each.expert_id}>
                <th scope="row">{nameOf(each.expert_id)}</th>
                <td>{each.states.assigned ?? 0}</td>
                <td>{each.states.opened ?? 0}</td>
                <td>{each.states.handed_in ?? 0}</td>
                <td>{each.without_markup}</td>
                <td>{number(speed && speed.median_s / 60, null)}</td>
                {drift && (
                  <>
                    <td>{number(own?.accuracy, own?.accuracy_95)}</td>
                    <td>{number(own?.points, own?.points_95)}</td>
                    <td>{number(own?.fragments, own?.fragments_95)}</td>
                  </>
                )}
                <td>{number(calibrated?.accuracy, null)}</td>
              </tr>
            );
          })}
        </tbody>
      </Wide>
    </section>
  );
}

function Tables({ of }: { of: Agreement }) {
  const { t } = useLingui();
  const { Many } = useCalled();
  const nameOf = useNames();
  const titleOf = useGroupName();
  const codeOf = useCodeName();
  const number = useNumbers();
  if (!of.all || of.all.essays === 0) {
    return (
      <p>
        <Trans>Agreement stands here as soon as two experts have handed in the same one.</Trans>
      </p>
    );
  }
  if (of.by_field) return <Labels of={of} texts={of.all.essays} />;
  const subjects = Object.entries(of.by_subject ?? {});
  const measures = ({ essays, accuracy, accuracy_95, alpha, alpha_95 }: Measures) => (
    <>
      <td>{essays}</td>
      <td>{number(accuracy, accuracy_95)}</td>
      <td>{number(alpha, alpha_95, 2)}</td>
    </>
  );
  const columns = [Many, <Trans key="2">Pair accuracy, %</Trans>, <Trans key="3">Krippendorff's alpha</Trans>];
  return (
    <>
      <h2>
        <Trans>Agreement by type</Trans>
      </h2>
      <Wide label={t`Agreement by type`}>
        <Head of={[<Trans key="0">Type</Trans>, ...columns]} />
        <tbody>
          <tr>
            <th scope="row">
              <Trans>all</Trans>
            </th>
            {measures(of.all)}
          </tr>
          {subjects.map(([name, each]) => (
            <tr key={name}>
              <th scope="row">{titleOf(name)}</th>
              {measures(each)}
            </tr>
          ))}
        </tbody>
      </Wide>
      <h2>
        <Trans>Agreement of pairs</Trans>
      </h2>
      <Wide label={t`Agreement of pairs`}>
        <Head of={[<Trans key="0">Pair</Trans>, ...columns]} />
        <tbody>
          {of.by_pair?.map((each) => (
            <tr key={each.experts.join(" ")}>
              <th scope="row">{each.experts.map(nameOf).join(" · ")}</th>
              {measures(each)}
            </tr>
          ))}
        </tbody>
      </Wide>
      <h2>
        <Trans>Agreement by code</Trans>
      </h2>
      <Wide label={t`Agreement by code`}>
        <Head
          of={[
            <Trans key="0">Code</Trans>,
            <Trans key="1">Type</Trans>,
            <Trans key="2">Fragments</Trans>,
            <Trans key="3">Agreed</Trans>,
            <Trans key="4">Krippendorff's alpha</Trans>,
          ]}
        />
        <tbody>
          {of.by_code?.map((each) => (
            <tr key={`${each.subject} ${each.code}`}>
              <th scope="row">{codeOf(each.subject, each.code)}</th>
              <td>{titleOf(each.subject)}</td>
              <td>{each.units}</td>
              <td>{each.agreed}</td>
              <td>{number(each.alpha, each.alpha_95, 2)}</td>
            </tr>
          ))}
        </tbody>
      </Wide>
    </>
  );
}
