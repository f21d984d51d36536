import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { type Dispatch, type ReactNode, type SetStateAction, useState } from "react";
import { api } from "@/api/client";
import { get, renewed } from "@/api/queries";
import { useMay } from "@/auth/hooks";
import { useTeamName } from "@/pages/desk/teamNames";
import { Reasoned } from "@/ui/forms";
import { Answered } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import styles from "./conduct.module.css";
import { type ConductedRun, runQuery } from "./data";
import { readNumbers } from "./fileNumbers";
import type { ReplayRules } from "./replay";

/** Nothing is replayed yet: what will be is chosen here, once, by who may verify results. */
export function BeginReplay({ runId }: { runId: string }) {
  const cycle = useQuery(get("/v1/conduct/cycle", {}));
  const run = useQuery(runQuery(runId));
  const verifies = useMay("verify_results");
  return (
    <Answered of={cycle}>
      {({ replay }) =>
        replay ? (
          <Answered of={run}>
            {(told) =>
              told.closed_at === null ? (
                <p role="status">
                  <Trans>The run is not over: what is replayed of it can be chosen when it is.</Trans>
                </p>
              ) : verifies ? (
                <Form run={told} rules={replay} />
              ) : (
                <p role="status">
                  <Trans>Nothing of this run is replayed yet.</Trans>
                </p>
              )
            }
          </Answered>
        ) : (
          <p role="status">
            <Trans>This contest has no stage 2: nobody's work is replayed.</Trans>
          </p>
        )
      }
    </Answered>
  );
}

function Form({ run, rules }: { run: ConductedRun; rules: ReplayRules }) {
  const { t } = useLingui();
  const last = Math.min(run.total_files, rules.fewest_rounds);
  const [files, setFiles] = useState(`1-${last}`);
  const [people, setPeople] = useState<readonly string[]>([]);
  const [teams, setTeams] = useState<readonly string[]>([]);
  const [seed, setSeed] = useState("");
  const [limit, setLimit] = useState("");
  const numbers = readNumbers(files);
  const drawn = Number(seed);
  const wrong =
    numbers === null
      ? t`Files: numbers like 1-12, 15.`
      : numbers.length < rules.fewest_rounds || numbers.length > rules.most_rounds
        ? t`Files are chosen: ${numbers.length}; ${rules.fewest_rounds} to ${rules.most_rounds} are wanted.`
        : people.length !== rules.people
          ? t`Clinicians are chosen: ${people.length}; ${rules.people} are wanted.`
          : seed === "" || !Number.isSafeInteger(drawn) || drawn < 0
            ? t`The seed is a whole number.`
            : null;
  const act = (reason: string) =>
    api.POST("/v1/replays", {
      body: {
        run_id: run.run_id,
        files: numbers ?? [],
        people: [...people],
        seed: drawn,
        teams: teams.length > 0 ? [...teams] : null,
        limit_s: limit === "" ? null : Number(limit),
        reason,
      },
    });
  return (
    <section aria-labelledby="begin-title">
      <h2 id="begin-title">
        <Trans>Choose what is replayed, and draw the lot</Trans>
      </h2>
      <p>
        <Trans>
          In each round every clinician is shown one program's work on the same file, turn by turn, and answers the
          contest's questions. All is chosen once; the lot gives programs and clinicians their names.
        </Trans>
      </p>
      <div className={styles.form}>
        <Field label={t`Files of the run, one a round`}>
          <input value={files} onChange={({ currentTarget }) => setFiles(currentTarget.value)} />
        </Field>
        <Field label={t`Seed of the lot, which everybody can read`}>
          <input
            type="number"
            min={0}
            step={1}
            value={seed}
            onChange={({ currentTarget }) => setSeed(currentTarget.value)}
          />
        </Field>
        <Field label={t`Seconds for a review`}>
          <input
            type="number"
            min={1}
            max={7200}
            step={1}
            placeholder={String(rules.limit_s)}
            value={limit}
            onChange={({ currentTarget }) => setLimit(currentTarget.value)}
          />
        </Field>
        <People chosen={people} toggle={toggled(setPeople)} wanted={rules.people} />
        <Teams chosen={teams} toggle={toggled(setTeams)} rules={rules} />
      </div>
      {wrong === null ? (
        <Reasoned
          primary
          label={<Trans>Draw the lot</Trans>}
          asks={
            <Trans>
              The names are drawn from the seed {seed}, once for all rounds. Neither files nor people can be changed
              afterwards.
            </Trans>
          }
          clause="D 9.10.8.5"
          act={act}
          done={renewed}
        />
      ) : (
        <p role="status">{wrong}</p>
      )}
    </section>
  );
}

/** Takes somebody in or out; each change goes on from the one before it, however quickly they come. */
function toggled(set: Dispatch<SetStateAction<readonly string[]>>): ChoiceProps["toggle"] {
  return (id, wanted) => set((chosen) => (wanted ? [...chosen, id] : chosen.filter((each) => each !== id)));
}

interface ChoiceProps {
  chosen: readonly string[];
  toggle: (id: string, wanted: boolean) => void;
}

function People({ chosen, toggle, wanted }: ChoiceProps & { wanted: number }) {
  const staff = useQuery(get("/v1/staff", {}));
  return (
    <Answered of={staff}>
      {(told) => {
        const clinicians = told.staff.filter(({ role, dismissed_at }) => role === "clinician" && !dismissed_at);
        return (
          <Choices
            legend={
              <Trans>
                Clinicians, {chosen.length} of {wanted}
              </Trans>
            }
            of={clinicians.map(({ person_id, name, email }) => ({ id: person_id, label: `${name}, ${email}` }))}
            chosen={chosen}
            toggle={toggle}
            none={<Trans>Nobody of the staff is a clinician yet: an organizer invites them first.</Trans>}
          />
        );
      }}
    </Answered>
  );
}

/** Nobody chosen: all that took part. */
function Teams({ chosen, toggle, rules }: ChoiceProps & { rules: ReplayRules }) {
  const teams = useQuery(get("/v1/teams", {})).data?.teams ?? [];
  const nameOf = useTeamName();
  return (
    <details className={styles.more}>
      <summary>
        <Trans>Only these programs (otherwise all that took part)</Trans>
      </summary>
      <Choices
        legend={
          <Trans>
            Programs, {rules.fewest_programs} to {rules.most_programs}
          </Trans>
        }
        of={teams.map(({ team_id: id }) => ({ id, label: nameOf(id) }))}
        chosen={chosen}
        toggle={toggle}
        none={<Trans>There is no team.</Trans>}
      />
    </details>
  );
}

interface ChoicesProps extends ChoiceProps {
  legend: ReactNode;
  of: readonly { id: string; label: string }[];
  none: ReactNode;
}

function Choices({ legend, of, chosen, toggle, none }: ChoicesProps) {
  return (
    <fieldset className={styles.choices}>
      <legend>{legend}</legend>
      {of.length === 0 && <p>{none}</p>}
      {of.map(({ id, label }) => (
        <label key={id} className={styles.check}>
          <input
            type="checkbox"
            checked={chosen.includes(id)}
            onChange={({ currentTarget }) => toggle(id, currentTarget.checked)}
          />{" "}
          {label}
        </label>
      ))}
    </fieldset>
  );
}

function Field({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: its control is what it is given
    <label className={parts.field}>
      <span>{label}</span>
      {children}
    </label>
  );
}
