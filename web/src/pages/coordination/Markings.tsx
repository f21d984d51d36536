import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { get, post, renewed, type Schemas } from "@/api/client";
import { useMay } from "@/auth/hooks";
import { MessageList, useCalled } from "@/ui/contest";
import { Button, PageLink } from "@/ui/controls";
import { Act, Choice, Field, Offers, useAction } from "@/ui/forms";
import { AskedPage, Moment, PageSection } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Table } from "@/ui/Table";
import { MARKINGS, RoomTabs, useNames } from "./data";

/** Show all work given out to experts; organizers can give out more. */
export function Markings() {
  const { t } = useLingui();
  const { Many } = useCalled();
  const organizes = useMay("organize");
  return (
    <AskedPage title={t`Experts`} asks={MARKINGS}>
      {({ markings }) => (
        <>
          <RoomTabs />
          <Table
            label={t`Table of the work given out`}
            empty={t`No work has been given to experts yet. It will appear here with its progress.`}
            rows={markings}
            rowKey={(row) => row.marking_id}
            columns={[
              {
                header: t`Work`,
                cell: ({ marking_id: markingId }) => (
                  <PageLink to="/desk/experts/markings/$markingId" id={markingId}>
                    {markingId}
                  </PageLink>
                ),
              },
              { header: t`Set`, cell: ({ set }) => set },
              { header: Many, cell: ({ essays }) => essays },
              { header: t`Begun`, cell: (row) => <Moment at={row.created_at} /> },
            ]}
          />
          {organizes && <Begin />}
        </>
      )}
    </AskedPage>
  );
}

type Kind = "set" | "run" | "session";

/** Give work out after a preview. */
export function Begin() {
  const { t } = useLingui();
  const [kind, setKind] = useState<Kind>("set");
  const [name, setName] = useState("");
  const id = useId();
  const { many } = useCalled();
  const cycle = useQuery(get("/v1/conduct/cycle", {})).data;
  const runs = useQuery(get("/v1/runs", {})).data?.runs ?? [];
  const sets = Object.entries(cycle?.sets ?? {}).filter(([, { kind }]) => kind === "training" || kind === "test");
  const suggestions = {
    set: sets.map(([name]) => name),
    run: runs.filter(({ mode }) => mode === "final").map(({ run_id }) => run_id),
    session: [],
  }[kind];
  return (
    <PageSection id="begin-title" title={t`Give work out`}>
      <div className={parts.filters}>
        <Choice
          label={t`What`}
          value={kind}
          change={setKind}
          options={{
            set: t`${many} of a set`,
            run: t`files of a final that is over`,
            session: t`explanations of a session's answers, to rate`,
          }}
        />
        <Field
          label={kind === "set" ? t`Set` : kind === "run" ? t`Run` : t`Session`}
          value={name}
          list={id}
          autoComplete="off"
          maxLength={40}
          change={(value) => setName(value.trim())}
        />
        <Offers id={id} of={suggestions} />
      </div>
      <Giving key={`${kind} ${name}`} order={name === "" ? null : { [kind]: name }} />
    </PageSection>
  );
}

/** Preview one order of work, then give it out. */
export function Giving({ order }: { order: { [kind in Kind]?: string } | null }) {
  const body = (preview: boolean) => ({ ...order, preview }) as Schemas["MarkingRequest"];
  const looking = useAction(() => post("/v1/markings", {}, body(true)));
  const giving = useAction(() => post("/v1/markings", {}, body(false)), renewed);
  const plan = giving.data ?? looking.data;
  const count = looking.data?.essays;
  return (
    <>
      {giving.problem ?? looking.problem}
      {plan && <Plan plan={plan} />}
      <div className={parts.actions}>
        <Button isDisabled={order === null || looking.isPending} onPress={() => looking.mutate()}>
          <Trans>Preview the distribution</Trans>
        </Button>
        {looking.data && looking.data.essays > 0 && looking.data.uncovered.length === 0 && !giving.data && (
          <Act primary of={giving}>
            <Trans>Give out: {count}</Trans>
          </Act>
        )}
      </div>
    </>
  );
}

function Plan({ plan }: { plan: Schemas["PlanBody"] }) {
  const { t } = useLingui();
  const nameOf = useNames();
  const count = plan.essays;
  if (count === 0) return <p role="status">{t`Every text has its experts; nothing to give out.`}</p>;
  return (
    <>
      <p role="status">{plan.preview ? t`Without enough experts: ${count}` : t`Given out: ${count}`}</p>
      {plan.uncovered.length > 0 && (
        <>
          <p className={parts.void}>{t`Not every text can be covered, so none is given out:`}</p>
          <MessageList of={plan.uncovered} place={({ item_id }) => `${item_id}: `} />
        </>
      )}
      <Table
        label={t`Work of each expert, before and after`}
        rows={plan.loads}
        rowKey={(row) => row.expert_id}
        columns={[
          { header: t`Expert`, cell: (row) => nameOf(row.expert_id) },
          { header: t`Has now`, cell: ({ before }) => before },
          { header: t`With these`, cell: ({ after }) => after },
        ]}
      />
    </>
  );
}
