import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { api } from "@/api/client";
import { get } from "@/api/queries";
import { useMay } from "@/auth/hooks";
import { AskedPage } from "@/shell/AskedPage";
import { languageName, useCycle, useGroupName, useLanguage } from "@/ui/contest";
import { Button } from "@/ui/controls";
import { Check, Choice, Field, Form, toggled, useAction } from "@/ui/forms";
import { PageSection } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Table } from "@/ui/Table";
import styles from "./coordination.module.css";
import { EXPERTS, type Expert, RoomTabs, renewed } from "./data";

type Profile = Pick<Expert, "subjects" | "languages" | "groups" | "active">;
const NEW: Profile = { subjects: [], languages: [], groups: [], active: true };

/** What each expert may mark up, and with whom not; whoever organizes changes it. */
export function People() {
  const { t } = useLingui();
  const found = useQuery(EXPERTS);
  const organizes = useMay("organize");
  const [chosen, choose] = useState<string | null>(null);
  return (
    <AskedPage title={t`Experts: people`} of={found}>
      {({ experts }) => (
        <>
          <RoomTabs />
          <ExpertTable of={experts} choose={organizes ? choose : null} />
          {organizes && (
            <Edit
              key={chosen ?? ""}
              expert={experts.find((each) => each.expert_id === chosen) ?? null}
              known={experts}
              done={() => choose(null)}
            />
          )}
        </>
      )}
    </AskedPage>
  );
}

function ExpertTable({ of, choose }: { of: readonly Expert[]; choose: ((id: string) => void) | null }) {
  const { t } = useLingui();
  const language = useLanguage();
  const titleOf = useGroupName();
  return (
    <Table
      label={t`Table of experts`}
      empty={t`No expert has a profile yet, so nothing can be given out.`}
      rows={of}
      rowKey={(each) => each.expert_id}
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

/** A profile, of an expert who has one or of a member of the staff who gets one. */
function Edit({ expert, known, done }: { expert: Expert | null; known: readonly Expert[]; done: () => void }) {
  const { t } = useLingui();
  const language = useLanguage();
  const titleOf = useGroupName();
  const [id, setId] = useState(expert?.expert_id ?? "");
  const offered = useCycle()?.languages ?? {};
  const [profile, setProfile] = useState<Profile>(expert ?? { ...NEW, languages: Object.keys(offered).slice(0, 1) });
  const [groups, setGroups] = useState((expert?.groups ?? []).join(", "));
  const saving = useAction(
    () => {
      const { subjects, languages, active } = profile;
      const named = groups.split(",").map((each) => each.trim());
      const body = { subjects, languages, active, groups: named.filter((each) => each !== "") };
      return api.PUT("/v1/experts/{expert_id}", { params: { path: { expert_id: id } }, body });
    },
    async () => {
      await renewed();
      done();
    },
  );
  return (
    <PageSection id="profile-title" title={expert ? t`Profile of ${expert.pseudonym}` : t`A profile for a new expert`}>
      <Form submit={() => saving.mutate()} problem={saving.problem}>
        {!expert && <Who id={id} setId={setId} known={known} />}
        <Boxes
          title={t`Types`}
          of={[...new Set([...Object.values(offered).flat(), ...profile.subjects])]}
          titleOf={titleOf}
          chosen={profile.subjects}
          choose={(subjects) => setProfile({ ...profile, subjects })}
        />
        <Boxes
          title={t`Languages`}
          of={[...new Set([...Object.keys(offered), ...profile.languages])]}
          titleOf={(name) => languageName(name, language)}
          chosen={profile.languages}
          choose={(languages) => setProfile({ ...profile, languages })}
        />
        <Field
          label={t`Conflict groups, separated by commas: experts of one group never annotate the same text`}
          value={groups}
          maxLength={1000}
          change={setGroups}
        />
        <p>
          <Check
            label={t`New work comes`}
            className={styles.select}
            checked={profile.active}
            change={(active) => setProfile({ ...profile, active })}
          />
        </p>
        <div className={parts.actions}>
          <Button primary type="submit" isDisabled={saving.isPending || id === ""}>
            {t`Save the profile`}
          </Button>
          {expert && <Button onPress={done}>{t`Leave as it is`}</Button>}
        </div>
      </Form>
    </PageSection>
  );
}

function Who({ id, setId, known }: { id: string; setId: (id: string) => void; known: readonly Expert[] }) {
  const { t } = useLingui();
  const staff = useQuery(get("/v1/staff", {})).data?.staff ?? [];
  const without = staff.filter(
    (each) =>
      each.role === "expert" && !each.dismissed_at && !known.some(({ expert_id }) => expert_id === each.person_id),
  );
  return (
    <Choice
      label={t`Person: a staff member with the role of an expert and without a profile`}
      required
      value={id}
      change={setId}
      options={[
        ["", without.length === 0 ? t`every expert has one` : t`choose`],
        ...without.map((each) => [each.person_id, `${each.name} (${each.email})`] as const),
      ]}
    />
  );
}

interface BoxesProps {
  title: ReactNode;
  of: readonly string[];
  titleOf: (name: string) => string;
  chosen: readonly string[];
  choose: (chosen: string[]) => void;
}

function Boxes({ title, of, titleOf, chosen, choose }: BoxesProps) {
  return (
    <fieldset className={styles.boxes}>
      <legend>{title}</legend>
      {of.map((each) => (
        <Check
          key={each}
          label={titleOf(each)}
          className={styles.select}
          checked={chosen.includes(each)}
          change={() => choose(toggled(chosen, each))}
        />
      ))}
    </fieldset>
  );
}
