import { Trans, useLingui } from "@lingui/react/macro";
import { ApiError } from "@/api/problem";
import { Button } from "./Button";
import { CopyButton } from "./CopyButton";
import { useLanguage } from "./cycle";
import { Dated } from "./Dated";
import styles from "./ui.module.css";

/** What went wrong, where, and what to do. */
export function Problem({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  const { t } = useLingui();
  const failure = error instanceof ApiError ? error : null;
  const requestId = failure?.requestId;
  return (
    <div role="alert" className={styles.problem}>
      <p>
        <strong>
          <Said error={error} />
        </strong>
      </p>
      {failure && failure.details.length > 0 && <Details details={failure.details} />}
      {requestId && (
        <p>
          <Trans>
            Request <code>{requestId}</code>
          </Trans>{" "}
          <CopyButton text={requestId} what={t`the request's id`} />
        </p>
      )}
      {retry && (
        <Button onPress={retry}>
          <Trans>Try again</Trans>
        </Button>
      )}
    </div>
  );
}

function Said({ error }: { error: unknown }) {
  const language = useLanguage();
  if (!(error instanceof ApiError))
    return <Trans>Something in this page failed. Reload it; what you sent is kept.</Trans>;
  if (error.said) return <Dated text={error.said[language]} />;
  if (error.status === 0) return <Trans>The platform cannot be reached. Check the connection and try again.</Trans>;
  if (error.status === 401) return <Trans>You are not signed in, or your sign-in has ended. Sign in again.</Trans>;
  if (error.status === 403) return <Trans>You may not see this. The organizers give the right to it.</Trans>;
  if (error.status === 429) return <Trans>Too many requests at once. Wait a moment and try again.</Trans>;
  const { status } = error;
  return <Trans>The platform failed to answer (HTTP {status}). Try again in a minute.</Trans>;
}

function Details({ details }: { details: ApiError["details"] }) {
  const language = useLanguage();
  return (
    <ul>
      {details.map((detail) => (
        <li key={JSON.stringify(detail)}>
          {typeof detail.line === "number" && (
            <>
              <Trans>Line {detail.line}:</Trans>{" "}
            </>
          )}
          <Dated text={(language === "ru" && detail.message_ru) || detail.message} />
        </li>
      ))}
    </ul>
  );
}
