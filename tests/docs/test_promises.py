"""The table of promises is complete for platform §3 and §4, names what exists, and stands in the page as written."""

from __future__ import annotations

import tomllib

from rehearsal.harm.bugs import BUGS
from rehearsal.proof.checker import PROOFS
from rehearsal.proof.oracle import ESSAY
from tools.promises.__main__ import PAGE, SOURCE, bugs_of, promises, written

OF_ALL = {"doors_kept", "people_kept", "day_kept", "news_kept", "boards_as_decided", "told_as_played"}
"""Checks of all that anybody reads and of all acts on people: more bugs turn them red than there are promises."""


def test_the_table_of_promises_is_on_its_page_and_complete_for_checks_and_bugs() -> None:
    assert PAGE.read_text("utf-8") == written(), "python -m tools.promises"
    said = tomllib.loads(SOURCE.read_text("utf-8"))
    assert len(said["promise"]) == len(promises()), "no entry without a clause"
    assert [name for name, each in promises().items() if not each["checks"]] == []
    assert [name for name, each in promises().items() if not bugs_of(each)] == []
    watching = {check for each in promises().values() for check in each["checks"]}
    beside = {"channel_kept", "channel_alive", "archive_kept", "experts_apart", "experts_counted"}
    assert watching | beside | OF_ALL == set(PROOFS[ESSAY].checks)


def test_checks_and_bugs_are_those_there_are_and_find_each_other() -> None:
    checks = set(PROOFS[ESSAY].checks)
    wrong = []
    for name, each in promises().items():
        bugs = bugs_of(each)
        if not set(each["checks"]) <= checks or not set(bugs) <= BUGS.keys():
            wrong.append(f"{name}: names what there is not")
        wrong += [
            f"{name}: {bug} is detected by {BUGS[bug].detected_by.check}"
            for bug in bugs
            if bug in BUGS and BUGS[bug].detected_by.check not in each["checks"]
        ]
    assert wrong == []


def test_every_bug_breaks_a_promise_or_alone_shows_what_its_check_can_detect() -> None:
    behind = {bug for each in promises().values() for bug in bugs_of(each)}
    detected = {BUGS[bug].detected_by.check for bug in behind} - OF_ALL
    finals = {name: bug.detected_by for name, bug in BUGS.items() if bug.detected_by.kind == ESSAY}
    assert [name for name, by in finals.items() if name not in behind and by.check in detected] == []
