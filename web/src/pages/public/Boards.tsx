import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { readFile } from "@/api/client";
import { type Cycle, cycleQuery, inLanguage, languageName, useBoards, useLanguage } from "@/ui/contest";
import { Downloads } from "@/ui/forms";
import { useKeyHelp } from "@/ui/keys";
import { Answered, Page } from "@/ui/Page";
import { Board, End } from "./Board";
import { partOf, useBoard, useFinalIsOut, useHistory, type Which } from "./boardData";
import styles from "./public.module.css";

/** The leaderboards: which one and which part of it is in the address. */
export function Boards() {
  const { t } = useLingui();
  const search = useSearch({ from: "/boards" });
  const cycle = useQuery(cycleQuery);
  const which: Which = { final: search.board === "final", by: search.by ?? "all", run: search.run, key: search.key };
  const isOut = useFinalIsOut(which);
  const board = useBoard(which, isOut === true);
  const history = useHistory(which, isOut === true);
  useKeyHelp([
    { keys: "↑ ↓", does: t`Next and previous row` },
    { keys: "Enter", does: t`Opens a row in place` },
  ]);
  return (
    <Page title={t`Leaderboards`}>
      <End />
      <nav className={styles.tabs} aria-label={t`Choose a leaderboard`}>
        <Link to="/boards" search={{}} {...current(!which.final)}>
          {t`Qualification`}
        </Link>
        <Link to="/boards" search={{ board: "final" }} {...current(which.final)}>
          {t`Final`}
        </Link>
      </nav>
      <Kinds which={which} />
      {cycle.data && !which.key && <Parts cycle={cycle.data} which={which} />}
      {which.final && isOut === false ? (
        <p>
          <Trans>
            The results of the final are not published yet. They are when the experts have marked up its files and the
            organizers publish them; <Link to="/runs">Runs</Link> has its schedule.
          </Trans>
        </p>
      ) : (
        <Answered of={board}>
          {(data) => (
            <>
              <Board board={data} points={history.data?.points ?? []} open={search.open} final={which.final} />
              <BoardFiles which={which} />
            </>
          )}
        </Answered>
      )}
    </Page>
  );
}

function Kinds({ which }: { which: Which }) {
  const { t } = useLingui();
  const language = useLanguage();
  const boards = useBoards().data?.boards ?? [];
  if (boards.length < 2) return null;
  return (
    <nav className={styles.tabs} aria-label={t`Ranking of teams`}>
      {boards.map(({ key, title }, at) => (
        <Link
          key={key}
          to="/boards"
          search={(before) => ({
            ...(before.board ? { board: before.board } : {}),
            ...(before.run ? { run: before.run } : {}),
            ...(at === 0 ? {} : { key }),
          })}
          {...current(at === 0 ? !which.key : which.key === key)}
        >
          {inLanguage(title, language)}
        </Link>
      ))}
    </nav>
  );
}

/** The whole board, its parts by language, and a final's nominations. */
function Parts({ cycle, which }: { cycle: Cycle; which: Which }) {
  const { t } = useLingui();
  const language = useLanguage();
  const languages = Object.keys(cycle.languages);
  const names: [string, string][] = [
    ["all", t`all languages`],
    // One language's board is the whole one.
    ...(languages.length > 1 ? languages : []).map((name): [string, string] => [name, languageName(name, language)]),
    ...(which.final ? Object.entries(cycle.parameters.nominations ?? {}) : []).map(
      ([name, board]): [string, string] => [`nomination:${name}`, inLanguage(board.name, language)],
    ),
  ];
  if (names.length === 1 && which.by === "all") return null;
  return (
    <nav className={styles.tabs} aria-label={t`Part of the leaderboard`}>
      {names.map(([by, name]) => (
        <Link
          key={by}
          to="/boards"
          search={(before) => ({
            ...(before.board ? { board: before.board } : {}),
            ...(before.run ? { run: before.run } : {}),
            ...(by === "all" ? {} : { by }),
          })}
          {...current(which.by === by)}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}

/** The router marks a link by its path alone; here the search parameters say which one is open. */
function current(is: boolean) {
  return { activeOptions: is ? { includeSearch: false } : { exact: true, includeSearch: true } };
}

/** Show the downloads of the open board, in the platform's formats. */
function BoardFiles({ which }: { which: Which }) {
  const lang = useLanguage();
  const { final, by, run, key } = which;
  const part = partOf(by);
  const name = ["board", ...(final ? ["final"] : []), key ?? by.replace(":", "-")].join("-");
  const ofFinal = { ...(key ? { key } : part), ...(run ? { run } : {}) };
  const ofQualification = key ? { key } : "language" in part ? part : {};
  return (
    <Downloads
      title={<Trans>Save the leaderboard</Trans>}
      name={name}
      of={
        final
          ? [
              ["CSV", () => readFile("/v1/leaderboards/final.csv", ofFinal)],
              ["XLSX", () => readFile("/v1/leaderboards/final.xlsx", { ...ofFinal, lang })],
            ]
          : [
              ["CSV", () => readFile("/v1/leaderboards/qualification.csv", ofQualification)],
              ["XLSX", () => readFile("/v1/leaderboards/qualification.xlsx", { ...ofQualification, lang })],
            ]
      }
    />
  );
}
