import { Trans, useLingui } from "@lingui/react/macro";
import { Link, useLocation } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { post } from "@/api/client";
import { ApiError } from "@/api/problem";
import { useMe, useSession } from "@/auth/hooks";
import { useCycle, useLanguage, useMessage } from "@/ui/contest";
import { Check, Form, Submit, useAction } from "@/ui/forms";
import { Moment, Page, Problem, Skeleton, useNow } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { day } from "@/ui/time";
import {
  EMPTY,
  type Faults,
  FIELDS,
  type FieldName,
  type Filled,
  faultsOf,
  keep,
  refusedFields,
  storedForm,
} from "./participation";
import styles from "./public.module.css";
import { STAGES } from "./Runs";
import { NewToken } from "./TakePart";
import { entered, hasNoTeam, STATUSES, type Team, useTeam } from "./team";

/**
 * The application: a form until there is a team, afterwards its state.
 *
 * Clause: R 3.1, D 3.2
 */
export function Application() {
  const { t } = useLingui();
  return (
    <Page title={t`Application`}>
      <SelectionDays />
      <Content />
    </Page>
  );
}

/** Show the selection's days and rule if applications are refused now, before anybody fills in the form. */
function SelectionDays() {
  const { i18n } = useLingui();
  const language = useLanguage();
  const text = useMessage();
  const now = useNow(60_000);
  const stage = useCycle()?.stages.find((stage) => stage.name === "selection");
  if (stage?.outside !== "refuse" || (Date.parse(stage.starts_at) <= now && now < Date.parse(stage.ends_at))) {
    return null;
  }
  return (
    <p>
      <strong>
        {i18n._(STAGES[stage.name])}: {day(stage.first, language)} – {day(stage.last, language)}.
      </strong>{" "}
      {text(stage)}
    </p>
  );
}

function Content() {
  const { t } = useLingui();
  const session = useSession();
  const me = useMe();
  const { href } = useLocation();
  const team = useTeam();
  const hasEnded = session.state === "expired";
  if (session.state === "out" || (hasEnded && session.pool === "staff")) {
    return (
      <p>
        {t`The captain applies for the team and needs an account.`}{" "}
        <Link to="/signin" search={{ to: href }}>
          {t`Sign in or make an account`}
        </Link>
      </p>
    );
  }
  if (me && !me.rights.includes("cabinet")) {
    return <p>{t`Participants apply for teams. You are signed in with an account of the staff.`}</p>;
  }
  if (team.data) return <Decided team={team.data} />;
  // The typed text stays in the form when the sign-in ends; the shell says how to go on.
  if (hasNoTeam(team) || hasEnded) return <ApplicationForm />;
  return team.error ? <Problem error={team.error} retry={() => void team.refetch()} /> : <Skeleton lines={8} />;
}

function Decided({ team }: { team: Team }) {
  const { i18n, t } = useLingui();
  const [token, setToken] = useState<string | null>(null);
  const { name, reason } = team;
  const status = i18n._(STATUSES[team.status]);
  return (
    <>
      <p role="status">
        <Trans>
          Team {name}: <strong>{status}</strong>
        </Trans>
        {reason && `. ${reason}`}
      </p>
      {team.application && (
        <p>
          <Trans>
            Sent <Moment at={team.application.submitted_at} />.
          </Trans>
        </p>
      )}
      {team.status === "applied" && (
        <p>{t`The organizers decide. This page changes by itself; you may close it and come back.`}</p>
      )}
      {team.status === "approved" && (
        <>
          <NewToken token={token} onToken={setToken} />
          <p>
            <Link to="/take-part">{t`The five commands to a first report`}</Link>
          </p>
        </>
      )}
    </>
  );
}

/** Show the form on one page, stored in this tab while it is filled in; faults are listed with links to the fields. */
function ApplicationForm() {
  const { t } = useLingui();
  const language = useLanguage();
  const [filled, setFilled] = useState<Filled>(storedForm);
  const [agrees, setAgrees] = useState(false);
  const [faults, setFaults] = useState<Faults>({});
  const summary = useRef<HTMLDivElement>(null);
  const labels: Record<FieldName, { name: string; hint: string }> = {
    team_name: { name: t`Name of the team`, hint: t`As on the leaderboards` },
    team_id: {
      name: t`Short name`,
      hint: t`Small Latin letters, digits and hyphens, as in red-owls; it cannot be changed later`,
    },
    person_name: { name: t`Your name`, hint: t`You become the team's captain` },
    contact: { name: t`E-mail`, hint: t`The organizers write here` },
    organization: { name: t`Organization`, hint: t`Organization or place of the team, if any` },
    about: { name: t`About the team and its program`, hint: t`Information for the organizers` },
    accepts_rules: { name: t`We have read the rules and accept them`, hint: "" },
  };
  const words: Record<string, string> = {
    missing: t`is missing`,
    form: t`has forbidden characters or a wrong length`,
    unaccepted: t`must be accepted`,
  };
  const sending = useAction(
    () => post("/v1/applications", {}, { ...filled, agrees, accepts_rules: true }),
    (team) => {
      keep(EMPTY);
      return entered(team);
    },
    {
      onError: (error) => {
        if (error instanceof ApiError) setFaults(refusedFields(error, language));
      },
    },
  );
  const faulty = FIELDS.filter((name) => faults[name] !== undefined);
  useEffect(() => {
    if (Object.keys(faults).length > 0) summary.current?.focus();
  }, [faults]);
  const change = (name: FieldName, value: string | boolean) => {
    const next = { ...filled, [name]: value };
    setFilled(next);
    keep(next);
  };
  const send = () => {
    const faults = faultsOf(filled);
    setFaults(faults);
    if (Object.keys(faults).length === 0) sending.mutate();
  };
  const sentence = (name: FieldName) => words[faults[name] ?? ""] ?? faults[name] ?? "";
  return (
    <Form className={styles.form} submit={send} noValidate>
      {faulty.length > 0 && (
        <div ref={summary} tabIndex={-1} role="alert" className={styles.token}>
          <p>
            <strong>{t`The application is not sent yet:`}</strong>
          </p>
          <ul>
            {faulty.map((name) => (
              <li key={name}>
                <a
                  href={`#${name}`}
                  onClick={(event) => {
                    event.preventDefault();
                    document.getElementById(name)?.focus();
                  }}
                >
                  {labels[name].name} {sentence(name)}
                </a>
              </li>
            ))}
          </ul>
        </div>
      )}
      {sending.error && faulty.length === 0 && <Problem error={sending.error} />}
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
        <Check
          label={labels.accepts_rules.name}
          id="accepts_rules"
          value={filled.accepts_rules}
          aria-invalid={faults.accepts_rules !== undefined}
          change={(accepts) => change("accepts_rules", accepts)}
        />{" "}
        (<Link to="/rules">{t`rules`}</Link>)
      </div>
      <div>
        <Check
          label={t`The next cycle may have the team's name and contact (not required)`}
          value={agrees}
          change={setAgrees}
        />
      </div>
      <div>
        <Submit primary of={sending}>{t`Send the application`}</Submit>
      </div>
    </Form>
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
      <span id={`${name}-hint`} className={parts.note}>
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
