import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import type { Schemas } from "@/api/client";
import { Button } from "@/ui/controls";
import { Problem } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { fromIso, MomentField, toIso } from "./MomentField";
import styles from "./office.module.css";

type Announcement = Schemas["AnnouncementBody"];
type Body = Schemas["AnnouncementRequest"];
type Kind = Announcement["kind"];

const KINDS: Readonly<Record<Kind, MessageDescriptor>> = {
  general: msg`general`,
  parameters: msg`parameters`,
  sets: msg`data sets`,
  modules: msg`participants' modules`,
  schedule: msg`schedule`,
  results: msg`results`,
};

interface FormProps {
  title: ReactNode;
  /** What it begins with. */
  of?: Announcement;
  /** Kind and time are the draft's already. */
  wordsAlone?: boolean;
  mayStayDraft?: boolean;
  send: (body: Body) => Promise<unknown>;
  close: () => void;
  renewed: () => unknown;
}

/** An announcement in both languages; what everybody will read is sent with its last button alone. */
export function AnnouncementForm({ title, of, wordsAlone, mayStayDraft, send, close, renewed }: FormProps) {
  const { i18n } = useLingui();
  const id = useId();
  const [heading, setHeading] = useState(of?.title ?? { en: "", ru: "" });
  const [text, setText] = useState(of?.text ?? { en: "", ru: "" });
  const [kind, setKind] = useState<Kind>(of?.kind ?? "general");
  const [effective, setEffective] = useState(of?.effective_at ? fromIso(of.effective_at) : "");
  const sending = useMutation({
    mutationFn: (asDraft: boolean) =>
      send({
        kind,
        title: heading,
        text,
        // What it is about stays with a correction.
        about: Object.fromEntries(Object.entries(of?.about ?? {}).map(([name, value]) => [name, String(value)])),
        as_draft: asDraft,
        ...(effective ? { effective_at: toIso(effective) } : {}),
      }),
    onSuccess: async () => {
      close();
      await renewed();
    },
  });
  return (
    <form
      aria-labelledby={id}
      onSubmit={(event) => {
        event.preventDefault();
        const { submitter } = event.nativeEvent as SubmitEvent;
        sending.mutate(submitter?.getAttribute("value") === "draft");
      }}
    >
      <h3 id={id}>{title}</h3>
      {sending.error && <Problem error={sending.error} />}
      {!wordsAlone && (
        <>
          <label className={parts.field}>
            <Trans>Of what kind</Trans>
            <select value={kind} onChange={(event) => setKind(event.currentTarget.value as Kind)}>
              {Object.entries(KINDS).map(([each, words]) => (
                <option key={each} value={each}>
                  {i18n._(words)}
                </option>
              ))}
            </select>
          </label>
          <MomentField
            label={<Trans>Takes effect (your time; may be left out)</Trans>}
            value={effective}
            change={setEffective}
          />
        </>
      )}
      {(["ru", "en"] as const).map((language) => (
        <Words
          key={language}
          language={language}
          heading={heading[language]}
          text={text[language]}
          setHeading={(said) => setHeading({ ...heading, [language]: said })}
          setText={(said) => setText({ ...text, [language]: said })}
        />
      ))}
      <div className={parts.actions}>
        <Button primary type="submit" isDisabled={sending.isPending}>
          <Trans>Publish</Trans>
        </Button>
        {mayStayDraft && (
          <Button type="submit" value="draft" isDisabled={sending.isPending}>
            <Trans>Keep as a draft</Trans>
          </Button>
        )}
        <Button onPress={close}>
          <Trans>Cancel</Trans>
        </Button>
      </div>
    </form>
  );
}

interface WordsProps {
  language: "ru" | "en";
  heading: string;
  text: string;
  setHeading: (said: string) => void;
  setText: (said: string) => void;
}

function Words({ language, heading, text, setHeading, setText }: WordsProps) {
  return (
    <>
      <label className={`${parts.field} ${styles.long}`}>
        {language === "ru" ? <Trans>Title in Russian</Trans> : <Trans>Title in English</Trans>}
        <input
          required
          lang={language}
          maxLength={200}
          value={heading}
          onChange={(event) => setHeading(event.currentTarget.value)}
        />
      </label>
      <label className={`${parts.field} ${styles.long}`}>
        {language === "ru" ? <Trans>Text in Russian</Trans> : <Trans>Text in English</Trans>}
        <textarea
          required
          lang={language}
          rows={4}
          maxLength={10_000}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </label>
    </>
  );
}
