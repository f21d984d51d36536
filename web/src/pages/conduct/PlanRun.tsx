import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { api, type Schemas } from "@/api/client";
import { get, queryClient } from "@/api/queries";
import { useMay } from "@/auth/hooks";
import { AskedPage } from "@/shell/AskedPage";
import { useCycle } from "@/ui/contest";
import { Button } from "@/ui/controls";
import { Problem } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { PlanFields } from "./PlanFields";
import { Planned } from "./Planned";
import { fitted, NO_PLAN, newName, type Plan, requestOf } from "./plan";

/** A run is planned in two steps: what it would be, and then the promise of it, which is published. */
export function PlanRun() {
  const { t } = useLingui();
  const cycle = useQuery(get("/v1/conduct/cycle", {}));
  const mayPlan = useMay("organize");
  return (
    <AskedPage title={t`Plan a run`} of={cycle}>
      {(held) =>
        mayPlan ? (
          <Form held={held} />
        ) : (
          <p>
            <Trans>Runs are planned by organizers. You see every run once it is planned.</Trans>
          </p>
        )
      }
    </AskedPage>
  );
}

function Form({ held }: { held: Schemas["HeldCycleBody"] }) {
  const navigate = useNavigate();
  const languages = Object.keys(useCycle()?.languages ?? {});
  const [plan, setPlan] = useState<Plan>(() => fitted(NO_PLAN, held.sets));
  const [name, setName] = useState(newName);
  const previewing = useMutation({
    mutationFn: async () => (await api.POST("/v1/conduct/runs/preview", { body: requestOf(plan) })).data,
  });
  const planning = useMutation({
    mutationFn: async () => (await api.POST("/v1/conduct/runs", { body: requestOf(plan, name) })).data,
    onSuccess: async (made) => {
      await queryClient.invalidateQueries({ queryKey: ["/v1/conduct/runs"] });
      if (made) await navigate({ to: "/desk/runs/$runId", params: { runId: made.run.run_id } });
    },
  });
  const change = (said: Partial<Plan>) => {
    setPlan((before) => fitted({ ...before, ...said }, held.sets));
    // Another plan is another run, and what was previewed is not it.
    setName(newName());
    previewing.reset();
    planning.reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    previewing.mutate();
  };
  return (
    <>
      <form onSubmit={submit}>
        <PlanFields plan={plan} change={change} sets={held.sets} languages={languages} />
        <div className={parts.actions}>
          <Button primary={!previewing.data} type="submit" isDisabled={previewing.isPending}>
            <Trans>Show what would be planned</Trans>
          </Button>
        </div>
      </form>
      {previewing.error && <Problem error={previewing.error} />}
      {previewing.data && (
        <Planned of={previewing.data}>
          {planning.error && <Problem error={planning.error} />}
          <Button primary isDisabled={planning.isPending} onPress={() => planning.mutate()}>
            <Trans>Plan it and publish its commitment</Trans>
          </Button>
        </Planned>
      )}
    </>
  );
}
