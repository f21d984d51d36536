import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { get, put, renewed, type Schemas } from "@/api/client";
import { Checks, Choice, Form, useAction, useDraft } from "@/ui/forms";
import { Answered } from "@/ui/Page";
import { Cabinet } from "./Cabinet";
import styles from "./cabinet.module.css";
import { Hooks } from "./Hooks";

type Choices = Schemas["MailChoicesBody"];
type Kind = Choices["stopped"][number];

const KINDS: Readonly<Record<Kind, MessageDescriptor>> = {
  application: msg`decisions about the team`,
  answer: msg`answers to questions`,
  run: msg`schedules of runs`,
  results: msg({ message: "results", context: "mails about" }),
  announcement: msg`other announcements`,
};

const LANGUAGES: Readonly<Record<Choices["language"], MessageDescriptor>> = {
  both: msg`Russian and English`,
  ru: msg`Russian`,
  en: msg`English`,
};

/** Settings of a member's mails and their language, and the team's webhooks. */
export function Mails() {
  const { t } = useLingui();
  return (
    <Cabinet title={t`Mails`}>
      {() => (
        <>
          <Answered asks={get("/v1/mails", {})}>{(data) => <ChoicesForm choices={data} />}</Answered>
          <Hooks
            title={<Trans>Webhooks</Trans>}
            command="pku hooks verify FILE"
            intro={
              <Trans>
                The platform sends signed JSON to these addresses when there is something new for your team: an answer,
                a decision, a run, results. It holds nothing secret.
              </Trans>
            }
            empty={<Trans>The team has no webhooks yet: add an address below.</Trans>}
          />
        </>
      )}
    </Cabinet>
  );
}

function ChoicesForm({ choices }: { choices: Choices }) {
  const kinds = Object.keys(KINDS) as Kind[];
  const { t } = useLingui();
  const { draft, bind, change } = useDraft({ stopped: choices.stopped, language: choices.language });
  const saving = useAction(() => put("/v1/mails", {}, draft), renewed);
  return (
    <Form of={saving} primary send={t`Save the choice`} sent={t`✓ Saved.`}>
      <p>{t`Mails go to your e-mail in the team. They say where something is to be read, and nothing secret.`}</p>
      <Checks
        legend={t`Send me mails about`}
        options={KINDS}
        chosen={kinds.filter((kind) => !draft.stopped.includes(kind))}
        change={(chosen) => change({ stopped: kinds.filter((kind) => !chosen.includes(kind)) })}
        className={styles.mails}
      />
      <Choice label={t`Language of the mails`} {...bind("language")} options={LANGUAGES} />
    </Form>
  );
}
