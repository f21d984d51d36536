import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { api } from "@/api/client";
import { Button, ShownOnce } from "@/ui/controls";
import { Problem } from "@/ui/Page";

/** Makes a token for the team's program. It lives in this page's memory alone and is gone with it. */
export function NewToken({ token, onToken }: { token: string | null; onToken: (token: string) => void }) {
  const { t } = useLingui();
  const making = useMutation({
    mutationFn: () => api.POST("/v1/team/tokens", { body: { name: "" } }),
    onSuccess: ({ data }) => data && onToken(data.token),
  });
  if (token) {
    return (
      <ShownOnce
        says={<Trans>Your program's token. It is shown this once: copy it now.</Trans>}
        secret={token}
        what={t`the token`}
      />
    );
  }
  return (
    <>
      {making.error && <Problem error={making.error} />}
      <p>
        <Button primary isDisabled={making.isPending} onPress={() => making.mutate()}>
          <Trans>Create a token for my program</Trans>
        </Button>
      </p>
    </>
  );
}
