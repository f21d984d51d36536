"""The one family of refusals: every refusal to a person is a member and has both languages."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from types import ModuleType

import click
import pytest

import contest
from contest.commands.shell import refusals
from contest.errors import BusyError, NoCycleError, NotOpenYetError, UnknownRouteError
from contest.refusals import ContestError, RefusedError
from markup_core.texts import Text

CYRILLIC = re.compile("[а-яё]", re.IGNORECASE)


def members(of: type[ContestError] = ContestError) -> Iterator[type[ContestError]]:
    for each in of.__subclasses__():
        yield each
        yield from members(each)


ROOMS = (
    *("channel", "cycle", "exchange", "experts", "messages", "operations"),
    *("people", "results", "run", "session", "submissions"),
)
PASSED = ("commands", "presenting", "wire", "store", "ports", "frames", "accounts")
"""Modules of a room that are left out: they stand at the edge, or answer no caller of the interface."""


def modules(room: str) -> Iterator[ModuleType]:
    for each in pkgutil.walk_packages([f"{contest.__path__[0]}/{room}"], f"contest.{room}."):
        if each.name.split(".")[2] not in PASSED:
            yield importlib.import_module(each.name)


def said(refusal: ContestError) -> str:
    """Return the command's message about a refusal."""
    with pytest.raises(click.ClickException) as caught, refusals():
        raise refusal
    return caught.value.message


SIGNALS = {
    "contest.cycle.from_corpus.CorpusError",
    "contest.cycle.importing.WaitsError",
    "contest.cycle.set_files._TwiceError",
    "contest.messages.rules.NotTakenError",
    "contest.submissions.uploading.StoreFailedError",
}
"""Exceptions that report a fault of a file or of the store to the code that catches them, never to a caller."""


@pytest.mark.parametrize("room", ROOMS)
def test_rules_and_use_cases_refuse_by_the_one_family(room: str) -> None:
    own = {
        f"{module.__name__}.{name}"
        for module in modules(room)
        for name, each in inspect.getmembers(module, inspect.isclass)
        if each.__module__ == module.__name__ and issubclass(each, Exception) and not issubclass(each, ContestError)
    }
    assert own <= SIGNALS


def test_every_named_refusal_has_a_code_of_its_own_a_status_and_both_languages() -> None:
    for room in ROOMS:
        list(modules(room))
    named = [each for each in members() if each is not RefusedError]
    assert {BusyError, NoCycleError} < set(named)
    assert len({each.code for each in named}) == len(named)
    for each in named:
        assert 400 <= each.status < 600
        assert each.message.en.endswith(".")
        assert CYRILLIC.search(each.message.ru)
        assert not CYRILLIC.search(each.message.en)


def test_a_refusal_keeps_its_figures_for_programs_and_its_sentence_for_commands() -> None:
    refused = RefusedError("run_over", Text("the run is over", "прогон завершён"))
    assert (refused.code, refused.details, str(refused)) == ("run_over", (), "run_over: the run is over")
    counted = RefusedError("not_enough_files", Text("9 files are left", "осталось файлов: 9"), available=9)
    detail = {"code": "not_enough_files", "message": "9 files are left", "message_ru": "осталось файлов: 9"}
    assert counted.details == ({**detail, "available": 9},)
    assert said(UnknownRouteError()) == UnknownRouteError.message.en
    assert said(RefusedError("run_over", Text("the run is over", "прогон завершён"))) == "the run is over"
    assert said(RefusedError("few", Text("9 files are left", "осталось: 9"), available=9)) == "9 files are left"
    assert said(NotOpenYetError.at(0, 0)) == f"{NotOpenYetError.message.en} opens at 1970-01-01T00:00:00.000Z"
