"""Bugs of scores, boards, reports, archive, qualification and experts' annotations, in a final of essays."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from local.rehearsal.harm import replacements
from local.rehearsal.harm.planting import Bug, Rehearsal, arguments, around, result

ARCHIVING: Final = "contest.results.archiving"
ASSIGNMENT: Final = "contest.experts.rules.assignment"
LEADERBOARD: Final = "contest.results.rules.leaderboard"
REFERENCES: Final = "contest.reading:references"
SHOWN_BOARD: Final = "contest.results.boards:_shown"


BUGS: Final[dict[str, Bug]] = {
    # Scores
    "score-against-others-markups": Bug(
        "Score every answer from the third file on against the annotations of the file before.",
        Rehearsal("scored_once", teams=2, files=3),
        {REFERENCES: replacements.by_the_file_before},
    ),
    "score-anothers-answer": Bug(
        "Score an answer in a run by another team's answer to the same file.",
        Rehearsal("scored_once", teams=2, files=3),
        {"contest.results.scoring:stored_answer": around(replacements.answer_of_another)},
    ),
    # Boards
    "swap-the-names": Bug(
        "Show the name of another team in each row of a board.",
        Rehearsal("told_as_played", teams=2, files=3),
        {SHOWN_BOARD: result(lambda board: replace(board, names=replacements.rotated(board.names)))},
    ),
    "narrow-the-intervals": Bug(
        "Show the 95 % intervals of a board a tenth narrower.",
        Rehearsal("replay_agrees", teams=2, files=3),
        {SHOWN_BOARD: result(replacements.narrower)},
    ),
    "round-over-the-barrier": Bug(
        "Round a result to whole per cent before it is compared with the barrier.",
        Rehearsal("one_entry_each", "qualifying", 1, 2),
        {f"{LEADERBOARD}:board": result(replacements.rounded)},
    ),
    "break-ties": Bug(
        "Give equal results places one after the other.",
        Rehearsal("one_entry_each", "qualifying", 1, 2),
        {f"{LEADERBOARD}:board": result(replacements.placed)},
    ),
    "keep-the-last-entry": Bug(
        "Show a team's last entry, not its best.",
        Rehearsal("one_entry_each", "qualifying", 1, 2),
        {f"{LEADERBOARD}:best_of": around(lambda _, claims, *__: max(claims, key=lambda claim: claim.closed_at))},
    ),
    "ask-for-more": Bug(
        "Reject an entry that covers exactly the least share of the test set (R 6.10).",
        Rehearsal("one_entry_each", "qualifying", 1, 2),
        {f"{LEADERBOARD}:_entry": arguments(rules=lambda rules: replace(rules, least_share=rules.least_share + 0.001))},
    ),
    "hide-abstention": Bug(
        "Show the value itself in the audit of abstention.",
        Rehearsal("one_entry_each", "qualifying", 1, 2),
        {f"{LEADERBOARD}:abstention": around(replacements.without_annulled)},
    ),
    "count-who-left": Bug(
        "Show a session of a final on the board that its team has aborted.",
        Rehearsal("replay_agrees", "leaving"),
        {f"{LEADERBOARD}:final_entry": around(replacements.count_who_left)},
    ),
    "count-trials": Bug(
        "Show a trial on the boards like a final.",
        Rehearsal("trial_apart", "qualifying", 1, 2),
        {
            f"{LEADERBOARD}:final_entry": arguments(
                schedule=lambda schedule: replace(schedule, run=replace(schedule.run, trial=False))
            )
        },
    ),
    "keep-back-the-last-places": Bug(
        "Leave the last change out of a board's history.",
        Rehearsal("replay_agrees"),
        {"contest.results.store:DynamoBoards.points": result(lambda points: points[:-1])},
    ),
    "note-places-a-visit-late": Bug(
        "Add a change of places to a board's history one visit of the timer late.",
        Rehearsal("one_entry_each", "qualifying", 1, 2),
        {"contest.results.publishing:_noted": replacements.noted_a_visit_late},
    ),
    # Annulment and reports
    "forgive-the-network": Bug(
        "Leave files missed because of the network out of the share of missed files.",
        Rehearsal("replay_agrees", "disconnects", 5, 4),
        {"contest.results.rules.readiness:NOBODYS": replacements.nobodys_with_the_network},
    ),
    "keep-annulled-solutions": Bug(
        "Keep a solution with too many missed files on the board.",
        Rehearsal("replay_agrees", "slow", 2, 3),
        {"contest.results.rules.reports:solution": result(lambda solution: {**solution, "voided": False})},
    ),
    "misreport-times": Bug(
        "Report the maximum of times as their 95th percentile, the minimum as their median.",
        Rehearsal("reports_agree", teams=2, files=3),
        {"contest.results.rules.reports:statistics": around(replacements.extreme)},
    ),
    # Archive
    "archive-one-expert-twice": Bug(
        "Archive the first expert's annotation in the place of every other.",
        Rehearsal("archive_kept"),
        {f"{ARCHIVING}:_references": result(lambda markups: [markups[0]] * len(markups))},
    ),
    "archive-the-wrong-answers": Bug(
        "Archive a team's answers under each other's files.",
        Rehearsal("archive_kept", teams=1, files=2),
        {f"{ARCHIVING}:_answers": result(lambda archived: (replacements.rotated(archived[0]), archived[1]))},
    ),
    "archive-nothing": Bug(
        "Never make the archive of the published results.",
        Rehearsal("archive_kept"),
        {f"{ARCHIVING}:due": around(lambda *_: [])},
    ),
    # Qualification
    "ask-for-less": Bug(
        "Call a program ready that has missed two files of twenty.",
        Rehearsal("readiness_concluded", "qualifying", 1, 2),
        {
            "contest.results.rules.readiness:conclude": arguments(
                parameters=lambda rules: replace(rules, readiness_min_share=0.9)
            )
        },
    ),
    "forget-who-ruled": Bug(
        "Write no ruling on a conclusion to the log.",
        Rehearsal("admitted_by_steps", "qualifying", 1, 2),
        {"contest.results.qualifying:_write": arguments(change=lambda _: None)},
    ),
    # Annotations of experts
    "call-no-third-expert": Bug(
        "Find no two annotations different enough for adjudication.",
        Rehearsal("experts_apart", "qualifying", 1, 2),
        {
            "contest.experts.judged_essays:_decision": result(
                lambda decision: decision and replace(decision, reasons=())
            )
        },
    ),
    "change-what-is-handed-in": Bug(
        "Save drafts of an annotation that is handed in.",
        Rehearsal("experts_apart", "qualifying", 1, 2),
        {f"{ASSIGNMENT}:_refuse_not_open": around(replacements.refuse_not_open)},
    ),
    "show-anothers-assignment": Bug(
        "Show an assignment to every expert that requests it.",
        Rehearsal("experts_apart", "qualifying", 1, 2),
        {"contest.experts.work:stored": around(replacements.stored_for_anyone)},
    ),
    "count-the-first-draft": Bug(
        "Take the first valid draft of an assignment for its annotation.",
        Rehearsal("experts_counted", "qualifying", 1, 2),
        {f"{ASSIGNMENT}:saved": around(replacements.first_draft)},
    ),
    "count-one-expert-twice": Bug(
        "Take the first expert's annotation of each essay for the second one's, too.",
        Rehearsal("experts_counted", "qualifying", 1, 2),
        {
            "contest.experts.references:of_run": result(
                lambda markups: (
                    markups and {item: [of_item[0], of_item[0], *of_item[2:]] for item, of_item in markups.items()}
                )
            )
        },
    ),
}
