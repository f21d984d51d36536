import { Trans, useLingui } from "@lingui/react/macro";
import type { Difference } from "./differences";
import { Wide } from "./Wide";

/** What was and what is, field by field. */
export function Changes({ of, label }: { of: readonly Difference[]; label?: string }) {
  const { t } = useLingui();
  if (of.length === 0) {
    return (
      <p>
        <Trans>No field differs.</Trans>
      </p>
    );
  }
  return (
    <Wide label={label ?? t`What changes`}>
      <thead>
        <tr>
          <th scope="col">
            <Trans>Field</Trans>
          </th>
          <th scope="col">
            <Trans>Before</Trans>
          </th>
          <th scope="col">
            <Trans>After</Trans>
          </th>
        </tr>
      </thead>
      <tbody>
        {of.map(({ field, before, after }) => (
          <tr key={field}>
            <th scope="row">
              <code>{field || "·"}</code>
            </th>
            <td>
              <Value of={before} />
            </td>
            <td>
              <Value of={after} />
            </td>
          </tr>
        ))}
      </tbody>
    </Wide>
  );
}

function Value({ of }: { of: unknown }) {
  if (of === undefined || of === null) return "—";
  return <code>{typeof of === "string" ? of : JSON.stringify(of)}</code>;
}
