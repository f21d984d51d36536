import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api } from "@/api/client";
import { renewed } from "@/api/queries";
import { useTeamName } from "@/pages/desk/teamNames";
import { Board as Places } from "@/pages/public/Board";
import { inLanguage, useBoards, useLanguage } from "@/ui/contest";
import { Reasoned } from "@/ui/forms";
import { inUnit, placeOf } from "@/ui/numbers";
import { Answered } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { type Board, boardQuery } from "./data";

type Visibility = "hidden" | "frozen" | "published";

const SEEN: Record<Visibility, MessageDescriptor> = {
  hidden: msg`Everybody sees nothing of this board.`,
  frozen: msg`Everybody sees this board as it was when it was frozen.`,
  published: msg`Everybody sees this board, live.`,
};

interface BoardDecisionsProps {
  /** `qualification`, or a final's run. */
  board: string;
  shown: Board;
  decides: boolean;
}

/** The live board as only organizers and commission see it, what everybody sees of it, and the decisions about that. */
export function BoardDecisions({ board, shown, decides }: BoardDecisionsProps) {
  const { i18n } = useLingui();
  const language = useLanguage();
  const others = useBoards().data?.boards.slice(1) ?? [];
  const state = shown.state ?? "hidden";
  const live = { ...shown, state: "published" as const };
  return (
    <>
      <p role="status">
        <strong>{i18n._(SEEN[state])}</strong> <Trans>Below is the live one, which only you see here.</Trans>
      </p>
      {decides && (
        <div className={parts.actions}>
          {state !== "published" && (
            <Decision
              board={board}
              state="published"
              label={<Trans>Publish</Trans>}
              asks={<Trans>Everybody sees the live board; of a final, teams see their results too.</Trans>}
            />
          )}
          {state === "published" && (
            <Decision
              board={board}
              state="frozen"
              label={<Trans>Freeze</Trans>}
              asks={<Trans>Everybody goes on seeing the board as it is now, whatever changes from now on.</Trans>}
            />
          )}
          {state !== "hidden" && (
            <Decision
              board={board}
              state="hidden"
              label={<Trans>Withdraw</Trans>}
              asks={<Trans>Nobody but you sees the board any more; of a final, teams lose their results too.</Trans>}
            />
          )}
          <Link to="/desk/settlement/$board/reveal" params={{ board }}>
            <Trans>Reveal it place by place</Trans>
          </Link>
        </div>
      )}
      <Places board={live} points={[]} top={live.rows.length} final={board !== "qualification"} />
      <Close shown={shown} />
      {others.map(({ key, title }) => (
        <Other key={key} board={board} of={key} title={inLanguage(title, language)} />
      ))}
    </>
  );
}

/** Another board of the contest, which is published, frozen and withdrawn together with the main one. */
function Other({ board, of, title }: { board: string; of: string; title: string }) {
  const found = useQuery(boardQuery(board, of));
  return (
    <section aria-labelledby={`board-${of}`}>
      <h3 id={`board-${of}`}>{title}</h3>
      <p>
        <Link to="/desk/settlement/$board/reveal" params={{ board }} search={{ key: of }}>
          <Trans>Reveal it place by place</Trans>
          <span className="sr-only"> · {title}</span>
        </Link>
      </p>
      <Answered of={found}>
        {(shown) => (
          <>
            <Places board={{ ...shown, state: "published" }} points={[]} top={shown.rows.length} />
            <Close shown={shown} />
          </>
        )}
      </Answered>
    </section>
  );
}

interface DecisionProps {
  board: string;
  state: Visibility;
  label: React.ReactNode;
  asks: React.ReactNode;
}

function Decision({ board, state, label, asks }: DecisionProps) {
  return (
    <Reasoned
      primary={state === "published"}
      label={label}
      asks={asks}
      act={(reason) =>
        api.POST("/v1/conduct/boards/{board}/decision", { params: { path: { board } }, body: { state, reason } })
      }
      done={renewed}
    />
  );
}

/** Ties, and places whose order may be chance, as the platform says it. */
function Close({ shown: { rows, board } }: { shown: Board }) {
  const nameOf = useTeamName();
  const language = useLanguage();
  const overlapping = rows.filter(({ ahead }) => ahead?.overlap);
  const shared = rows.filter(({ place, place_to }) => place !== place_to);
  return (
    <ul>
      {shared.length > 0 && (
        <li>
          <Plural value={shared.length} one="# team shares its place" other="# teams share their places" />:{" "}
          {shared.map(({ team, place, place_to }) => `${team} (${placeOf({ place, place_to })})`).join(", ")}
        </li>
      )}
      {overlapping.map(({ team, ahead }) => (
        <li key={team}>
          ≈{" "}
          <Trans>
            {team} is {inUnit(ahead?.difference ?? null, board.unit, language, board)} points behind{" "}
            {nameOf(ahead?.team_id ?? "")}: both 95 % intervals overlap, so their order may be chance.
          </Trans>
        </li>
      ))}
    </ul>
  );
}
