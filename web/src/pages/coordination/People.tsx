import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { codesOf } from "@/api/classifier";
import { api } from "@/api/client";
import { get } from "@/api/queries";
import { useMay } from "@/auth/hooks";
import { AskedPage } from "@/shell/AskedPage";
import { languageName, useGroupName, useLanguage } from "@/ui/contest";
import { Button } from "@/ui/controls";
import { Problem } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Wide } from "@/ui/Wide";
import styles from "./coordination.module.css";
import { EXPERTS, type Expert, renewed } from "./data";
import { RoomTabs } from "./Tabs";

const LANGUAGES = ["rus", "eng"];
type Profile = Pick<Expert, "subjects" | "languages" | "groups" | "active">;
const NEW: Profile = { subjects: [], languages: ["rus"], groups: [], active: true };

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
          {experts.length === 0 ? (
            <p>
              <Trans>Nobody has a profile yet, so nothing can be given out.</Trans>
            </p>
          ) : (
            <Table of={experts} choose={organizes ? choose : null} />
          )}
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

function Table({ of, choose }: { of: readonly Expert[]; choose: ((id: string) => void) | null }) {
  const { t } = useLingui();
  const language = useLanguage();
  const titleOf = useGroupName();
  return (
    <Wide label={t`Table of experts`}>
      <thead>
        <tr>
          <th scope="col">
            <Trans>Pseudonym</Trans>
          </th>
          <th scope="col">
            <Trans>Types</Trans>
          </th>
          <th scope="col">
            <Trans>Languages</Trans>
          </th>
          <th scope="col">
            <Trans>Conflict groups</Trans>
          </th>
          <th scope="col">
            <Trans>New work</Trans>
          </th>
          {choose && <td />}
        </tr>
      </thead>
      <tbody>
        {of.map((each) => (
          <tr key={each.expert_id}>
            <th scope="row">{each.pseudonym}</th>
            <td>{each.subjects.map(titleOf).join(", ")}</td>
            <td>{each.languages.map((name) => languageName(name, language)).join(", ")}</td>
            <td>{each.groups.join(", ") || "—"}</td>
            <td>{each.active ? <Trans>yes</Trans> : <Trans>no</Trans>}</td>
            {choose && (
              <td>
                <Button aria-label={t`Change ${each.pseudonym}`} onPress={() => choose(each.expert_id)}>
                  <Trans>Change</Trans>
                </Button>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </Wide>
  );
}

interface EditProps {
  expert: Expert | null;
  known: readonly Expert[];
  done: () => void;
}

/** A profile, of an expert who has one or of a member of the staff who gets one. */
function Edit({ expert, known, done }: EditProps) {
  const language = useLanguage();
  const titleOf = useGroupName();
  const [id, setId] = useState(expert?.expert_id ?? "");
  const [profile, setProfile] = useState<Profile>(expert ?? NEW);
  const [groups, setGroups] = useState((expert?.groups ?? []).join(", "));
  const subjects = Object.keys(codesOf(useQuery(get("/v1/classifier", {})).data)?.subjects ?? {});
  const saving = useMutation({
    mutationFn: () => {
      const { subjects, languages, active } = profile;
      const named = groups.split(",").map((each) => each.trim());
      const body = { subjects, languages, active, groups: named.filter((each) => each !== "") };
      return api.PUT("/v1/experts/{expert_id}", { params: { path: { expert_id: id } }, body });
    },
    onSuccess: async () => {
      await renewed();
      done();
    },
  });
  return (
    <section aria-labelledby="profile-title">
      <h2 id="profile-title">
        {expert ? <Trans>Profile of {expert.pseudonym}</Trans> : <Trans>A profile for a new expert</Trans>}
      </h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate();
        }}
      >
        {saving.error && <Problem error={saving.error} />}
        {!expert && <Who id={id} setId={setId} known={known} />}
        <Boxes
          title={<Trans>Types</Trans>}
          of={subjects}
          titleOf={titleOf}
          chosen={profile.subjects}
          choose={(subjects) => setProfile({ ...profile, subjects })}
        />
        <Boxes
          title={<Trans>Languages</Trans>}
          of={[...new Set([...LANGUAGES, ...profile.languages])]}
          titleOf={(name) => languageName(name, language)}
          chosen={profile.languages}
          choose={(languages) => setProfile({ ...profile, languages })}
        />
        <label className={parts.field}>
          <Trans>Conflict groups, with commas: who shares one never marks up the same text</Trans>
          <input value={groups} maxLength={1000} onChange={(event) => setGroups(event.currentTarget.value)} />
        </label>
        <p>
          <label>
            <input
              type="checkbox"
              className={styles.select}
              checked={profile.active}
              onChange={(event) => setProfile({ ...profile, active: event.currentTarget.checked })}
            />{" "}
            <Trans>New work comes</Trans>
          </label>
        </p>
        <div className={parts.actions}>
          <Button primary type="submit" isDisabled={saving.isPending || id === ""}>
            <Trans>Save the profile</Trans>
          </Button>
          {expert && (
            <Button onPress={done}>
              <Trans>Leave as it is</Trans>
            </Button>
          )}
        </div>
      </form>
    </section>
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
    <label className={parts.field}>
      <Trans>Who: a member of the staff with the role of an expert and without a profile</Trans>
      <select required value={id} onChange={(event) => setId(event.currentTarget.value)}>
        <option value="">{without.length === 0 ? t`nobody is without one` : t`choose`}</option>
        {without.map((each) => (
          <option key={each.person_id} value={each.person_id}>
            {each.name} ({each.email})
          </option>
        ))}
      </select>
    </label>
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
  const toggle = (name: string) =>
    choose(chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name]);
  return (
    <fieldset className={styles.boxes}>
      <legend>{title}</legend>
      {of.map((each) => (
        <label key={each}>
          <input
            type="checkbox"
            className={styles.select}
            checked={chosen.includes(each)}
            onChange={() => toggle(each)}
          />{" "}
          {titleOf(each)}
        </label>
      ))}
    </fieldset>
  );
}
