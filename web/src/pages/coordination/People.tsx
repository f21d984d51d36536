import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { get, put, renewed } from "@/api/client";
import { useMay } from "@/auth/hooks";
import { languageName, useCycle, useGroupName, useLanguage } from "@/ui/contest";
import { Button } from "@/ui/controls";
import { Check, Checks, Choice, Field, Form, useAction, useDraft } from "@/ui/forms";
import { AskedPage, PageSection } from "@/ui/Page";
import { Table } from "@/ui/Table";
import styles from "./coordination.module.css";
import { EXPERTS, type Expert, RoomTabs } from "./data";

type Profile = Pick<Expert, "subjects" | "languages" | "groups" | "active">;
const NEW: Profile = { subjects: [], languages: [], groups: [], active: true };

/** Show what each expert may annotate, and with whom not; organizers edit it. */
export function People() {
  const { t } = useLingui();
  const organizes = useMay("organize");
  const [chosen, choose] = useState<string | null>(null);
  return (
    <AskedPage title={t`Experts: people`} asks={EXPERTS}>
      {({ experts }) => (
        <>
          <RoomTabs />
          <ExpertTable experts={experts} choose={organizes ? choose : null} />
          {organizes && (
            <Edit
              key={chosen ?? ""}
              expert={experts.find((expert) => expert.expert_id === chosen) ?? null}
              experts={experts}
              done={() => choose(null)}
            />
          )}
        </>
      )}
    </AskedPage>
  );
}

function ExpertTable({ experts, choose }: { experts: readonly Expert[]; choose: ((id: string) => void) | null }) {
  const { t } = useLingui();
  const language = useLanguage();
  const titleOf = useGroupName();
  return (
    <Table
      label={t`Table of experts`}
      empty={t`No expert has a profile yet, so nothing can be given out.`}
      rows={experts}
      rowKey={(row) => row.expert_id}
      columns={[
        { header: t`Pseudonym`, cell: ({ pseudonym }) => pseudonym },
        { header: t`Types`, cell: ({ subjects }) => subjects.map(titleOf).join(", ") },
        {
          header: t`Languages`,
          cell: ({ languages }) => languages.map((name) => languageName(name, language)).join(", "),
        },
        { header: t`Conflict groups`, cell: ({ groups }) => groups.join(", ") || "—" },
        { header: t`New work`, cell: ({ active }) => (active ? t`yes` : t`no`) },
        choose && {
          cell: ({ expert_id, pseudonym }) => (
            <Button aria-label={t`Change ${pseudonym}`} onPress={() => choose(expert_id)}>
              {t`Change`}
            </Button>
          ),
        },
      ]}
    />
  );
}

/** Edit the profile of an expert, or create one for a member of the staff. */
function Edit({ expert, experts, done }: { expert: Expert | null; experts: readonly Expert[]; done: () => void }) {
  const { t } = useLingui();
  const language = useLanguage();
  const titleOf = useGroupName();
  const [id, setId] = useState(expert?.expert_id ?? "");
  const offered = useCycle()?.languages ?? {};
  const initial: Profile = expert ?? { ...NEW, languages: Object.keys(offered).slice(0, 1) };
  const { draft: profile, bind, change } = useDraft({ ...initial, named: (expert?.groups ?? []).join(", ") });
  const saving = useAction(
    () => {
      const { subjects, languages, active, named } = profile;
      const groups = named.split(",").map((group) => group.trim());
      const body = { subjects, languages, active, groups: groups.filter((group) => group !== "") };
      return put("/v1/experts/{expert_id}", { expert_id: id }, body);
    },
    async () => {
      await renewed();
      done();
    },
  );
  return (
    <PageSection id="profile-title" title={expert ? t`Profile of ${expert.pseudonym}` : t`A profile for a new expert`}>
      <Form
        of={saving}
        primary
        isEmpty={id === ""}
        send={t`Save the profile`}
        beside={expert && <Button onPress={done}>{t`Leave as it is`}</Button>}
      >
        {!expert && <Who id={id} setId={setId} experts={experts} />}
        <Checks
          legend={t`Types`}
          options={[...new Set([...Object.values(offered).flat(), ...profile.subjects])]}
          named={titleOf}
          chosen={profile.subjects}
          change={(subjects) => change({ subjects })}
          className={styles.boxes}
        />
        <Checks
          legend={t`Languages`}
          options={[...new Set([...Object.keys(offered), ...profile.languages])]}
          named={(name) => languageName(name, language)}
          chosen={profile.languages}
          change={(languages) => change({ languages })}
          className={styles.boxes}
        />
        <Field
          label={t`Conflict groups, separated by commas: experts of one group never annotate the same text`}
          maxLength={1000}
          {...bind("named")}
        />
        <p>
          <Check label={t`New work comes`} {...bind("active")} />
        </p>
      </Form>
    </PageSection>
  );
}

function Who({ id, setId, experts }: { id: string; setId: (id: string) => void; experts: readonly Expert[] }) {
  const { t } = useLingui();
  const staff = useQuery(get("/v1/staff", {})).data?.staff ?? [];
  const without = staff.filter(
    (person) =>
      person.role === "expert" &&
      !person.dismissed_at &&
      !experts.some(({ expert_id }) => expert_id === person.person_id),
  );
  return (
    <Choice
      label={t`Person: a staff member with the role of an expert and without a profile`}
      required
      value={id}
      change={setId}
      none={without.length === 0 ? t`every expert has one` : t`choose`}
      options={without.map((person) => [person.person_id, `${person.name} (${person.email})`] as const)}
    />
  );
}
