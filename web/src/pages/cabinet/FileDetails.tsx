import { Trans, useLingui } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { useLanguage } from "@/ui/contest";
import { Moment } from "@/ui/moments";
import { cellText } from "@/ui/numbers";
import parts from "@/ui/parts.module.css";
import { Evidence } from "./Evidence";
import type { Column, FileRow } from "./filesView";
import { causeWord, stateWord } from "./words";

interface FileDetailsProps {
  session: string;
  row: FileRow;
  columns: readonly Column[];
  /** Whether the answer may be compared with the references: of a hidden set nothing of a single file is told. */
  compares: boolean;
}

/** Everything that the report says of one file. */
export function FileDetails({ session, row, columns, compares }: FileDetailsProps) {
  const { i18n } = useLingui();
  const language = useLanguage();
  const { file } = row;
  return (
    <section aria-labelledby="file-title">
      <h2 id="file-title">
        <Trans>File {row.number}</Trans>
      </h2>
      <dl className={parts.facts}>
        <dt>
          <Trans>State</Trans>
        </dt>
        <dd>
          {i18n._(stateWord(file.state))}
          {file.cause && (
            <>
              : <strong>{i18n._(causeWord(file.cause))}</strong>
            </>
          )}
          {Object.keys(file.evidence).length > 0 && (
            <>
              {" "}
              (<Evidence of={file.evidence} />)
            </>
          )}
        </dd>
        {file.handed_out_at && (
          <>
            <dt>
              <Trans>Handed out</Trans>
            </dt>
            <dd>
              <Moment at={file.handed_out_at} />
            </dd>
          </>
        )}
        {file.answered_at && (
          <>
            <dt>
              <Trans context="moment">Answered</Trans>
            </dt>
            <dd>
              <Moment at={file.answered_at} /> · <Trans>send {file.send}</Trans>
            </dd>
          </>
        )}
        {file.content_sha256 && (
          <>
            <dt>
              <Trans>SHA-256 of the answer</Trans>
            </dt>
            <dd>
              <code>{file.content_sha256}</code>
            </dd>
          </>
        )}
        {columns.map(({ key, title, kind, places }) => (
          <Value key={key} title={title[language]} value={cellText(row.cells[key], kind, places, language)} />
        ))}
      </dl>
      {file.content_sha256 && (
        <p>
          <Link
            to="/sessions/$sessionId/files/$number/answer"
            params={{ sessionId: session, number: String(row.number) }}
          >
            <Trans>The answer itself</Trans>
          </Link>
          {compares && (
            <>
              {" · "}
              <Link
                to="/sessions/$sessionId/files/$number/comparison"
                params={{ sessionId: session, number: String(row.number) }}
              >
                <Trans>Compare with the experts</Trans>
              </Link>
            </>
          )}
        </p>
      )}
    </section>
  );
}

function Value({ title, value }: { title: string; value: string }) {
  return (
    <>
      <dt>{title}</dt>
      <dd>{value}</dd>
    </>
  );
}
