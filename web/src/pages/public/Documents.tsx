import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import Markdown from "react-markdown";
import { EVERY, get, post, renewed } from "@/api/client";
import { useMe } from "@/auth/hooks";
import { type Cycle, cycleQuery, inLanguage, KnowledgeBase, useLanguage } from "@/ui/contest";
import { PageLink } from "@/ui/controls";
import { Choice, Form, InBoth, useAction } from "@/ui/forms";
import { Answered, Moment, Page, PageSection } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import styles from "./public.module.css";

/** The knowledge base: its pages, and links to documents on other sites. Clause: D 6.2.1, D 8.19 */
export function Knowledge() {
  const { t } = useLingui();
  return (
    <Page title={t`Knowledge base`}>
      <Answered asks={cycleQuery}>
        {(data) => (
          <>
            <PageList cycle={data} />
            <KnowledgeBase cycle={data} />
          </>
        )}
      </Answered>
    </Page>
  );
}

function PageList({ cycle }: { cycle: Cycle }) {
  const { t } = useLingui();
  const language = useLanguage();
  if (cycle.pages.length === 0 && cycle.knowledge_base.length === 0) {
    return <p>{t`The organizers have published no documents yet.`}</p>;
  }
  return (
    <ul>
      {cycle.pages.map(({ name, title, versions }) => (
        <li key={name}>
          <PageLink to="/knowledge/$name" id={name}>
            {inLanguage(title, language)}
          </PageLink>
          {versions.length > 0 && (
            <>
              {" · "}
              <Moment at={versions.at(-1)?.at ?? ""} />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Show one version of a page of the knowledge base, or of the regulation. */
export function Document() {
  const { name } = useParams({ from: "/knowledge/$name" });
  const language = useLanguage();
  const cycle = useQuery(cycleQuery);
  const page = cycle.data?.pages.find((page) => page.name === name);
  const isOrganizer = useMe()?.rights.includes("organize") ?? false;
  return (
    <Page title={page ? inLanguage(page.title, language) : name}>
      <Answered of={cycle}>{(data) => <Versioned name={name} cycle={data} />}</Answered>
      {isOrganizer && <Publish key={name} name={name} />}
    </Page>
  );
}

/** Show a page's text and the choice of its version; each version has its date and its SHA-256. */
function Versioned({ name, cycle }: { name: string; cycle: Cycle }) {
  const { t } = useLingui();
  const language = useLanguage();
  const { version } = useSearch({ from: "/knowledge/$name" });
  const navigate = useNavigate();
  const versions = cycle.pages.find((page) => page.name === name)?.versions ?? [];
  const query = version ? { version: Number(version) } : {};
  return (
    <Answered asks={get("/v1/pages/{name}", { name, ...query }, EVERY.idle)}>
      {(data) => (
        <>
          <p className={parts.note}>
            <Trans>
              In force from <Moment at={data.version.at} />
            </Trans>
            {" · "}SHA-256 <code title={data.version.sha256}>{data.version.sha256.slice(0, 12)}…</code>
          </p>
          {versions.length > 1 && (
            <Choice
              label={<Trans>Version</Trans>}
              value={String(data.number)}
              change={(chosen) =>
                void navigate({
                  to: "/knowledge/$name",
                  params: { name },
                  search: Number(chosen) === versions.length ? {} : { version: chosen },
                  replace: true,
                })
              }
              options={versions
                .map((version, at) => [String(at + 1), `${at + 1} · ${version.at.slice(0, 10)}`] as const)
                .toReversed()}
            />
          )}
          {data.number < versions.length && (
            <p role="status" className={styles.frozenPage}>
              {t`This is an earlier version; a later one is in force.`}
            </p>
          )}
          <section className={styles.document} lang={language} aria-label={t`Text of the document`}>
            <Markdown components={{ h1: "h2", h2: "h3", h3: "h4", h4: "h5", h5: "h6", img: () => null }}>
              {data.text[language] ?? ""}
            </Markdown>
          </section>
        </>
      )}
    </Answered>
  );
}

/** Form in which an organizer writes a page's next version, starting from the present text. Clause: D 8.19 */
function Publish({ name }: { name: string }) {
  const { t } = useLingui();
  const page = useQuery(get("/v1/pages/{name}", { name }));
  const [changed, setChanged] = useState<Partial<Record<"ru" | "en", string>>>({});
  const text = { en: changed.en ?? page.data?.text.en ?? "", ru: changed.ru ?? page.data?.text.ru ?? "" };
  const publishing = useAction(
    () => post("/v1/page-versions/{name}", { name }, { text }),
    async () => {
      setChanged({});
      await renewed();
    },
  );
  return (
    <PageSection id="publish-title" title={t`Publish another version`}>
      <Form
        aria-labelledby="publish-title"
        of={publishing}
        isEmpty={Object.keys(changed).length === 0}
        send={t`Publish the version`}
        sent={t`✓ Published. Everybody sees it within a minute.`}
      >
        <InBoth
          labels={{ ru: t`Text in Russian, Markdown`, en: t`Text in English, Markdown` }}
          required
          rows={8}
          maxLength={200_000}
          value={text}
          change={setChanged}
        />
      </Form>
    </PageSection>
  );
}
