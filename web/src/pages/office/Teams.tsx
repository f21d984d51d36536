import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type ChangeEvent, useState } from "react";
import { api, type Schemas } from "@/api/client";
import { EVERY, get, queryClient } from "@/api/queries";
import { STATUSES } from "@/pages/public/team";
import { AskedPage } from "@/shell/AskedPage";
import { Button } from "@/ui/controls";
import { Downloads } from "@/ui/forms";
import { Moment } from "@/ui/moments";
import { Problem } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Wide } from "@/ui/Wide";

type TeamRow = Schemas["TeamRow"];
type Status = TeamRow["status"];

const ALL = get("/v1/teams", {}, EVERY.idle);
/** What waits for a decision stands first. */
const ORDER: readonly Status[] = ["applied", "approved", "suspended", "rejected", "withdrawn", "disqualified"];

function renewed() {
  return queryClient.invalidateQueries({ queryKey: ALL.queryKey });
}

/** All teams with their states; new ones by hand or by a table. */
export function Teams() {
  const { t } = useLingui();
  const { status } = useSearch({ from: "/desk/teams" });
  const found = useQuery(ALL);
  return (
    <AskedPage title={t`Teams`} of={found}>
      {({ teams }) => {
        const shown = teams.filter((each) => !status || each.status === status).toSorted(byState);
        return (
          <>
            <Waiting teams={teams} />
            <Filter status={status} />
            {shown.length === 0 ? (
              <p>
                <Trans>No team stands so. Teams apply by themselves, or are entered below.</Trans>
              </p>
            ) : (
              <List teams={shown} />
            )}
            <Downloads
              title={<Trans>Keep all teams</Trans>}
              of={[{ form: "CSV", name: "teams.csv", ask: () => api.GET("/v1/teams.csv", { parseAs: "blob" }) }]}
            />
            <Entering />
          </>
        );
      }}
    </AskedPage>
  );
}

function byState(a: TeamRow, b: TeamRow): number {
  return ORDER.indexOf(a.status) - ORDER.indexOf(b.status) || a.created_at.localeCompare(b.created_at);
}

function Waiting({ teams }: { teams: readonly TeamRow[] }) {
  const waiting = teams.filter((each) => each.status === "applied").length;
  return (
    <p role="status" className={waiting === 0 ? parts.good : undefined}>
      {waiting === 0 ? (
        <Trans>✓ No application waits for a decision.</Trans>
      ) : (
        <Plural value={waiting} one="# application waits for a decision." other="# applications wait for a decision." />
      )}
    </p>
  );
}

function Filter({ status }: { status: string | undefined }) {
  const { i18n } = useLingui();
  const navigate = useNavigate({ from: "/desk/teams" });
  return (
    <search className={parts.filters}>
      <label>
        <Trans>State</Trans>
        <select
          data-filter
          value={status ?? ""}
          onChange={(event) => {
            const chosen = event.currentTarget.value;
            void navigate({ search: chosen ? { status: chosen } : {}, replace: true });
          }}
        >
          <option value="">—</option>
          {ORDER.map((each) => (
            <option key={each} value={each}>
              {i18n._(STATUSES[each])}
            </option>
          ))}
        </select>
      </label>
    </search>
  );
}

function List({ teams }: { teams: readonly TeamRow[] }) {
  const { i18n, t } = useLingui();
  return (
    <Wide label={t`Table of teams`}>
      <thead>
        <tr>
          <th scope="col">
            <Trans>Team</Trans>
          </th>
          <th scope="col">
            <Trans>State</Trans>
          </th>
          <th scope="col">
            <Trans>Reason</Trans>
          </th>
          <th scope="col">
            <Trans>Since</Trans>
          </th>
        </tr>
      </thead>
      <tbody>
        {teams.map((each) => (
          <tr key={each.team_id}>
            <th scope="row">
              <Link to="/desk/teams/$teamId" params={{ teamId: each.team_id }}>
                {each.name}
              </Link>{" "}
              <code>{each.team_id}</code>
            </th>
            <td>{i18n._(STATUSES[each.status])}</td>
            <td>{each.reason || "—"}</td>
            <td>
              <Moment at={each.created_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </Wide>
  );
}

/** Teams that have not applied: one, or a table of them, all or none. */
function Entering() {
  return (
    <section aria-labelledby="entering-title">
      <h2 id="entering-title">
        <Trans>Add teams without an application</Trans>
      </h2>
      <One />
      <Table />
    </section>
  );
}

function One() {
  const [name, setName] = useState("");
  const [teamId, setTeamId] = useState("");
  const adding = useMutation({
    mutationFn: () => api.POST("/v1/teams", { body: { team_id: teamId, name } }),
    onSuccess: async () => {
      setName("");
      setTeamId("");
      await renewed();
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        adding.mutate();
      }}
    >
      {adding.error && <Problem error={adding.error} />}
      <label className={parts.field}>
        <Trans>Name of the team</Trans>
        <input required maxLength={200} value={name} onChange={(event) => setName(event.currentTarget.value)} />
      </label>
      <label className={parts.field}>
        <Trans>Short name: small Latin letters, digits and hyphens</Trans>
        <input required maxLength={40} value={teamId} onChange={(event) => setTeamId(event.currentTarget.value)} />
      </label>
      <p>
        <Button primary type="submit" isDisabled={adding.isPending}>
          <Trans>Add the team</Trans>
        </Button>
      </p>
    </form>
  );
}

function Table() {
  const bringing = useMutation({
    mutationFn: async (file: File) => {
      const body = await file.text();
      const headers = { "content-type": "text/csv" };
      return (await api.POST("/v1/teams.csv", { body, headers, bodySerializer: (text) => text })).data;
    },
    onSuccess: renewed,
  });
  const choose = (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.currentTarget.files?.[0];
    // The same file, mended, may be chosen again.
    event.currentTarget.value = "";
    if (file) bringing.mutate(file);
  };
  return (
    <>
      {bringing.error && <Problem error={bringing.error} />}
      <label className={parts.field}>
        <Trans>A table (CSV in UTF-8 with the columns team_id and name): all of it or nothing is entered</Trans>
        <input type="file" accept=".csv,text/csv" disabled={bringing.isPending} onChange={choose} />
      </label>
      {bringing.data && (
        <p role="status" className={parts.good}>
          <Plural value={bringing.data.added.length} one="✓ # team was entered." other="✓ # teams were entered." />
        </p>
      )}
    </>
  );
}
