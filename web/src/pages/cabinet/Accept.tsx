import { Trans } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "@/api/client";
import { entered } from "@/pages/public/team";
import { Button } from "@/ui/controls";
import { Problem } from "@/ui/Page";
import parts from "@/ui/parts.module.css";

/** Whoever has no team yet enters one with a captain's code. */
export function Accept() {
  const [code, setCode] = useState("");
  const [name, setName] = useState("");
  const [contact, setContact] = useState("");
  const accepting = useMutation({
    mutationFn: () => api.POST("/v1/invitations/accept", { body: { code, person_name: name, contact } }),
    onSuccess: ({ data }) => entered(data),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        accepting.mutate();
      }}
    >
      <h2>
        <Trans>Enter a team by invitation</Trans>
      </h2>
      {accepting.error && <Problem error={accepting.error} />}
      <label className={parts.field}>
        <Trans>The captain's code</Trans>
        <input
          required
          maxLength={200}
          autoComplete="off"
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
      </label>
      <label className={parts.field}>
        <Trans>Your name</Trans>
        <input
          required
          maxLength={200}
          autoComplete="name"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <label className={parts.field}>
        <Trans>Your e-mail</Trans>
        <input
          required
          type="email"
          maxLength={250}
          autoComplete="email"
          value={contact}
          onChange={(event) => setContact(event.currentTarget.value)}
        />
      </label>
      <p>
        <Button primary type="submit" isDisabled={accepting.isPending}>
          <Trans>Enter the team</Trans>
        </Button>
      </p>
    </form>
  );
}
