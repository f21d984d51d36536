import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, type Schemas } from "@/api/client";
import { EVERY, get, queryClient } from "@/api/queries";
import { Button, ShownOnce } from "@/ui/controls";
import { Confirmed } from "@/ui/forms";
import { Moment, useNow } from "@/ui/moments";
import { Answered, Problem } from "@/ui/Page";
import parts from "@/ui/parts.module.css";

const LIST = get("/v1/team/invitations", {}, EVERY.idle);

/** Who was invited; the captain invites and takes back. */
export function Invitations({ isCaptain }: { isCaptain: boolean }) {
  const invitations = useQuery(LIST);
  return (
    <section aria-labelledby="invitations-title">
      <h2 id="invitations-title">
        <Trans>Invitations</Trans>
      </h2>
      {isCaptain && <Invite />}
      <Answered of={invitations}>
        {(told) =>
          told.invitations.length === 0 ? (
            <p>
              <Trans>Nobody was invited yet.</Trans>
            </p>
          ) : (
            <ul>
              {told.invitations.map((each) => (
                <Line key={each.invitation_id} invitation={each} isCaptain={isCaptain} />
              ))}
            </ul>
          )
        }
      </Answered>
    </section>
  );
}

function renewed() {
  return queryClient.invalidateQueries({ queryKey: LIST.queryKey });
}

function Invite() {
  const { t } = useLingui();
  const [note, setNote] = useState("");
  const inviting = useMutation({
    mutationFn: async () => (await api.POST("/v1/team/invitations", { body: { note } })).data,
    onSuccess: renewed,
    gcTime: 0,
  });
  const code = inviting.data?.code;
  if (code) {
    return (
      <ShownOnce
        says={<Trans>The invitation's code. It is shown this once: send it to whom you invite.</Trans>}
        secret={code}
        what={t`the code`}
        forget={() => inviting.reset()}
      />
    );
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        inviting.mutate();
      }}
    >
      {inviting.error && <Problem error={inviting.error} />}
      <label className={parts.field}>
        <Trans>For whom (a note for the team)</Trans>
        <input value={note} maxLength={200} onChange={(event) => setNote(event.currentTarget.value)} />
      </label>
      <p>
        <Button primary type="submit" isDisabled={inviting.isPending}>
          <Trans>Invite a member</Trans>
        </Button>
      </p>
    </form>
  );
}

interface LineProps {
  invitation: Schemas["InvitationBody"];
  isCaptain: boolean;
}

function Line({ invitation, isCaptain }: LineProps) {
  const now = useNow();
  const { accepted_by: accepted, revoked_at: revoked, expires_at: ends, invitation_id: id } = invitation;
  const called = invitation.note || id;
  const isOver = Date.parse(ends) <= now;
  return (
    <li>
      <strong>{called}</strong> ·{" "}
      {accepted ? (
        <Trans>was accepted</Trans>
      ) : revoked ? (
        <Trans>taken back</Trans>
      ) : isOver ? (
        <Trans>ran out</Trans>
      ) : (
        <>
          <Trans>
            open until <Moment at={ends} />
          </Trans>
          {isCaptain && (
            <div className={parts.actions}>
              <Confirmed
                label={<Trans>Take back</Trans>}
                asks={<Trans>The code of the invitation {called} is good for nothing from then on.</Trans>}
                act={() =>
                  api.POST("/v1/team/invitations/{invitation_id}/revoke", {
                    params: { path: { invitation_id: id } },
                  })
                }
                done={renewed}
              />
            </div>
          )}
        </>
      )}
    </li>
  );
}
