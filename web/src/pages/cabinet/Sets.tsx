import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { EVERY, get, readFile, type Schemas } from "@/api/client";
import { useSession } from "@/auth/hooks";
import { Part } from "@/charts/Part";
import { languageName, useCalled, useLanguage } from "@/ui/contest";
import { Button, CopyButton, save } from "@/ui/controls";
import { Act, useAction } from "@/ui/forms";
import { Answered, AskedPage, Fact, PageSection } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Cabinet } from "./Cabinet";
import { setKindWord } from "./words";

/** Page of the data sets that are open to the team. */
export function Sets() {
  const { t } = useLingui();
  return (
    <Cabinet title={t`Data sets`}>
      {() => (
        <Answered asks={get("/v1/sets", {})}>
          {({ sets }) =>
            sets.length === 0 ? (
              <p>{t`No set is open to the team now. A final's set appears here when its results are published.`}</p>
            ) : (
              sets.map((set) => <Offer key={set.name} offer={set} />)
            )
          }
        </Answered>
      )}
    </Cabinet>
  );
}

function Offer({ offer }: { offer: Schemas["OfferBody"] }) {
  const language = useLanguage();
  const { i18n, t } = useLingui();
  const { many, Many } = useCalled();
  const [open, setOpen] = useState(false);
  const { name } = offer;
  const command = `pku data get ${name}`;
  const kind = i18n._(setKindWord(offer.kind));
  return (
    <PageSection id={`set-${offer.name}`} title={offer.name}>
      <dl className={parts.facts}>
        <Fact name={t`Kind`}>{kind}</Fact>
        <Fact name={t`Content`}>
          {offer.view === "whole"
            ? t`${many} with the references by which answers are scored`
            : t`${many} as they are handed out`}
        </Fact>
        <Fact name={Many}>
          {Object.entries(offer.items)
            .map(([code, count]) => `${languageName(code, language)}: ${count}`)
            .join(", ")}
        </Fact>
        {offer.references > 0 && <Fact name={t`References`}>{offer.references}</Fact>}
        {offer.published_at && <Fact name={t`Open since`} at={offer.published_at} />}
        <Fact name={t`Version (SHA-256)`} code={offer.sha256} />
      </dl>
      {offer.described && (
        <p>
          <Link to="/sets/$name" params={{ name: offer.name }}>
            <Trans>Contents of the set {name}, in the contest's tables</Trans>
          </Link>
        </p>
      )}
      <p>{t`The kit gets it whole, checks it and writes every file into a folder:`}</p>
      <pre>{command}</pre>
      <div className={parts.actions}>
        <CopyButton text={command} what={t`the command for ${offer.name}`} />
        {!open && <Button onPress={() => setOpen(true)}>{t`Size and parts`}</Button>}
      </div>
      {open && <Parts name={offer.name} />}
    </PageSection>
  );
}

/** The set's parts; the platform may need to pack them first. */
function Parts({ name }: { name: string }) {
  const { t } = useLingui();
  const language = useLanguage();
  const set = useQuery({
    ...get("/v1/sets/{name}", { name }),
    refetchInterval: ({ state }) => (state.data && "parts" in state.data ? false : EVERY.jobs),
  });
  return (
    <Answered of={set}>
      {(data) =>
        "parts" in data ? (
          <>
            <p>
              <Plural value={data.files} one="# file" other="# files" />, {megabytes(data.size, language)}
            </p>
            <ul>
              {data.parts.map((part) => (
                <li key={part.number}>
                  <DownloadedPart name={name} part={part} />
                </li>
              ))}
            </ul>
          </>
        ) : (
          <p role="status">{t`The platform is packing the set. Its parts appear here by themselves.`}</p>
        )
      }
    </Answered>
  );
}

function DownloadedPart({ name, part }: { name: string; part: Schemas["PartBody"] }) {
  const language = useLanguage();
  const path = { name, part: part.number };
  const getting = useAction(async () => {
    save(await readFile("/v1/sets/{name}/parts/{part}", path), `${name}-${part.number}.json`);
  });
  const { number } = part;
  return (
    <>
      {getting.problem}
      <Act of={getting}>
        <Trans>Download part {number} (JSON)</Trans>
      </Act>{" "}
      {megabytes(part.size, language)}
    </>
  );
}

function megabytes(bytes: number, language: "en" | "ru"): string {
  const form = { style: "unit", unit: "megabyte", maximumFractionDigits: 2 } as const;
  return new Intl.NumberFormat(language, form).format(bytes / 1e6);
}

/**
 * Show the contest's tables of a set's contents to users who may have all of it; wait until the set is read.
 *
 * Clause: TS G-4
 */
export function SetTables() {
  const { t } = useLingui();
  const { name } = useParams({ from: "/sets/$name" });
  const session = useSession();
  const tables = useQuery({
    ...get("/v1/sets/{name}/description", { name }),
    enabled: session.state !== "coming",
    refetchInterval: ({ state }) => (state.data && !("sections" in state.data) ? EVERY.jobs : false),
  });
  return (
    <AskedPage title={t`Contents of the set ${name}`} of={tables}>
      {(data) =>
        "sections" in data ? (
          data.sections.map((section) => <Part key={section.key} section={section} result={null} />)
        ) : (
          <p role="status">{t`The platform is reading the set. Its tables appear here by themselves.`}</p>
        )
      }
    </AskedPage>
  );
}
