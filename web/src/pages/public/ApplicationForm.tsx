import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { api } from "@/api/client";
import { ApiError } from "@/api/problem";
import { useLanguage } from "@/ui/contest";
import { Button } from "@/ui/controls";
import { Problem } from "@/ui/Page";
import {
  EMPTY,
  type Faults,
  FIELDS,
  type FieldName,
  type Filled,
  faultsOf,
  keep,
  kept,
  refusedFields,
} from "./applied";
import styles from "./public.module.css";
import { entered } from "./team";

/**
 * One page, kept in this tab while it is filled in; what is wrong is said at once, with a link to each field.
 *
 * Clause: R 3.1, D 3.2
 */
export function ApplicationForm() {
  const { t } = useLingui();
  const language = useLanguage();
  const [filled, setFilled] = useState<Filled>(kept);
  const [faults, setFaults] = useState<Faults>({});
  const summary = useRef<HTMLDivElement>(null);
  const labels: Record<FieldName, { name: string; hint: string }> = {
    team_name: { name: t`Name of the team`, hint: t`As it stands on the boards` },
    team_id: {
      name: t`Short name`,
      hint: t`Small Latin letters, digits and hyphens, as in red-owls; it stays for ever`,
    },
    person_name: { name: t`Your name`, hint: t`You become the team's captain` },
    contact: { name: t`E-mail`, hint: t`The organizers write here` },
    organization: { name: t`Organization`, hint: t`Where the team comes from, if from anywhere` },
    about: { name: t`About the team and its program`, hint: t`What the organizers should know` },
    accepts_rules: { name: t`We have read the rules and accept them`, hint: "" },
  };
  const words: Record<string, string> = {
    missing: t`is missing`,
    form: t`has characters or a length that it may not have`,
    unaccepted: t`must be accepted`,
  };
  const sending = useMutation({
    mutationFn: () => api.POST("/v1/applications", { body: { ...filled, accepts_rules: true } }),
    onSuccess: ({ data }) => {
      keep(EMPTY);
      return entered(data);
    },
    onError: (error) => {
      if (error instanceof ApiError) setFaults(refusedFields(error, language));
    },
  });
  const told = FIELDS.filter((name) => faults[name] !== undefined);
  useEffect(() => {
    if (Object.keys(faults).length > 0) summary.current?.focus();
  }, [faults]);
  const change = (name: FieldName, value: string | boolean) => {
    const next = { ...filled, [name]: value };
    setFilled(next);
    keep(next);
  };
  const send = (event: FormEvent) => {
    event.preventDefault();
    const found = faultsOf(filled);
    setFaults(found);
    if (Object.keys(found).length === 0) sending.mutate();
  };
  const sentence = (name: FieldName) => words[faults[name] ?? ""] ?? faults[name] ?? "";
  return (
    <form className={styles.form} onSubmit={send} noValidate>
      {told.length > 0 && (
        <div ref={summary} tabIndex={-1} role="alert" className={styles.token}>
          <p>
            <strong>
              <Trans>The application is not sent yet:</Trans>
            </strong>
          </p>
          <ul>
            {told.map((name) => (
              <li key={name}>
                <a href={`#${name}`} onClick={(event) => focusField(event, name)}>
                  {labels[name].name} {sentence(name)}
                </a>
              </li>
            ))}
          </ul>
        </div>
      )}
      {sending.error && told.length === 0 && <Problem error={sending.error} />}
      {FIELDS.filter((name) => name !== "accepts_rules").map((name) => (
        <Field
          key={name}
          name={name}
          label={labels[name].name}
          hint={labels[name].hint}
          value={filled[name]}
          fault={faults[name] === undefined ? "" : sentence(name)}
          onChange={(value) => change(name, value)}
        />
      ))}
      <div>
        <label>
          <input
            id="accepts_rules"
            type="checkbox"
            checked={filled.accepts_rules}
            aria-invalid={faults.accepts_rules !== undefined}
            onChange={(event) => change("accepts_rules", event.currentTarget.checked)}
          />{" "}
          {labels.accepts_rules.name}
        </label>{" "}
        (
        <Link to="/rules">
          <Trans>rules</Trans>
        </Link>
        )
      </div>
      <div>
        <Button primary type="submit" isDisabled={sending.isPending}>
          <Trans>Send the application</Trans>
        </Button>
      </div>
    </form>
  );
}

interface FieldProps {
  name: Exclude<FieldName, "accepts_rules">;
  label: string;
  hint: string;
  value: string;
  fault: string;
  onChange: (value: string) => void;
}

function Field({ name, label, hint, value, fault, onChange }: FieldProps) {
  const shared = {
    id: name,
    name,
    value,
    "aria-invalid": fault !== "",
    "aria-describedby": `${name}-hint ${name}-fault`,
  };
  return (
    <div className={styles.field}>
      <label htmlFor={name}>{label}</label>
      <span id={`${name}-hint`} className={styles.hint}>
        {hint}
      </span>
      {name === "about" ? (
        <textarea {...shared} rows={4} onChange={(event) => onChange(event.currentTarget.value)} />
      ) : (
        <input
          {...shared}
          type={name === "contact" ? "email" : "text"}
          autoComplete={
            { person_name: "name", contact: "email", organization: "organization" }[name as string] ?? "off"
          }
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )}
      <span id={`${name}-fault`} className={styles.fault}>
        {fault}
      </span>
    </div>
  );
}

function focusField(event: { preventDefault: () => void }, name: FieldName): void {
  event.preventDefault();
  document.getElementById(name)?.focus();
}
