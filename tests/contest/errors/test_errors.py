"""Refusals: every one has its own code, two languages and a status."""

from __future__ import annotations

import re

from contest.cycle.loading import CycleFaultsError
from contest.edge import documentation
from contest.errors import (
    AnswerTooLargeError,
    BusyError,
    NoCycleError,
    NoRunError,
    NotOpenYetError,
    QuotaExhaustedError,
    RunNotOverError,
    UnknownFileError,
    family,
    from_reasons,
)
from contest.refusals import ContestError, RefusedError
from tracks.protocol import Reason, Text


def test_every_refusal_has_a_code_of_its_own_two_sentences_and_a_status() -> None:
    kinds = family()
    ours = {each for each in ContestError.__subclasses__() if each.__module__.startswith("contest.")}
    assert len(kinds) > 60
    assert set(kinds) == ours - {RefusedError, CycleFaultsError}, "the command alone says these two"
    assert len({each.code for each in kinds}) == len(kinds)
    for each in kinds:
        assert re.fullmatch(r"[a-z_]+", each.code)
        assert re.search("[А-Яа-я]", each.message.ru)
        assert not re.search("[А-Яа-я]", each.message.en)
        assert 400 <= each.status < 600


def test_no_russian_sentence_has_a_code_of_the_platform() -> None:
    coded = {"state", "status", "standing", "cause", "right", "kind", "step", "mode"}
    details = [(code, each) for code, body in documentation.examples().items() for each in body["error"]["details"]]
    named = {(code, name) for code, each in details for name in coded & each.keys() if each[name] in each["message"]}
    assert len(named) > 8, "the English sentences name the codes"
    raw = {(code, name) for code, each in details for name in coded & each.keys() if each[name] in each["message_ru"]}
    assert raw == {("forbidden", "right"), ("wrong_step", "kind"), ("wrong_step", "step")}, "named in the interface"


def test_a_refusal_says_its_code_sentence_and_figures_once_and_a_tracks_reasons_with_their_places() -> None:
    bare, told = (
        RefusedError("full", Text("it is full", "полно")),
        RefusedError("full", Text("it is full", "полно"), size=3),
    )
    assert (str(bare), bare.details, bare.retry_after_s) == ("full: it is full", (), None)
    assert told.details == ({"code": "full", "message": "it is full", "message_ru": "полно", "size": 3},)
    reason = Reason("wrong_text", Text(en="differs", ru="отличается"), {"position": 17})
    assert from_reasons([reason]) == [
        {"code": "wrong_text", "message": "differs", "message_ru": "отличается", "position": 17}
    ]


def test_seconds_to_come_again_limits_and_numbers_are_told() -> None:
    assert BusyError().retry_after_s == 1
    assert NoCycleError().retry_after_s == 60
    assert NotOpenYetError.at(61_001, 1_000).retry_after_s == 61
    assert QuotaExhaustedError.until(5_000, 1_000, 20).retry_after_s == 4
    assert RunNotOverError.until(5_001, 1_000).retry_after_s == 5
    (detail,) = AnswerTooLargeError.over(11, 10).details
    assert (detail["size"], detail["limit"]) == (11, 10)
    (detail,) = UnknownFileError.numbered(3, 2).details
    assert (detail["number"], detail["files"]) == (3, 2)
    assert NoRunError.until(None).details == ()
