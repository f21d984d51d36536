import { Trans, useLingui } from "@lingui/react/macro";
import type { ReactNode, Ref } from "react";
import { toldOf } from "@/text/document";
import { useLanguage } from "@/ui/contest";
import styles from "./annotator.module.css";

type Part = Readonly<Record<string, unknown>>;

const SECOND = 1_000;

/** The first data, or one turn of a program with what it brought back. */
export function PartOfWork({ part, heading }: { part: Part; heading: Ref<HTMLHeadingElement> }) {
  const language = useLanguage();
  const after = typeof part.after_ms === "number" ? part.after_ms / SECOND : null;
  const seconds = new Intl.NumberFormat(language === "ru" ? "ru-RU" : "en-GB", { maximumFractionDigits: 1 });
  return (
    <>
      <h3 ref={heading} tabIndex={-1}>
        <Name of={part} />
        {after !== null && (
          <>
            {" "}
            <small className={styles.after}>
              <Trans>after {seconds.format(after)} s</Trans>
            </small>
          </>
        )}
      </h3>
      <Brought by={part} />
    </>
  );
}

function Name({ of: { kind, answer } }: { of: Part }): ReactNode {
  const said = codesOf(answer);
  switch (kind) {
    case "first_data":
      return <Trans>The first data</Trans>;
    case "preliminary":
      return <Trans>Preliminary diagnosis: {said}</Trans>;
    case "study":
      return <Trans>Asks for a study: {said}</Trans>;
    case "diagnosis":
      return <Trans>Final diagnosis: {said}</Trans>;
    case "refusal":
      return <Trans>Refuses to make a diagnosis</Trans>;
    case "time_out":
      return <Trans>The time ran out without a final diagnosis</Trans>;
    default:
      return `${String(kind)}: ${said}`;
  }
}

/** The codes in an answer, in their order; a dash where it gives none. */
function codesOf(answer: unknown): string {
  const found = (Array.isArray(answer) ? answer : [answer]).map((each: Part | null | undefined) =>
    String(each?.code ?? each?.study ?? ""),
  );
  return found.filter(Boolean).join(", ") || "—";
}

function Brought({ by }: { by: Part }) {
  const { t } = useLingui();
  const content = by.content as Part | undefined;
  const response = by.response as { found?: boolean; files?: readonly Part[] } | null | undefined;
  if (content)
    return <Document xml={String(content.xml ?? JSON.stringify(content, null, 1))} label={t`The first data`} />;
  if (!response) return null;
  if (!response.found) {
    return (
      <p>
        <Trans>There is no such study.</Trans>
      </p>
    );
  }
  return response.files?.map((file) => {
    const service = String(file.service ?? "");
    return (
      <Document
        key={String(file.number)}
        xml={String(file.xml ?? JSON.stringify(file, null, 1))}
        label={t`Result of ${service}`}
      />
    );
  });
}

/** A clinical document by its sections; as it came where it is no whole XML. */
function Document({ xml, label }: { xml: string; label: string }) {
  const told = toldOf(xml);
  return (
    <section aria-label={label} className={styles.document}>
      {told === null ? (
        <pre>{xml}</pre>
      ) : (
        told.map(({ title, texts, names }, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a document does not change
          <div key={place}>
            {title && <h4>{title}</h4>}
            {texts.map((text) => (
              <p key={text}>{text}</p>
            ))}
            {names.length > 0 && <p className={styles.help}>{names.join("; ")}</p>}
          </div>
        ))
      )}
    </section>
  );
}
