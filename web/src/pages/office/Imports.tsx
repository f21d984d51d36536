import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { EVERY, get } from "@/api/queries";
import { Author } from "@/ui/audit";
import { Moment } from "@/ui/moments";
import { Problem } from "@/ui/Page";
import { Wide } from "@/ui/Wide";
import { STATES, WhatWord } from "./importWords";

const LATEST = get("/v1/imports", {}, EVERY.idle);

/** The imports announced last: who brought what, how far it is, and the way to its faults. */
export function Imports() {
  const { i18n, t } = useLingui();
  const { data, error } = useQuery(LATEST);
  if (error) return <Problem error={error} />;
  if (!data?.imports.length) return null;
  return (
    <section aria-labelledby="imports-title">
      <h2 id="imports-title">
        <Trans>Latest imports</Trans>
      </h2>
      <Wide label={t`Table of imports`}>
        <thead>
          <tr>
            <th scope="col">
              <Trans>Announced</Trans>
            </th>
            <th scope="col">
              <Trans>What the zip holds</Trans>
            </th>
            <th scope="col">
              <Trans>By</Trans>
            </th>
            <th scope="col">
              <Trans>State</Trans>
            </th>
            <th scope="col">
              <Trans>Faults</Trans>
            </th>
            <th scope="col">
              <Trans>Warnings</Trans>
            </th>
          </tr>
        </thead>
        <tbody>
          {data.imports.map((each) => (
            <tr key={each.import_id}>
              <th scope="row">
                <Link to="/desk/imports/$importId" params={{ importId: each.import_id }}>
                  <Moment at={each.created_at} />
                </Link>
              </th>
              <td>{each.set ? <code>{each.set}</code> : <WhatWord what={each.kind} />}</td>
              <td>
                <Author of={each.created_by} />
              </td>
              <td>{i18n._(STATES[each.state])}</td>
              <td>{each.fault_count}</td>
              <td>{each.warning_count}</td>
            </tr>
          ))}
        </tbody>
      </Wide>
    </section>
  );
}
