"""The checker is itself checked: each bug planted in the platform turns a small rehearsal red, for the right reason.

Which faults are injected is what brings the bug out; without the bug the same rehearsals are green. ``make test`` plays
one bug, ``make long`` another one, ``make bugs`` all.
"""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from rehearsal.ending import Settings
from rehearsal.harm.bugs import BUGS, Bug, Rehearsal, always, arguments, around, result, twice, value
from rehearsal.history import STRANGERS, History
from rehearsal.play.wire import faults_named
from rehearsal.proof.checker import PROOFS
from rehearsal.proof.oracle import ESSAY
from rehearsal.stages import rehearse
from tests.rehearsal.playing import EVERY, play, red

IN_THE_GATE = ("exclude-the-missed",)
IN_MAKE_LONG = pytest.param("archive-nothing", marks=pytest.mark.long)
PLAYED = sorted(BUGS) if EVERY else [*IN_THE_GATE, IN_MAKE_LONG]
ANSWERED_TO_STRANGERS = {
    "nowhere": (404, 429),
    "without_token": (401,),
    "malformed": (403,),
    "unknown": (403,),
    "connect": (400,),
    "connect_malformed": (400,),
    "connect_unknown": (101,),
}


@pytest.mark.slow
@pytest.mark.integration
@pytest.mark.clause("TS T18")
@pytest.mark.parametrize("name", PLAYED)
def test_t18_a_planted_bug_turns_the_checker_red(name: str) -> None:
    by = BUGS[name].detected_by
    failed = red(play(by, name))
    assert by.check in failed, failed


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.integration
@pytest.mark.parametrize("seed", [1, 2, 3] if EVERY else [1])
def test_without_a_bug_the_checker_is_green_whatever_is_injected(seed: int) -> None:
    outcome = rehearse(Settings(5, 4, seed, faults_named("all"), share=0.7, workers=2), History(), lambda _: None)
    assert red(outcome) == {}
    assert {"record_lost", "job_lost", "step_lost", "crowd"} <= {
        injection["what"] for injection in outcome.story.injected
    }
    heard = {(call.what, call.status) for call in outcome.story.calls if call.team == STRANGERS}
    assert {what for what, _ in heard} == ANSWERED_TO_STRANGERS.keys()
    assert heard <= {(what, status) for what, statuses in ANSWERED_TO_STRANGERS.items() for status in statuses}
    assert any(call.status is None or call.status >= 400 for call in outcome.story.calls)


def test_every_check_has_a_bug_that_turns_it_red() -> None:
    checks = PROOFS[ESSAY].checks.keys()
    assert checks <= {bug.detected_by.check for bug in BUGS.values()}
    for name, bug in BUGS.items():
        assert bug.detected_by.check in PROOFS[bug.detected_by.kind].checks, name


@pytest.mark.parametrize("name", BUGS)
def test_every_target_exists_and_takes_what_is_changed(name: str) -> None:
    for target in BUGS[name].changes:
        owner, attribute, changed = BUGS[name].changed(target)
        assert getattr(owner, attribute) is not changed


class Rules:
    """Part of a platform that tests below break."""

    MOST = 3

    def late(self, at: int, *, due: int = 5) -> bool:
        return at > due

    @property
    def until(self) -> int:
        return 7

    @classmethod
    def named(cls, name: str) -> str:
        return f"{cls.__name__} {name}"

    @staticmethod
    def rounded(value: float) -> int:
        return round(value)


def broken(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> Any:
    """Return rules in which a bug is planted."""
    owner = type("Copy", (Rules,), {})
    monkeypatch.setattr("rehearsal.harm.bugs.import_module", {"rules": SimpleNamespace(Rules=owner)}.get)
    Bug("", Rehearsal("x"), {f"rules:Rules.{name}": change for name, change in changes.items()}).plant()
    return owner()


def test_what_is_planted_is_called_as_what_was_there(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = broken(
        monkeypatch,
        MOST=value(9),
        late=arguments(at=lambda at: at - 1),
        until=result(lambda until: until + 1),
        named=around(lambda named, cls, name: named(cls, name * 2)),
        rounded=always(0),
    )
    assert (rules.MOST, rules.until, rules.named("x"), rules.rounded(2.6)) == (9, 8, "Copy xx", 0)
    assert [rules.late(6), rules.late(7), rules.late(at=6, due=4)] == [False, True, True]


def test_what_is_done_twice_is_done_with_the_same_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    monkeypatch.setattr(Rules, "late", lambda _, at: calls.append(at))
    broken(monkeypatch, late=twice).late(4)
    assert calls == [4, 4]


def test_a_function_is_changed_where_it_was_imported_by_its_name_and_one_that_is_imported_there_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rules, service = ModuleType("rules"), ModuleType("service")

    def late(at: int) -> bool:
        return at > 5

    late.__module__ = "rules"
    vars(rules)["late"] = vars(service)["is_late"] = late
    for module in (rules, service):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    Bug("", Rehearsal("x"), {"service:is_late": always("no")}).plant()
    assert (vars(rules)["late"](6), vars(service)["is_late"](6)) == (True, "no")
    vars(service)["is_late"] = late
    Bug("", Rehearsal("x"), {"rules:late": always("no")}).plant()
    assert (vars(rules)["late"](6), vars(service)["is_late"](6)) == ("no", "no")


@pytest.mark.parametrize(
    ("name", "change", "refusal"),
    [("renamed", value(1), AttributeError), ("late", arguments(arrival=lambda at: at), TypeError)],
)
def test_a_bug_that_changes_nothing_is_refused(
    monkeypatch: pytest.MonkeyPatch, name: str, change: Any, refusal: type[Exception]
) -> None:
    with pytest.raises(refusal, match=name):
        broken(monkeypatch, **{name: change})
