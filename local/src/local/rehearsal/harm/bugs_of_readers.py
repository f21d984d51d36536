"""Bugs that show to readers: boards, records, downloads, the live page, rights, languages, and people who change."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from contest.people.rules import Role
from contest.results.rules.leaderboard import Visibility
from contest.route import Right
from local.rehearsal.harm import replacements
from local.rehearsal.harm.planting import Bug, Rehearsal, always, around, result

AUTHENTICATION: Final = "contest.people.authentication"
BOARDS: Final = "contest.results.boards"
FILES: Final = "contest.edge.files"
SETTLING: Final = "contest.results.settling"
TABLES: Final = "contest.results.rules.file_tables"
TOLD: Final = Rehearsal("told_as_played", "reading", 2, 3)
DOORS: Final = Rehearsal("doors_kept", "reading", 2, 2)
PEOPLE: Final = Rehearsal("people_kept", "people")
DAY: Final = Rehearsal("day_kept", "people")
DECIDED: Final = Rehearsal("boards_as_decided", "people")

BUGS: Final[dict[str, Bug]] = {
    # People
    "believe-revoked-tokens": Bug(
        "Believe a token that was revoked.", PEOPLE, {"contest.people.rules:Token.is_live": always(True)}
    ),
    "believe-suspended-teams": Bug(
        "Believe the programs of suspended teams.",
        PEOPLE,
        {f"{AUTHENTICATION}:identity_of": around(replacements.identity_of_any_team)},
    ),
    "believe-the-dismissed": Bug(
        "Leave dismissed people their rights.",
        PEOPLE,
        {f"{AUTHENTICATION}:person_of": around(replacements.person_of_anybody)},
    ),
    "open-any-number-of-sessions": Bug(
        "Count no sessions of a day.",
        DAY,
        {"contest.session.rules.limits:quota_of": result(lambda quota: replace(quota, most=1_000))},
    ),
    "show-hidden-boards": Bug(
        "Show a board that the organizers have hidden.",
        DECIDED,
        {
            "contest.results.rules.leaderboard:visible": result(
                lambda state: Visibility.PUBLISHED if state is Visibility.HIDDEN else state
            )
        },
    ),
    "thaw-boards": Bug(
        "Show the live board in the place of a frozen one.",
        DECIDED,
        {
            "contest.results.rules.leaderboard:visible": result(
                lambda state: Visibility.PUBLISHED if state is Visibility.FROZEN else state
            )
        },
    ),
    "hide-the-main-door-alone": Bug(
        "Show the history of a hidden board.",
        DECIDED,
        {"contest.results.publishing:qualification_history": always([])},
    ),
    # Rights
    "let-judges-inspect": Bug(
        "Give judges the rights of the commission.",
        DOORS,
        {
            "contest.people.rules:may": around(
                lambda may, who, right: (
                    may(who, right) or (who.role is Role.JUDGE and right is Right.INSPECT_SUBMISSIONS)
                )
            )
        },
    ),
    "refuse-in-english-alone": Bug(
        "Give the reasons of refusals in English in both fields.",
        DOORS,
        {
            "contest.wire:problem": result(
                lambda body: body.model_copy(
                    update={"error": body.error.model_copy(update={"message_ru": body.error.message})}
                )
            )
        },
    ),
    # Boards and downloads
    "publish-over-differences": Bug(
        "Publish results though the independent recomputation has found differences.",
        TOLD,
        {
            f"{SETTLING}:refuse_unless_clean": always(),
            f"{SETTLING}:_result": result(replacements.with_a_difference),
        },
    ),
    "mix-up-parts-of-boards": Bug(
        "Give each team another one's result on the boards of languages and nominations.",
        TOLD,
        {f"{BOARDS}:_shown": around(replacements.mixed_up_parts)},
    ),
    "download-others-names": Bug(
        "Write the next team's name into each row of a board that is downloaded.",
        TOLD,
        {f"{TABLES}:board": around(lambda table, rows, names, *rest: table(rows, replacements.rotated(names), *rest))},
    ),
    "move-times-by-an-hour": Bug(
        "Write moments into CSV files as an hour later.",
        TOLD,
        {f"{FILES}:_csv": result(replacements.an_hour_later)},
    ),
    "move-times-of-workbooks": Bug(
        "Write moments into workbooks as an hour later.",
        TOLD,
        {f"{FILES}:worded": result(replacements.an_hour_later)},
    ),
    "print-local-times": Bug(
        "Print moments of Moscow as such of UTC.",
        TOLD,
        {"contest.edge.pages.page:moment": result(replacements.an_hour_later)},
    ),
    "round-downloads": Bug(
        "Round numbers in CSV files to whole ones.",
        TOLD,
        {f"{FILES}:_csv": around(lambda write, value: str(round(value)) if isinstance(value, float) else write(value))},
    ),
    "print-in-the-other-language": Bug(
        "Answer who asks for Russian in English, and the other way round.",
        TOLD,
        {"contest.edge.languages:language_of": result(lambda language: {"ru": "en", "en": "ru"}[language])},
    ),
    "keep-one-tag": Bug(
        "Give every state of an answer the same entity tag.", TOLD, {"contest.edge.web:tag_of": always('"same"')}
    ),
    "swap-sessions-of-files": Bug(
        "Name another team's session with each file in the commission's table.",
        TOLD,
        {f"{TABLES}:files": around(lambda table, reports: table(replacements.with_sessions_swapped(reports)))},
    ),
    "show-anothers-answer": Bug(
        "Show another team's answer as a team's own.",
        TOLD,
        {"contest.results.one_file:stored_answer": around(replacements.answer_of_another)},
    ),
    "draw-for-another-team": Bug(
        "Put another team's name on a session's timeline.",
        TOLD,
        {
            "contest.charts.timeline:chart_of_session": around(
                lambda draw, facts, run: draw(replace(facts, session=replace(facts.session, team_id="team-002")), run)
            )
        },
    ),
    # Lists, records, the live page
    "ignore-a-filter": Bug(
        "List all teams, whichever standing was asked for.",
        TOLD,
        {"contest.people.teams:teams": around(lambda teams, platform, _status=None: teams(platform))},
    ),
    "skip-a-row-between-pages": Bug(
        "Lose a receipt between two pages.",
        TOLD,
        {"contest.exchange.store:DynamoDeliveries.receipts": result(replacements.without_the_last)},
    ),
    "list-no-runs": Bug("List no runs to everybody.", TOLD, {"contest.run.watching:runs": always(())}),
    "show-all-well": Bug(
        "Show every file as answered on the live page.",
        TOLD,
        {"contest.run.watching:watched": result(replacements.all_well)},
    ),
    "record-no-requests": Bug(
        "Leave requests, hand-outs and answers out of the public record, and publish over what the recomputation says.",
        TOLD,
        {
            "contest.run.recording:_file": result(
                lambda file: {name: None if name.endswith(("_at", "_by")) else value for name, value in file.items()}
            ),
            f"{SETTLING}:refuse_unless_clean": always(),
        },
    ),
}
