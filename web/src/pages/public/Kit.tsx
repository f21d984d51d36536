import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Schemas } from "@/api/client";
import { Moment } from "@/ui/moments";
import { Answered, Page } from "@/ui/Page";
import { Wide } from "@/ui/Wide";
import { Command } from "./Command";
import { installCommand, type KitStatement, kitQuery, offlineCommand, placeOf } from "./kit";

/** The common modules that every team uses: what they are, how they are installed, how anybody checks them. */
export function Kit() {
  const { t } = useLingui();
  const kit = useQuery(kitQuery);
  return (
    <Page title={t`The participants' kit`}>
      <Answered of={kit}>{(told) => (told.kit ? <Published kit={told.kit.statement} /> : <None />)}</Answered>
    </Page>
  );
}

function None() {
  return (
    <p>
      <Trans>
        The organizers have not published the kit yet. <Link to="/announcements">Announcements</Link> will say when it
        is there.
      </Trans>
    </p>
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
      <h2 id="install">
        <Trans>Install</Trans>
      </h2>
      <p>
        <Trans>Python 3.11 or newer; pip holds every file to its SHA-256.</Trans>
      </p>
      <Command text={installCommand(kit, location.origin)} />
      <h2 id="files">
        <Trans>Files</Trans>
      </h2>
      <FileTable label={t`Packages of the kit`} files={kit.packages} />
      {kit.bundles.length > 0 && (
        <>
          <h2 id="offline">
            <Trans>Without a network</Trans>
          </h2>
          <p>
            <Trans>An archive has everything that a machine of its sort needs. Unpack it, then:</Trans>
          </p>
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

/** Files with their sizes and sums; the sum is never cut, for it is there to be compared. */
function FileTable({
  label,
  files,
}: {
  label: string;
  files: readonly (Schemas["PackageBody"] | Schemas["BundleBody"])[];
}) {
  const { i18n } = useLingui();
  return (
    <Wide label={label}>
      <thead>
        <tr>
          <th scope="col">
            <Trans>File</Trans>
          </th>
          <th scope="col">
            <Trans>MB</Trans>
          </th>
          <th scope="col">SHA-256</th>
        </tr>
      </thead>
      <tbody>
        {files.map(({ file, bytes, sha256 }) => (
          <tr key={file}>
            <th scope="row">
              <a href={placeOf(file)} download>
                {file}
              </a>
            </th>
            <td>{i18n.number(bytes / 1e6, { maximumFractionDigits: 1 })}</td>
            <td>
              <code>{sha256}</code>
            </td>
          </tr>
        ))}
      </tbody>
    </Wide>
  );
}
