import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { api, type Schemas } from "@/api/client";
import { renewed } from "@/api/queries";
import { Button } from "@/ui/controls";
import { Moment } from "@/ui/moments";
import { Problem } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Wide } from "@/ui/Wide";

/** Sessions whose answers wait for scores, the oldest of each, and the way to have them scored now. */
export function Waiting({ of, decides }: { of: readonly Schemas["WaitingBody"][]; decides: boolean }) {
  const { t } = useLingui();
  if (of.length === 0) {
    return (
      <p className={parts.good}>
        <Trans>Nothing waits: every answer that can be scored is scored.</Trans>
      </p>
    );
  }
  return (
    <>
      <Wide label={t`Sessions whose answers wait for scores`}>
        <thead>
          <tr>
            <th scope="col">{t`Session`}</th>
            <th scope="col">{t`Answers`}</th>
            <th scope="col">{t`The oldest`}</th>
          </tr>
        </thead>
        <tbody>
          {of.map(({ session_id: session, answers, oldest }) => (
            <tr key={session}>
              <th scope="row">{session}</th>
              <td>{answers}</td>
              <td>
                <Moment at={oldest} />
              </td>
            </tr>
          ))}
        </tbody>
      </Wide>
      {decides && <Redrive run={null} />}
    </>
  );
}

/** Put what waits into the scoring queue again; scoring twice is harmless. */
export function Redrive({ run }: { run: string | null }) {
  const sending = useMutation({
    mutationFn: async () => (await api.POST("/v1/conduct/scoring/redrive", { body: { run } })).data,
    onSuccess: renewed,
  });
  return (
    <div>
      {sending.error && <Problem error={sending.error} />}
      <Button onPress={() => sending.mutate()} isDisabled={sending.isPending}>
        <Trans>Score what waits, now</Trans>
      </Button>{" "}
      {sending.data && (
        <span role="status">
          <Plural
            value={sending.data.enqueued}
            _0="Nothing had to be sent again."
            one="# answer was sent to be scored."
            other="# answers were sent to be scored."
          />
        </span>
      )}
    </div>
  );
}
