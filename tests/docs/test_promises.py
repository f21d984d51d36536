"""The table of promises is complete for platform §3 and §4, names what exists, and stands in both pages as written."""

from __future__ import annotations

import tomllib

import pytest

from local.rehearsal.harm.bugs import BUGS
from local.rehearsal.proof.checker import CHECKS
from tests.local.rehearsal.test_bugs import FOUND_BY
from tools.promises.__main__ import PAGES, SOURCE, bugs_of, promises, written


@pytest.mark.parametrize("language", PAGES)
def test_the_page_has_the_table_as_it_is(language: str) -> None:
    assert PAGES[language].read_text("utf-8") == written(language), "python -m tools.promises"


def test_every_promise_is_watched() -> None:
    said = tomllib.loads(SOURCE.read_text("utf-8"))
    assert len(said["promise"]) == len(promises()), "no entry without a clause"
    assert [name for name, each in promises().items() if not each["checks"]] == []


def test_checks_and_bugs_are_those_there_are_and_find_each_other() -> None:
    checks = {name for name, _ in CHECKS}
    wrong = []
    for name, each in promises().items():
        bugs = bugs_of(each)
        if not set(each["checks"]) <= checks or not set(bugs) <= BUGS.keys():
            wrong.append(f"{name}: names what there is not")
        wrong += [
            f"{name}: {bug} is found by {FOUND_BY[bug][2]}"
            for bug in bugs
            if bug in FOUND_BY and FOUND_BY[bug][2] not in each["checks"]
        ]
    assert wrong == []


def test_every_promise_has_a_bug_that_turns_one_of_its_checks_red() -> None:
    assert [name for name, each in promises().items() if not bugs_of(each)] == []


def test_every_check_watches_over_a_promise() -> None:
    watching = {check for each in promises().values() for check in each["checks"]}
    beside = {"no_faults_no_voids", "channel_kept", "channel_alive", "archive_kept", "experts_apart", "experts_counted"}
    assert watching | beside == {name for name, _ in CHECKS}
