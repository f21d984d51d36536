import { Trans } from "@lingui/react/macro";
import { type Cycle, inLanguage, useLanguage } from "./cycle";

/** The documents that the organizers name in the cycle; nothing where there are none. Clause: D 8.19, D 6.2.1 */
export function KnowledgeBase({ of }: { of: Cycle }) {
  const language = useLanguage();
  if (of.knowledge_base.length === 0) return null;
  return (
    <>
      <h2 id="knowledge">
        <Trans>Knowledge base</Trans>
      </h2>
      <ul>
        {of.knowledge_base.map((document) => (
          <li key={document.url + inLanguage(document.title, language)}>
            <a href={document.url} rel="noreferrer">
              {inLanguage(document.title, language)}
            </a>
            {document.about && <> — {inLanguage(document.about, language)}</>}
          </li>
        ))}
      </ul>
    </>
  );
}
