import { Plural, Trans } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "@/api/client";
import { useLanguage } from "@/ui/contest";
import { Button } from "@/ui/controls";
import { Moment } from "@/ui/moments";
import { plain, share } from "@/ui/numbers";
import { Problem } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { useOwn } from "./questions";
import { askedAnew } from "./uploads";
import type { Submission } from "./words";

/** Of these many the private test is run (F-7). */
const MOST_NAMED = 2;

/**
 * What a team decides about a scored program: whether the private test is of it, and what its model is made of.
 *
 * Clause: TS F-7, TS F-8
 */
export function Prize({ of }: { of: Submission }) {
  return (
    <>
      <Named of={of} />
      <Declared of={of} />
    </>
  );
}

function Named({ of }: { of: Submission }) {
  const own = useOwn();
  const named = (own.data?.pages ?? []).flatMap((page) => page.submissions).filter((each) => each.named);
  const others = named.map((each) => each.submission_id).filter((id) => id !== of.submission_id);
  const naming = useMutation({
    mutationFn: (submissions: string[]) => api.POST("/v1/submissions/named", { body: { submissions } }),
    onSettled: askedAnew,
  });
  return (
    <section aria-labelledby="named-title">
      <h2 id="named-title">
        <Trans>Private test</Trans>
      </h2>
      <p>
        <Trans>
          At the end of the contest the organizers run up to two submissions of a team over a hidden set. Without a
          choice it is the team's best one.
        </Trans>{" "}
        {of.named && <strong className={parts.good}>{<Trans>✓ This one is named.</Trans>}</strong>}
      </p>
      {naming.error && <Problem error={naming.error} />}
      {of.named ? (
        <Button isDisabled={naming.isPending || own.isPending} onPress={() => naming.mutate(others)}>
          <Trans>Name it no more</Trans>
        </Button>
      ) : others.length < MOST_NAMED ? (
        <Button
          isDisabled={naming.isPending || own.isPending}
          onPress={() => naming.mutate([...others, of.submission_id])}
        >
          <Trans>Name it for the private test</Trans>
        </Button>
      ) : (
        <p>
          <Plural value={others.length} one="# submission is named" other="# submissions are named" />
          {": "}
          {others.join(", ")}. <Trans>Name one of them no more, then this one can be named.</Trans>
        </p>
      )}
    </section>
  );
}

function Declared({ of }: { of: Submission }) {
  const language = useLanguage();
  const said = of.declaration;
  const [total, setTotal] = useState(said ? String(said.total_parameters) : "");
  const [shared, setShared] = useState(said ? String(said.shared_parameters) : "");
  const declaring = useMutation({
    mutationFn: () => {
      const params = { path: { submission_id: of.submission_id } };
      const body = { total_parameters: Number(total), shared_parameters: Number(shared) };
      return api.POST("/v1/submissions/{submission_id}/declaration", { params, body });
    },
    onSettled: askedAnew,
  });
  return (
    <section aria-labelledby="declared-title">
      <h2 id="declared-title">
        <Trans>Declaration of the model</Trans>
      </h2>
      <p>
        <Trans>
          For the prizes of models that solve several tasks: how many parameters the model has, and how many of them
          every subtask uses. The commission confirms it; said anew, it is to be confirmed anew.
        </Trans>
      </p>
      {said && (
        <p role="status">
          <DeclarationOf of={said} />
        </p>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          declaring.mutate();
        }}
      >
        {declaring.error && <Problem error={declaring.error} />}
        <label className={parts.field}>
          <Trans>Parameters in all</Trans>
          <input
            required
            type="number"
            min={1}
            value={total}
            onChange={(event) => setTotal(event.currentTarget.value)}
          />
        </label>
        <label className={parts.field}>
          <Trans>Of them used by every subtask</Trans>
          <input
            required
            type="number"
            min={0}
            max={total === "" ? undefined : total}
            value={shared}
            onChange={(event) => setShared(event.currentTarget.value)}
          />
        </label>
        {Number(total) > 0 && shared !== "" && (
          <p className={parts.note}>
            <Trans>
              Shared: {share(Number(shared) / Number(total), language)} of {plain(Number(total), language)}
            </Trans>
          </p>
        )}
        <Button type="submit" isDisabled={declaring.isPending}>
          {said ? <Trans>Declare it anew</Trans> : <Trans>Declare</Trans>}
        </Button>
      </form>
    </section>
  );
}

/** What was declared, and how the commission has decided. */
export function DeclarationOf({ of }: { of: NonNullable<Submission["declaration"]> }) {
  const language = useLanguage();
  return (
    <>
      <Trans>
        Shared: {share(of.shared_share, language)} of {plain(of.total_parameters, language)}
      </Trans>
      {" · "}
      <Moment at={of.declared_at} />
      {" · "}
      {of.confirmed === null ? (
        <Trans>the commission has not decided yet</Trans>
      ) : of.confirmed ? (
        <span className={parts.good}>
          <Trans>✓ confirmed</Trans>
        </span>
      ) : (
        <span className={parts.void}>
          <Trans>✕ refused</Trans>
        </span>
      )}
      {of.reason && `: ${of.reason}`}
    </>
  );
}
