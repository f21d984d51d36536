import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { post, type Schemas } from "@/api/client";
import { useCycle } from "@/ui/contest";
import { CopyButton, ShownOnce } from "@/ui/controls";
import { Act, useAction } from "@/ui/forms";
import { Answered, Moment, Page } from "@/ui/Page";
import { Table } from "@/ui/Table";
import { installCommand, type KitStatement, kitQuery, offlineCommand, placeOf, trainingWords } from "./participation";
import styles from "./public.module.css";
import { useTeam } from "./team";

const SOLVER = '--solver "python my_program.py {input} {output}"';

/** Show the five commands that lead to a first report. */
export function TakePart() {
  const { t } = useLingui();
  const team = useTeam();
  const cycle = useCycle();
  const training = trainingWords(cycle);
  const [token, setToken] = useState<string | null>(null);
  return (
    <Page title={t`Take part in ten minutes`}>
      <p>
        {t`Your program reads each file as JSON and writes its answer as JSON.`}{" "}
        {cycle?.track === "essay" && t`A markup may be in the inline notation, too.`}{" "}
        {t`The kit does the rest: retries, lost connections, a killed process in the middle of a session.`}
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
            {t`Log in. The command contains your token; it cannot be shown again.`}
          </Step>
        ) : (
          <Step text={`pku login ${location.origin}`}>{t`Log in; the kit asks for your team's token.`}</Step>
        )}
        <Step text={`pku doctor ${SOLVER}`}>{t`See whether this machine is fast enough and its clock right.`}</Step>
        <Step text={`pku run ${training.run} ${SOLVER}`}>{t`Answer training files.`}</Step>
        <Step text="pku report">{t`See how good it is.`}</Step>
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

/** Show how to install the published kit or, if there is none, the source code. */
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

/** Show the modules that every team may use: their purpose, their installation and their check. */
export function Kit() {
  const { t } = useLingui();
  return (
    <Page title={t`The participants' kit`}>
      <Answered asks={kitQuery}>
        {(data) =>
          data.kit ? (
            <Published kit={data.kit.statement} />
          ) : (
            <p>
              <Trans>
                The organizers have not published the kit yet. <Link to="/announcements">Announcements</Link> will say
                when it is there.
              </Trans>
            </p>
          )
        }
      </Answered>
    </Page>
  );
}

function Published({ kit }: { kit: KitStatement }) {
  const { t } = useLingui();
  return (
    <>
      <p>
        <Trans>
          Version {kit.version}, published <Moment at={kit.published_at} />. Every team uses the same modules and
          changes nothing in them; <code>pku</code> says by itself when another version is published.
        </Trans>
      </p>
      <h2 id="install">{t`Install`}</h2>
      <p>{t`Python 3.11 or newer; pip holds every file to its SHA-256.`}</p>
      <Command text={installCommand(kit, location.origin)} />
      <h2 id="files">{t`Files`}</h2>
      <FileTable label={t`Packages of the kit`} files={kit.packages} />
      {kit.bundles.length > 0 && (
        <>
          <h2 id="offline">{t`Without a network`}</h2>
          <p>{t`An archive has everything for machines of its kind. Unpack it, then:`}</p>
          <FileTable label={t`Archives for machines without a network`} files={kit.bundles} />
          {kit.bundles.map((bundle) => (
            <Command key={bundle.file} text={offlineCommand(bundle)} />
          ))}
        </>
      )}
      <h2 id="check">
        <Trans context="deed">Check</Trans>
      </h2>
      <p>
        <Trans>
          The list of these files is signed by the platform's key <code>{kit.key_id}</code>; <code>pku doctor</code>{" "}
          checks the signature and whether the kit on your machine is this one. The kit's own fingerprint:
        </Trans>
      </p>
      <pre>{kit.modules_sha256}</pre>
    </>
  );
}

/** List files with their sizes and checksums; a checksum is never shortened, so that it can be compared. */
function FileTable({
  label,
  files,
}: {
  label: string;
  files: readonly (Schemas["PackageBody"] | Schemas["BundleBody"])[];
}) {
  const { i18n } = useLingui();
  return (
    <Table
      label={label}
      rows={files}
      rowKey={({ file }) => file}
      columns={[
        {
          header: <Trans>File</Trans>,
          cell: ({ file }) => (
            <a href={placeOf(file)} download>
              {file}
            </a>
          ),
        },
        { header: <Trans>MB</Trans>, cell: ({ bytes }) => i18n.number(bytes / 1e6, { maximumFractionDigits: 1 }) },
        { header: "SHA-256", cell: ({ sha256 }) => <code>{sha256}</code> },
      ]}
    />
  );
}

/** Command for a terminal, with a button that copies it. */
function Command({ text }: { text: string }) {
  const { t } = useLingui();
  return (
    <>
      <pre>{text}</pre>
      <CopyButton text={text} what={t`the command`} />
    </>
  );
}

/** Create a token for the team's program; only this page's memory holds it, until the page is left. */
export function NewToken({ token, onToken }: { token: string | null; onToken: (token: string) => void }) {
  const { t } = useLingui();
  const making = useAction(
    () => post("/v1/team/tokens", {}, { name: "" }),
    ({ token }) => onToken(token),
  );
  if (token) {
    return (
      <ShownOnce
        says={<Trans>Your program's token. It is shown only once: copy it now.</Trans>}
        secret={token}
        what={t`the token`}
      />
    );
  }
  return (
    <>
      {making.problem}
      <p>
        <Act primary of={making}>
          <Trans>Create a token for my program</Trans>
        </Act>
      </p>
    </>
  );
}
