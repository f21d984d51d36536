import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, type Schemas } from "@/api/client";
import { EVERY, get, renewed } from "@/api/queries";
import { setKindWord } from "@/pages/cabinet/words";
import { AskedPage } from "@/shell/AskedPage";
import { languageName, useLanguage } from "@/ui/contest";
import { Reasoned } from "@/ui/forms";
import { Moment } from "@/ui/moments";
import parts from "@/ui/parts.module.css";
import { Wide } from "@/ui/Wide";
import { Importing } from "./Importing";
import { Imports } from "./Imports";

type Set_ = Schemas["HeldCycleBody"]["sets"][string];

const HELD = get("/v1/conduct/cycle", {}, EVERY.idle);
const OPEN = get("/v1/sets", {}, EVERY.idle);

/** The cycle's data sets, which of them everybody may have, and the way in for others. */
export function Sets() {
  const { t } = useLingui();
  const found = useQuery(HELD);
  return (
    <AskedPage title={t`Data sets of the cycle`} of={found}>
      {({ sets }) => (
        <>
          {Object.keys(sets).length === 0 ? (
            <p>
              <Trans>The cycle has no set yet. Import one below.</Trans>
            </p>
          ) : (
            <List sets={sets} />
          )}
          <Importing names={Object.keys(sets)} />
          <Imports />
        </>
      )}
    </AskedPage>
  );
}

function List({ sets }: { sets: Readonly<Record<string, Set_>> }) {
  const { i18n, t } = useLingui();
  const open = useQuery(OPEN);
  const offered = (name: string) => open.data?.sets.find((each) => each.name === name);
  return (
    <Wide label={t`Table of data sets`}>
      <thead>
        <tr>
          <th scope="col">
            <Trans>Set</Trans>
          </th>
          <th scope="col">
            <Trans>Kind</Trans>
          </th>
          <th scope="col">
            <Trans>Files</Trans>
          </th>
          <th scope="col">
            <Trans>Published to everybody</Trans>
          </th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(sets).map(([name, set]) => (
          <tr key={name}>
            <th scope="row">
              <code>{name}</code>
              {offered(name)?.described && (
                <div>
                  <Link to="/sets/$name" params={{ name }}>
                    <Trans>What it holds</Trans>
                  </Link>
                </div>
              )}
            </th>
            <td>{i18n._(setKindWord(set.kind))}</td>
            <td>
              <Files of={set.files} />
            </td>
            <td>
              <Publication name={name} at={offered(name)?.published_at ?? null} />
            </td>
          </tr>
        ))}
      </tbody>
    </Wide>
  );
}

function Files({ of }: { of: Set_["files"] }) {
  const language = useLanguage();
  return Object.entries(of).map(([code, count]) => (
    <div key={code}>
      {languageName(code, language)}: <Plural value={count} one="# file" other="# files" />
    </div>
  ));
}

function Publication({ name, at }: { name: string; at: string | null }) {
  const path = { name };
  const decide = (published: boolean) => (reason: string) =>
    api.POST("/v1/sets/{name}/publication", { params: { path }, body: { published, reason } });
  if (at) {
    return (
      <>
        <Moment at={at} />
        <div className={parts.actions}>
          <Reasoned
            label={<Trans>Take back</Trans>}
            asks={<Trans>Take the set {name} back from everybody? What was downloaded stays where it is.</Trans>}
            act={decide(false)}
            done={renewed}
          />
        </div>
      </>
    );
  }
  return (
    <Reasoned
      label={<Trans>Publish</Trans>}
      asks={
        <Trans>
          Give the present files of the set {name}, with the experts' markups, to everybody under CC BY 4.0? What is
          downloaded cannot be called back.
        </Trans>
      }
      clause="R 2.6"
      act={decide(true)}
      done={async () => {
        // Its parts are made when they are first asked for; the list for everybody names it from then on.
        await api.GET("/v1/sets/{name}", { params: { path } });
        await renewed();
      }}
    />
  );
}
