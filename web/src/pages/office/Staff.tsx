import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { EVERY, get, post, renewed, type Schemas } from "@/api/client";
import { roleName, useMay } from "@/auth/hooks";
import { Choice, Field, Form, Reasoned, useAction, useDraft } from "@/ui/forms";
import { AskedPage, Moment, PageSection } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Table } from "@/ui/Table";

type Role = Schemas["StaffRequest"]["role"];

const ROLES: readonly Role[] = ["expert", "clinician", "judge", "commission", "organizer"];
const ALL = get("/v1/staff", {}, EVERY.idle);

/** List all people ever invited to the staff with their rights; the commission reads it, organizers change it. */
export function Staff() {
  const { i18n, t } = useLingui();
  const organizes = useMay("organize");
  return (
    <AskedPage title={t`Staff`} asks={ALL}>
      {({ staff }) => (
        <>
          <Table
            label={t`Table of the staff`}
            rows={staff}
            rowKey={({ person_id }) => person_id}
            columns={[
              { header: <Trans>Name</Trans>, cell: ({ name }) => name },
              { header: <Trans>E-mail</Trans>, cell: ({ email }) => email },
              { header: <Trans>Role</Trans>, cell: ({ role }) => i18n._(roleName(role)) },
              {
                header: <Trans>Since</Trans>,
                cell: ({ dismissed_at, since }) =>
                  dismissed_at ? (
                    <Trans>
                      dismissed <Moment at={dismissed_at} />
                    </Trans>
                  ) : (
                    <Moment at={since} />
                  ),
              },
              organizes && { cell: (member) => <Decisions member={member} /> },
            ]}
          />
          {organizes && <Invite />}
        </>
      )}
    </AskedPage>
  );
}

function RoleChoice({ value, change }: { value: Role; change: (role: Role) => void }) {
  return <Choice label={<Trans>Role</Trans>} value={value} change={change} options={ROLES} named={roleName} />;
}

function Invite() {
  const { t } = useLingui();
  const { draft, bind, change } = useDraft({ name: "", email: "", role: "expert" as Role });
  const inviting = useAction(
    () => post("/v1/staff", {}, draft),
    () => {
      change({ name: "", email: "" });
      return renewed();
    },
  );
  return (
    <PageSection id="invite-title" title={t`Invite somebody`}>
      <p>{t`They get an account, and an e-mail that explains how to sign in.`}</p>
      <Form of={inviting} primary send={t`Invite`}>
        <Field label={t`Name`} required maxLength={200} {...bind("name")} />
        <Field label={t`E-mail`} required type="email" maxLength={250} {...bind("email")} />
        <RoleChoice {...bind("role")} />
      </Form>
    </PageSection>
  );
}

function Decisions({ member }: { member: Schemas["MemberBody"] }) {
  const [role, setRole] = useState<Role>(ROLES.find((role) => role !== member.role) ?? "expert");
  const { name, person_id } = member;
  const params = { person_id };
  if (member.dismissed_at) {
    return (
      <Reasoned
        label={<Trans>Reinstate</Trans>}
        asks={<Trans>Give {name} the role and the account back?</Trans>}
        act={(reason) => post("/v1/staff/{person_id}/reinstate", params, { reason })}
      />
    );
  }
  return (
    <div className={parts.actions}>
      <Reasoned
        label={<Trans>Change the role</Trans>}
        asks={<Trans>Give {name} another role? It takes effect within a minute.</Trans>}
        act={(reason) => post("/v1/staff/{person_id}/role", params, { role, reason })}
      >
        <RoleChoice value={role} change={setRole} />
      </Reasoned>
      <Reasoned
        label={<Trans>Dismiss</Trans>}
        asks={<Trans>Remove all rights of {name} within a minute and close the account? You can undo this.</Trans>}
        act={(reason) => post("/v1/staff/{person_id}/dismiss", params, { reason })}
      />
    </div>
  );
}
