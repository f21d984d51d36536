import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { put, type Schemas } from "@/api/client";
import { get, renewed } from "@/api/queries";
import { Checks, Choice, Form, toggled, useAction } from "@/ui/forms";
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
  const { i18n, t } = useLingui();
  const [stopped, setStopped] = useState<readonly Kind[]>(choices.stopped);
  const [language, setLanguage] = useState(choices.language);
  const saving = useAction(() => put("/v1/mails", {}, { stopped: [...stopped], language }), renewed);
  return (
    <Form of={saving} primary send={t`Save the choice`} sent={t`✓ Saved.`}>
      <p>{t`Mails go to your e-mail in the team. They say where something is to be read, and nothing secret.`}</p>
      <Checks
        legend={t`Send me mails about`}
        of={kinds.map((kind) => [kind, i18n._(KINDS[kind])] as const)}
        chosen={kinds.filter((kind) => !stopped.includes(kind))}
        toggle={(kind) => setStopped(toggled(stopped, kind as Kind))}
        className={styles.mails}
      />
      <Choice label={t`Language of the mails`} value={language} change={setLanguage} options={LANGUAGES} />
    </Form>
  );
}
