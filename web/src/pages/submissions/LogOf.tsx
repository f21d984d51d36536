import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { ApiError } from "@/api/problem";
import { EVERY, get } from "@/api/queries";
import { useLanguage } from "@/ui/contest";
import { Button, save } from "@/ui/controls";
import { Answered } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { bytesText } from "./bytes";
import styles from "./submissions.module.css";
import { isOver, type Submission } from "./words";

/** The ends of what a program has written (F-4). */
export function LogOf({ of }: { of: Submission }) {
  const { t } = useLingui();
  const path = { submission_id: of.submission_id };
  const logs = useQuery({
    ...get("/v1/submissions/{submission_id}/logs", { params: { path } }),
    enabled: of.kind === "program",
    refetchInterval: ({ state }) => (state.data || isOver(of.state) ? false : EVERY.live),
  });
  if (of.kind !== "program" || (logs.error instanceof ApiError && logs.error.code === "logs_absent" && !logs.data)) {
    return (
      <p>
        {of.kind !== "program" ? (
          <Trans>A file of answers is not run, so it has no log.</Trans>
        ) : isOver(of.state) ? (
          <Trans>No log was kept: the program did not run, or it was a private run, of which there is none.</Trans>
        ) : (
          <Trans>There is no log yet: it is kept when the program has ended.</Trans>
        )}
      </p>
    );
  }
  return (
    <Answered of={logs}>
      {(told) => (
        <>
          <p>
            <Trans>The platform keeps the last MiB of each stream.</Trans>
          </p>
          <Stream
            name={t`stderr`}
            text={told.stderr}
            bytes={told.stderr_bytes}
            file={`${of.submission_id}-stderr.txt`}
          />
          <Stream
            name={t`stdout`}
            text={told.stdout}
            bytes={told.stdout_bytes}
            file={`${of.submission_id}-stdout.txt`}
          />
        </>
      )}
    </Answered>
  );
}

interface StreamProps {
  name: string;
  text: string;
  bytes: number;
  file: string;
}

function Stream({ name, text, bytes, file }: StreamProps) {
  const language = useLanguage();
  return (
    <>
      <h2 id={`stream-${name}`}>
        {name}, {bytesText(bytes, language)}
      </h2>
      {text === "" ? (
        <p className={parts.note}>
          <Trans>The program wrote nothing here.</Trans>
        </p>
      ) : (
        <>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
          <section className={styles.log} tabIndex={0} aria-labelledby={`stream-${name}`}>
            <pre>{text}</pre>
          </section>
          <p>
            <Button onPress={() => save(new Blob([text], { type: "text/plain" }), file)}>
              <Trans>Download {name}</Trans>
            </Button>
          </p>
        </>
      )}
    </>
  );
}
