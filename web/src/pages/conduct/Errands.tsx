import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api, type Schemas } from "@/api/client";
import { EVERY, get, queryClient } from "@/api/queries";
import { useMay } from "@/auth/hooks";
import { OffBoard, useLanguage } from "@/ui/contest";
import { Button } from "@/ui/controls";
import { Problem } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Wide } from "@/ui/Wide";
import type { Board } from "./data";

/** Let a worker take in the experts' markups of a final; what came of it is told here. */
export function TakeIn({ runId }: { runId: string }) {
  const sending = useMutation({
    mutationFn: async () =>
      (await api.POST("/v1/conduct/runs/{run_id}/mark", { params: { path: { run_id: runId } } })).data,
  });
  return (
    <div>
      {sending.error && <Problem error={sending.error} />}
      <Button onPress={() => sending.mutate()} isDisabled={sending.isPending}>
        <Trans>Take in the experts' markups</Trans>
      </Button>{" "}
      {sending.data && <Course of={sending.data.errand_id} key={sending.data.errand_id} />}
    </div>
  );
}

/** Let a worker rebuild a session's scores and reports from the stored facts and compare every byte. */
export function Verify({ rows }: { rows: Board["rows"] }) {
  const { t } = useLingui();
  const verifies = useMay("verify_results");
  if (!verifies || rows.length === 0) return null;
  return (
    <details>
      <summary>
        <Trans>Verify a session byte by byte</Trans>
      </summary>
      <Wide label={t`Sessions of the board`}>
        <thead>
          <tr>
            <th scope="col">{t`Team`}</th>
            <th scope="col">{t`Session`}</th>
            <th scope="col">{t`Verification`}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.session_id}>
              <th scope="row">{row.team}</th>
              <td>{row.session_id}</td>
              <td>
                <VerifyOne session={row.session_id} team={row.team} />
              </td>
            </tr>
          ))}
        </tbody>
      </Wide>
    </details>
  );
}

function VerifyOne({ session, team }: { session: string; team: string }) {
  const { t } = useLingui();
  const sending = useMutation({
    mutationFn: async () =>
      (
        await api.POST("/v1/conduct/sessions/{session_id}/verification", {
          params: { path: { session_id: session } },
        })
      ).data,
  });
  return (
    <>
      {sending.error && <Problem error={sending.error} />}
      <Button aria-label={t`Verify the session of ${team}`} onPress={() => sending.mutate()}>
        <Trans>Verify</Trans>
      </Button>{" "}
      {sending.data && <Course of={sending.data.errand_id} key={sending.data.errand_id} />}
    </>
  );
}

/** How far an errand is, until it has an outcome. */
function Course({ of }: { of: string }) {
  const language = useLanguage();
  const [ended, setEnded] = useState(false);
  const errand = useQuery({
    ...get("/v1/conduct/errands/{errand_id}", { params: { path: { errand_id: of } } }, EVERY.jobs),
    ...(ended ? { refetchInterval: false as const } : {}),
  });
  const isOver = errand.data !== undefined && errand.data.state !== "under_way";
  useEffect(() => {
    if (!isOver) return;
    setEnded(true);
    void queryClient.invalidateQueries({ queryKey: ["/v1/conduct/runs/{run_id}"] });
  }, [isOver]);
  if (errand.error) return <Problem error={errand.error} />;
  if (!errand.data) return null;
  const { state, refused, verification } = errand.data;
  return (
    <span role="status">
      {state === "under_way" && <Trans>A worker is on it …</Trans>}
      {state === "failed" && (
        <span className={parts.void}>
          <Trans>The worker failed for good. Ask again; if it fails again, see the dead letters.</Trans>
        </span>
      )}
      {refused && <span className={parts.void}>{language === "ru" ? refused.message_ru : refused.message}</span>}
      {state === "done" && !verification && <Trans>Done.</Trans>}
      {verification && <Found of={verification} />}
    </span>
  );
}

function Found({ of }: { of: Schemas["VerificationBody"] }) {
  const wrong = [...of.differences, ...of.missing];
  return (
    <>
      {wrong.length === 0 ? (
        <span className={parts.good}>
          <Trans>
            Equal to the byte: {of.scores} scores, {of.reports} reports.
          </Trans>
        </span>
      ) : (
        <span className={parts.void}>
          <Plural value={wrong.length} one="# difference:" other="# differences:" /> {wrong.join("; ")}
        </span>
      )}{" "}
      <OffBoard of={of.off_board} inline />
    </>
  );
}
