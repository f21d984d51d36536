import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { EVERY, get, listed, post, renewed, type Schemas } from "@/api/client";
import { useLanguage } from "@/ui/contest";
import { Button } from "@/ui/controls";
import { Choice, Done, Form, InBoth, MomentField, Reasoned, Submit, useAction, useDraft } from "@/ui/forms";
import { Answered, AskedPage, Dated, Moment, NextPage, PageSection } from "@/ui/Page";
import parts from "@/ui/parts.module.css";

type Announcement = Schemas["AnnouncementBody"];

const DRAFTS = get("/v1/announcement-drafts", {}, EVERY.idle);

/** Show the announcements: drafts of people and of the platform, then the published ones. */
export function Announcing() {
  const { t } = useLingui();
  const [isChanged, setIsChanged] = useState(false);
  const [isOpen, setIsOpen] = useState(false);
  const changed = () => {
    setIsChanged(true);
    return renewed();
  };
  return (
    <AskedPage title={t`Announcements`} asks={DRAFTS}>
      {({ announcements }) => (
        <>
          <Done>{isChanged && <Trans>✓ Done. Public pages show it within half a minute.</Trans>}</Done>
          {isOpen ? (
            <AnnouncementForm
              title={t`New announcement`}
              mayStayDraft
              send={(body) => post("/v1/announcing", {}, body)}
              close={() => setIsOpen(false)}
              renewed={changed}
            />
          ) : (
            <p>
              <Button primary onPress={() => setIsOpen(true)}>
                {t`New announcement`}
              </Button>
            </p>
          )}
          <PageSection id="drafts-title" title={<Trans>Drafts</Trans>}>
            {announcements.length === 0 && (
              <p>
                {t`No drafts. The platform drafts an announcement of every new training or test set and of new modules.`}
              </p>
            )}
            {announcements.map((announcement) => (
              <Draft key={announcement.announcement_id} draft={announcement} renewed={changed} />
            ))}
          </PageSection>
          <Published renewed={changed} />
        </>
      )}
    </AskedPage>
  );
}

function Text({ announcement }: { announcement: Announcement }) {
  const language = useLanguage();
  const { effective_at: effective, published_at: published } = announcement;
  return (
    <>
      <h3>
        <Dated text={announcement.title[language]} />
      </h3>
      <p>
        <Moment at={published ?? announcement.created_at} />
        {effective && (
          <>
            {" · "}
            <Trans>
              takes effect <Moment at={effective} />
            </Trans>
          </>
        )}
      </p>
      <p className={parts.said}>
        <Dated text={announcement.text[language]} />
      </p>
    </>
  );
}

function Draft({ draft, renewed }: { draft: Announcement; renewed: () => unknown }) {
  const { t } = useLingui();
  const [isOpen, setIsOpen] = useState(false);
  const path = { announcement_id: draft.announcement_id };
  return (
    <article>
      <Text announcement={draft} />
      {isOpen ? (
        <AnnouncementForm
          title={t`Publish the draft`}
          announcement={draft}
          wordsAlone
          send={({ title, text }) => post("/v1/announcing/{announcement_id}/publication", path, { title, text })}
          close={() => setIsOpen(false)}
          renewed={renewed}
        />
      ) : (
        <div className={parts.actions}>
          <Button onPress={() => setIsOpen(true)}>{t`Review and publish`}</Button>
          <Reasoned
            label={<Trans context="draft">Discard</Trans>}
            asks={t`Discard the draft? It was never published.`}
            act={(reason) => post("/v1/announcing/{announcement_id}/withdrawal", path, { reason })}
          />
        </div>
      )}
    </article>
  );
}

function Published({ renewed }: { renewed: () => unknown }) {
  const { t } = useLingui();
  const pages = useInfiniteQuery(listed("/v1/announcements", { limit: 20 }, EVERY.live));
  return (
    <PageSection id="published-title" title={t`Published`}>
      <Answered of={pages}>
        {(data) => (
          <>
            {data.pages[0]?.announcements.length === 0 && <p>{t`Nothing yet.`}</p>}
            {data.pages
              .flatMap((page) => page.announcements)
              .map((announcement) => (
                <One key={announcement.announcement_id} announcement={announcement} renewed={renewed} />
              ))}
            <NextPage nextPages={pages}>{t`Older ones`}</NextPage>
          </>
        )}
      </Answered>
    </PageSection>
  );
}

function One({ announcement, renewed }: { announcement: Announcement; renewed: () => unknown }) {
  const { t } = useLingui();
  const [isOpen, setIsOpen] = useState(false);
  const path = { announcement_id: announcement.announcement_id };
  const { state, reason } = announcement;
  return (
    <article>
      <Text announcement={announcement} />
      {state === "corrected" && <p className={parts.void}>{t`Corrected by a later one.`}</p>}
      {state === "withdrawn" && <p className={parts.void}>{t`Withdrawn: ${reason}`}</p>}
      {isOpen && (
        <AnnouncementForm
          title={t`Correct the announcement`}
          announcement={announcement}
          send={(body) => post("/v1/announcing/{announcement_id}/correction", path, body)}
          close={() => setIsOpen(false)}
          renewed={renewed}
        />
      )}
      {!isOpen && state === "published" && (
        <div className={parts.actions}>
          <Button onPress={() => setIsOpen(true)}>{t`Correct`}</Button>
          <Reasoned
            label={t`Withdraw`}
            asks={t`Withdraw the announcement? It stays visible as withdrawn, with the reason.`}
            act={(why) => post("/v1/announcing/{announcement_id}/withdrawal", path, { reason: why })}
          />
        </div>
      )}
    </article>
  );
}

type Kind = Announcement["kind"];

const KINDS: Readonly<Record<Kind, MessageDescriptor>> = {
  general: msg`general`,
  parameters: msg`parameters`,
  sets: msg`data sets`,
  modules: msg`participants' modules`,
  schedule: msg`schedule`,
  results: msg`results`,
  answer: msg`answer to a question`,
};

interface FormProps {
  title: ReactNode;
  announcement?: Announcement;
  /** True if only the texts are edited: the draft already has kind and time. */
  wordsAlone?: boolean;
  mayStayDraft?: boolean;
  send: (body: Schemas["AnnouncementRequest"]) => Promise<unknown>;
  close: () => void;
  renewed: () => unknown;
}

/** Edit an announcement in both languages; only the last button sends the text that everybody will read. */
function AnnouncementForm({ title, announcement, wordsAlone, mayStayDraft, send, close, renewed }: FormProps) {
  const { t } = useLingui();
  const id = useId();
  const empty = { title: { en: "", ru: "" }, text: { en: "", ru: "" }, kind: "general" as Kind };
  const { draft, bind } = useDraft({ ...empty, ...announcement, effective: announcement?.effective_at ?? "" });
  // A correction keeps the announcement's subject.
  const about = Object.entries(announcement?.about ?? {}).map(([name, value]) => [name, String(value)]);
  const sending = useAction(
    (asDraft: boolean) =>
      send({
        kind: draft.kind,
        title: draft.title,
        text: draft.text,
        about: Object.fromEntries(about),
        as_draft: asDraft,
        ...(draft.effective ? { effective_at: draft.effective } : {}),
      }),
    async () => {
      close();
      await renewed();
    },
  );
  return (
    <Form aria-labelledby={id} submit={(button) => sending.mutate(button === "draft")}>
      <h3 id={id}>{title}</h3>
      {sending.problem}
      {!wordsAlone && (
        <>
          <Choice label={t`Of what kind`} {...bind("kind")} options={KINDS} />
          <MomentField label={t`Takes effect (may be left out)`} {...bind("effective")} />
        </>
      )}
      <InBoth
        labels={{ ru: t`Title in Russian`, en: t`Title in English` }}
        required
        maxLength={200}
        {...bind("title")}
      />
      <InBoth
        labels={{ ru: t`Text in Russian`, en: t`Text in English` }}
        required
        rows={4}
        maxLength={10_000}
        {...bind("text")}
      />
      <div className={parts.actions}>
        <Submit primary of={sending}>{t`Publish`}</Submit>
        {mayStayDraft && (
          <Button type="submit" value="draft" isDisabled={sending.isPending}>
            {t`Save as a draft`}
          </Button>
        )}
        <Button onPress={close}>{t`Cancel`}</Button>
      </div>
    </Form>
  );
}
