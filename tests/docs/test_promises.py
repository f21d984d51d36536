"""The table of promises is complete for platform §3 and §4, names what exists, and stands in the page as written."""

from __future__ import annotations

import tomllib

import pytest

from local.rehearsal import found, smallest
from local.rehearsal.harm.bugs import BUGS
from local.rehearsal.proof.checker import CHECKS
from tools.promises.__main__ import PAGE, SOURCE, bugs_of, promises, written


def test_the_page_has_the_table_as_it_is() -> None:
    assert PAGE.read_text("utf-8") == written(), "python -m tools.promises"


def test_every_promise_is_watched() -> None:
    said = tomllib.loads(SOURCE.read_text("utf-8"))
    assert len(said["promise"]) == len(promises()), "no entry without a clause"
    assert [name for name, each in promises().items() if not each["checks"]] == []


def test_checks_and_bugs_are_those_there_are_and_find_each_other() -> None:
    checks = {name for name, _ in CHECKS}
    by = found.bugs()
    wrong = []
    for name, each in promises().items():
        bugs = bugs_of(each)
        if not set(each["checks"]) <= checks or not set(bugs) <= BUGS.keys():
            wrong.append(f"{name}: names what there is not")
        wrong += [
            f"{name}: {bug} is found by {by[bug].check}"
            for bug in bugs
            if bug in by and by[bug].check not in each["checks"]
        ]
    assert wrong == []


def test_every_promise_has_a_bug_that_turns_one_of_its_checks_red() -> None:
    assert [name for name, each in promises().items() if not bugs_of(each)] == []


def test_every_check_watches_over_a_promise() -> None:
    watching = {check for each in promises().values() for check in each["checks"]}
    beside = {"no_faults_no_voids", "channel_kept", "channel_alive", "archive_kept", "experts_apart", "experts_counted"}
    assert watching | beside == {name for name, _ in CHECKS}


def test_the_size_of_each_bug_is_one_that_was_tried() -> None:
    assert {each.at for each in found.bugs().values()} <= set(smallest.TRIED)


def test_a_size_is_written_to_its_bug_alone() -> None:
    text = 'one = { check = "a", at = [5, 4] }\none-more = { check = "a", at = [5, 4] }\n'
    assert smallest.written(text, "one", (1, 2)) == text.replace("5, 4", "1, 2", 1)


def test_the_smallest_size_has_the_check_red_with_the_bug_and_green_without(monkeypatch: pytest.MonkeyPatch) -> None:
    """At one file the check is red whatever is planted; at two nothing shows it; three of five are as they should. Only
    in rehearsals with clients of the event channel is that looked at."""
    late, tried = "late_not_accepted", set[tuple[int, int]]()

    def small(faults: str, share: float, at: tuple[int, int], bug: str | None = None) -> dict[str, list[str]]:
        assert (faults, share) == ("slow", 0.9)
        tried.add(at)
        if bug == "breaks-off" and at < (5, 4):
            raise RuntimeError
        return {late: ["x"]} if at == (1, 1) or (bug and at >= (2, 3)) else {"other": ["y"]}

    monkeypatch.setattr(found, "small", small)
    monkeypatch.setattr(found, "red", lambda outcome: outcome)
    assert smallest.smallest("bug", found.Found("slow", 0.9, late, (5, 4))) == (2, 3)
    assert smallest.smallest("breaks-off", found.Found("slow", 0.9, late, (5, 4))) == (5, 4)
    assert smallest.smallest("bug", found.Found("slow", 0.9, "scored_once", (5, 4))) is None
    tried.clear()
    assert smallest.smallest("bug", found.Found("slow", 0.9, "channel_kept", (5, 4))) is None
    assert tried == {(5, 4), (5, 8)}
