import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useCycle } from "@/ui/contest";
import { Page } from "@/ui/Page";
import { Command } from "./Command";
import { installCommand, kitQuery } from "./kit";
import { NewToken } from "./NewToken";
import styles from "./public.module.css";
import { useTeam } from "./team";
import { trainingWords } from "./training";

const SOLVER = '--solver "python my_program.py {input} {output}"';

/** Five commands from nothing to a first report. */
export function TakePart() {
  const { t } = useLingui();
  const team = useTeam();
  const training = trainingWords(useCycle());
  const [token, setToken] = useState<string | null>(null);
  return (
    <Page title={t`Take part in ten minutes`}>
      <p>
        <Trans>
          Your program reads each file as JSON and writes its answer as JSON; a markup may be in the inline notation,
          too. The kit does the rest: retries, lost connections, a killed process in the middle of a session.
        </Trans>
      </p>
      {team.data?.status === "approved" ? (
        <NewToken token={token} onToken={setToken} />
      ) : (
        <p>
          <Trans>
            You need a team that the organizers have approved: <Link to="/application">apply</Link>. A program signs in
            with its team's token.
          </Trans>
        </p>
      )}
      <ol className={styles.commands}>
        <Install />
        {token ? (
          <Step text={`echo ${token} | pku login ${location.origin} --token-stdin`}>
            <Trans>Log in. The command carries your token; nobody can show it again.</Trans>
          </Step>
        ) : (
          <Step text={`pku login ${location.origin}`}>
            <Trans>Log in; the kit asks for your team's token.</Trans>
          </Step>
        )}
        <Step text={`pku doctor ${SOLVER}`}>
          <Trans>See whether this machine is fast enough and its clock right.</Trans>
        </Step>
        <Step text={`pku run ${training.run} ${SOLVER}`}>
          <Trans>Answer training files.</Trans>
        </Step>
        <Step text="pku report">
          <Trans>See how good it is.</Trans>
        </Step>
      </ol>
      <p>
        <Trans>
          The pilot program comes with the kit: <code>pku pilot {training.pilot}</code> plays a whole session without a
          program of yours. The interface that the kit speaks is described under <a href="/docs">API</a>.
        </Trans>
      </p>
    </Page>
  );
}

/** By the kit that is published; where none is, from the source code. */
function Install() {
  const kit = useQuery(kitQuery).data?.kit?.statement;
  if (kit) {
    return (
      <Step text={installCommand(kit, location.origin)}>
        <Trans>
          Install <Link to="/kit">the kit</Link>, version {kit.version}.
        </Trans>
      </Step>
    );
  }
  return (
    <Step text="pip install ./layers/markup_core ./layers/tracks ./clients/pku">
      <Trans>Install the kit from a checkout of the source code.</Trans>
    </Step>
  );
}

function Step({ text, children }: { text: string; children: ReactNode }) {
  return (
    <li>
      {children}
      <Command text={text} />
    </li>
  );
}
