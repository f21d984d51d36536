"""Bugs that show in stages of the other contests: of items, of dialogues, and of submitted programs."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from local.rehearsal.harm import replacements
from local.rehearsal.harm.planting import Bug, Rehearsal, always, arguments, around, result
from local.rehearsal.proof.oracle import DIALOGUES, EXAM, GEC, PROGRAMS, SEMIFINAL

ANSWER_OF: Final = "contest.results.scoring:answer_of"
ARCHIVING: Final = "contest.results.archiving"
PRIVATE: Final = "contest.submissions.private"
RUNS: Final = "contest.submissions.programs"
COUNTED: Final = "contest.submissions.rules:counted"
WITHHELD: Final = "contest.results.rules.hidden_sets:withheld"


def _of_items(kind: str, check: str, faults: str = "slow", teams: int = 3, files: int = 6) -> Rehearsal:
    return Rehearsal(check, faults, teams, files, kind)


def _of_programs(check: str, faults: str = "none", teams: int = 2) -> Rehearsal:
    return Rehearsal(check, faults, teams, 5, PROGRAMS)


BUGS: Final[dict[str, Bug]] = {
    # Items and dialogues
    "exclude-the-missed": Bug(
        "Leave an item without an answer out of the results instead of counting it as wrong.",
        _of_items(EXAM, "replay_agrees", teams=2, files=3),
        {
            "contest.results.rules.reports:run_outcomes": result(
                lambda outcomes: tuple(outcome for outcome in outcomes if outcome.answered)
            )
        },
    ),
    "never-score-the-missed": Bug(
        "Never ask for the scores of missed items.",
        _of_items(EXAM, "scored_once"),
        {
            "contest.results.reporting:called_for": result(
                lambda jobs: tuple(job for job in jobs if job.content_sha256 != "missed")
            )
        },
    ),
    "tell-the-items": Bug(
        "Show a hidden set's whole aggregate on a board that may show totals alone.",
        _of_items(EXAM, "replay_agrees"),
        {"contest.results.rules.leaderboard:_result": around(replacements.aggregate)},
    ),
    "hand-out-v2-early": Bug(
        "Open the second version of an epicrisis together with the first.",
        _of_items(SEMIFINAL, "nothing_early"),
        {
            "contest.run.rules.schedule:Schedule.opens_at": arguments(
                number=lambda number: number - 1 if number % 2 == 0 else number
            )
        },
    ),
    "count-v3-alone": Bug(
        "Score only the first of the two answers to an epicrisis.",
        _of_items(SEMIFINAL, "scored_once"),
        {ANSWER_OF: result(lambda answer: answer[:1] if isinstance(answer, list) else answer)},
    ),
    "lose-a-response": Bug(
        "Tell the response to a turn once, and never again.",
        _of_items(DIALOGUES, "responses_kept"),
        {"contest.session.following:standing": result(replacements.without_responses)},
    ),
    "count-a-study-twice": Bug(
        "Charge a requested study twice.",
        _of_items(DIALOGUES, "scored_once"),
        {ANSWER_OF: result(replacements.study_twice)},
    ),
    "show-one-board-for-all": Bug(
        "Show the main board whichever is requested.",
        _of_items(GEC, "replay_agrees"),
        {"contest.results.boards:scope_of": around(lambda _, _platform, _key, part: part)},
    ),
    "archive-the-items": Bug(
        "Archive the items of a contest that does not publish them.",
        _of_items(EXAM, "archive_kept"),
        {f"{ARCHIVING}:_essays": around(replacements.archive_the_items)},
    ),
    "archive-no-answers": Bug(
        "Leave the programs' answers out of the archive.",
        _of_items(GEC, "archive_kept"),
        {f"{ARCHIVING}:_answers": around(lambda *_: ({}, {}))},
    ),
    "tell-totals-of-one-item": Bug(
        "Show totals of however few answers, and of however few that differ.",
        _of_items(EXAM, "references_hidden", "prying"),
        {WITHHELD: always()},
    ),
    "forget-what-was-told": Bug(
        "Ignore the totals that a team was shown earlier, and look only at the number of answers.",
        _of_items(GEC, "references_hidden", "prying"),
        {WITHHELD: arguments(earlier=lambda _: ())},
    ),
    "tell-the-key-in-errors": Bug(
        "Name the right answer in the refusal of a test's details.",
        _of_items(DIALOGUES, "references_hidden", "prying"),
        {"contest.results.one_file:_refuse_details": around(replacements.name_the_key)},
    ),
    "push-the-next-file-too": Bug(
        "Push the next file, which is not open, with each file of a run.",
        _of_items(GEC, "references_hidden", "prying"),
        {"contest.channel.pushing:_announced": around(replacements.push_the_next_too)},
    ),
    # Submitted programs
    "count-the-platforms-failure": Bug(
        "Count a run that a machine has lost for the day.",
        _of_programs("counted_by_day"),
        {
            COUNTED: arguments(
                submissions=lambda submissions: [replace(submission, cause=None) for submission in submissions]
            )
        },
    ),
    "forget-the-day": Bug(
        "Count a team's submissions of all days for each day.",
        _of_programs("counted_by_day"),
        {
            COUNTED: around(
                lambda count, submissions, day: count([replace(submission, day=day) for submission in submissions], day)
            )
        },
    ),
    "tell-what-differs": Bug(
        "Show totals of a program however few of its answers differ from an earlier one's.",
        _of_programs("references_hidden"),
        {WITHHELD: always()},
    ),
    "take-two-at-once": Bug(
        "Take a submission while another one of the team is being run.",
        _of_programs("one_at_a_time"),
        {"contest.submissions.store:DynamoSubmissions.lane": result(lambda lane: replace(lane, submission_id=""))},
    ),
    "promise-before-storing": Bug(
        "Store a submission without the receipt that was given for it.",
        _of_programs("handed_in_kept"),
        {"contest.submissions.store:DynamoSubmissions.change": around(replacements.store_without_the_receipt)},
    ),
    "score-anothers-run": Bug(
        "Score the outputs of the first run, whichever team's it is.",
        _of_programs("numbers_of_its_own"),
        {f"{RUNS}:answers": around(replacements.outputs_of_the_first)},
    ),
    "show-anothers-prints": Bug(
        "Show the logs of another run.",
        _of_programs("prints_of_its_own"),
        {f"{RUNS}:log_of": around(replacements.log_of_another)},
    ),
    "blame-the-program": Bug(
        "Count a lost run as the program's own failure.",
        _of_programs("ended_as_played"),
        {f"{RUNS}:look_at_run": result(replacements.blame_the_program)},
    ),
    "show-the-private-test-early": Bug(
        "Show the private test to everyone before it is published.",
        _of_programs("private_kept", "prying"),
        {f"{PRIVATE}:told": around(replacements.result_before_its_time)},
    ),
    "ignore-the-choice": Bug(
        "Run a team's best program over the private test, whatever it has chosen.",
        _of_programs("chosen_are_run"),
        {
            f"{PRIVATE}:chosen_of": arguments(
                submissions=lambda submissions: [replace(submission, named_at=None) for submission in submissions]
            )
        },
    ),
    "pay-unconfirmed": Bug(
        "Award the prizes of the sum to every team that has declared a model, confirmed or not.",
        _of_programs("prizes_by_the_rules", teams=3),
        {"tracks.fusion.aggregate:is_multitask": around(lambda _, declared: declared is not None)},
    ),
    "pay-nobody": Bug(
        "Award no prize of the sum, whatever the commission confirms.",
        _of_programs("prizes_by_the_rules", teams=3),
        {"tracks.fusion.aggregate:is_multitask": always(False)},
    ),
    "archive-what-is-printed": Bug(
        "Archive what the programs print over the private test.",
        _of_programs("archive_kept"),
        {f"{PRIVATE}:_archived_run": around(replacements.archive_prints)},
    ),
    "archive-before-the-publication": Bug(
        "Publish the archive of the private test as soon as the test begins.",
        _of_programs("archive_kept"),
        {f"{PRIVATE}:begin": around(replacements.archive_at_the_beginning)},
    ),
}
