import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { api, type Schemas } from "@/api/client";
import { EVERY, get, renewed } from "@/api/queries";
import { AskedPage } from "@/shell/AskedPage";
import { Changes } from "@/ui/audit";
import { Reasoned } from "@/ui/forms";
import { Moment } from "@/ui/moments";
import { Answered } from "@/ui/Page";
import { Wide } from "@/ui/Wide";
import { ChangeParameters } from "./ChangeParameters";

type Version = Schemas["VersionBody"];

const STATES: Readonly<Record<string, MessageDescriptor>> = {
  in_force: msg`in force`,
  pending: msg`announced`,
  former: msg`former`,
  withdrawn: msg`withdrawn`,
};

/** Everybody reads this list, so it is some seconds old; what was changed here shows by itself. */
const ALL = get("/v1/parameters", {}, EVERY.live);

/** Versions of the parameters, what each changed, and the next one. */
export function Parameters() {
  const { t } = useLingui();
  const { version } = useSearch({ from: "/desk/parameters" });
  const found = useQuery(ALL);
  return (
    <AskedPage title={t`Parameters`} of={found}>
      {({ versions }) => (
        <>
          <Versions of={versions} renewed={renewed} />
          {version && <Changed version={Number(version)} of={versions} />}
          <ChangeParameters versions={versions} renewed={renewed} />
        </>
      )}
    </AskedPage>
  );
}

function Versions({ of, renewed }: { of: readonly Version[]; renewed: () => unknown }) {
  const { i18n, t } = useLingui();
  return (
    <Wide label={t`Table of versions`}>
      <thead>
        <tr>
          <th scope="col">
            <Trans>Version</Trans>
          </th>
          <th scope="col">
            <Trans>State</Trans>
          </th>
          <th scope="col">
            <Trans>Announced</Trans>
          </th>
          <th scope="col">
            <Trans>In force from</Trans>
          </th>
          <td />
        </tr>
      </thead>
      <tbody>
        {of
          .toSorted((a, b) => b.version - a.version)
          .map((each) => (
            <tr key={each.version}>
              <th scope="row">
                {each.version > 1 ? (
                  <Link to="/desk/parameters" search={{ version: String(each.version) }} resetScroll={false}>
                    <Trans>{each.version}: what it changes</Trans>
                  </Link>
                ) : (
                  each.version
                )}
              </th>
              <td>{STATES[each.state] ? i18n._(STATES[each.state] as MessageDescriptor) : each.state}</td>
              <td>
                <Moment at={each.announced_at} />
              </td>
              <td>{each.effective_at ? <Moment at={each.effective_at} /> : "—"}</td>
              <td>{each.state === "pending" && <Withdraw version={each.version} done={renewed} />}</td>
            </tr>
          ))}
      </tbody>
    </Wide>
  );
}

function Withdraw({ version, done }: { version: number; done: () => unknown }) {
  return (
    <Reasoned
      label={<Trans>Withdraw</Trans>}
      asks={<Trans>Withdraw version {version} before it takes effect? Its announcement is shown as withdrawn.</Trans>}
      act={(reason) =>
        api.POST("/v1/parameter-changes/{version}/withdrawal", { params: { path: { version } }, body: { reason } })
      }
      done={done}
    />
  );
}

/** Against the version before it that was not withdrawn. */
function Changed({ version, of }: { version: number; of: readonly Version[] }) {
  const { t } = useLingui();
  const earlier = of.filter((each) => each.version < version && each.state !== "withdrawn");
  const since = Math.max(...earlier.map((each) => each.version));
  const query = earlier.length > 0 ? { since } : {};
  const found = useQuery(get("/v1/parameters/{version}/changes", { params: { path: { version }, query } }));
  return (
    <section aria-labelledby="changed-title">
      <h2 id="changed-title">
        <Trans>What version {version} changes</Trans>
      </h2>
      <Answered of={found}>{(told) => <Changes of={told.changes} label={t`Fields that differ`} />}</Answered>
    </section>
  );
}
