"""Simulated essays, people and programs are what they are said to be: valid, reproducible, of known noise."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from click.testing import CliRunner
from rich.console import Console

from local import simulation
from local.simulation import (
    PROGRAMS,
    Cast,
    Essay,
    Interval,
    Marker,
    Source,
    accuracies,
    covered,
    explained,
    rules_of,
    truth,
)
from markup_core.texts import speaking
from tracks import registry

TRACK: Any = registry.get("essay")
RULES = rules_of(1.0)
ESSAYS = Source(7).essays(60, "essay")


def places(fragments: list[Any]) -> set[tuple[int, int, str]]:
    return {(each["startSelection"], each["endSelection"], each["type"]) for each in fragments}


def overlooked(marker: Marker) -> float:
    """Return the share of the true fragments without an equal fragment of the marker."""
    true = [(essay.text, place) for essay in ESSAYS for place in places(list(essay.truth))]
    seen = {(essay.text, place) for essay in ESSAYS for place in places(marker.fragments(essay))}
    return sum(each not in seen for each in true) / len(true)


def test_no_two_essays_have_one_text_and_a_seed_draws_the_same_again() -> None:
    assert len({each.text for each in (*ESSAYS, *Source(8).essays(60, "essay"))}) == 120
    assert Source(7).essays(60, "essay") == ESSAYS
    assert {each.subject for each in ESSAYS} == {"rus", "rus-free", "lit", "social", "hist", "eng", "eng-free"}


@pytest.mark.parametrize("noise", [0.0, 0.25, 0.5, 0.9, 1.0])
def test_every_markup_is_valid_whatever_the_noise(noise: float) -> None:
    for essay in ESSAYS:
        for fragments in (Marker("a", noise).fragments(essay), explained(Marker("a", noise).fragments(essay))):
            body = json.dumps({**essay.item, "selections": fragments}).encode()
            assert TRACK.validate(essay.item, essay.item["meta"]["id"], "essay", body, RULES).reasons == ()


def test_without_noise_the_truth_is_marked_with_all_of_it_nothing() -> None:
    for essay in ESSAYS:
        assert places(Marker("a", 0.0).fragments(essay)) == places(list(essay.truth))
        assert Marker("a", 1.0).fragments(essay) == []


def test_more_noise_overlooks_more() -> None:
    shares = [overlooked(Marker("a", noise)) for noise in (0.0, 0.1, 0.25, 0.45, 1.0)]
    assert shares == sorted(shares)
    # Overlooked, or seen with another code (few draw the same again), or with other ends where it is long enough.
    assert 0.4 < shares[2] < 1 - 0.75**3


def test_markers_of_different_names_are_independent_and_each_is_reproducible() -> None:
    first, second = Marker("a", 0.25), Marker("b", 0.25)
    missed = [
        [
            not any(
                m["group"] == t["group"]
                and m["startSelection"] < t["endSelection"]
                and t["startSelection"] < m["endSelection"]
                for m in marker.fragments(essay)
            )
            for essay in ESSAYS
            for t in essay.truth
        ]
        for marker in (first, second)
    ]
    both = sum(a and b for a, b in zip(*missed, strict=True)) / len(missed[0])
    each = [sum(those) / len(those) for those in missed]
    assert both == pytest.approx(each[0] * each[1], abs=0.05)
    assert first.fragments(ESSAYS[0]) == Marker("a", 0.25).fragments(ESSAYS[0])
    assert first.fragments(ESSAYS[0]) != second.fragments(ESSAYS[0])


def test_a_program_of_the_experts_noise_is_as_accurate_as_they_are_and_the_others_are_not() -> None:
    """Over three hundred essays: none of these comparisons is close."""
    essays = Source(3).essays(300, "essay")
    records = [Cast(3).records(each, RULES) for each in essays]
    found = {name: accuracies(essays, [each[name] for each in records], RULES, 3) for name in PROGRAMS}
    low, high = found["equal"]["interval_95"]["relative_accuracy"]
    assert low < 100 < high
    values = {name: each["relative_accuracy"] for name, each in found.items()}
    assert values["empty"] < values["worse"] < low < high < values["better"]


@pytest.mark.long
def test_at_hardness_zero_every_number_is_higher() -> None:
    lax = rules_of(0.0)
    for name in PROGRAMS:
        strict, other = (
            accuracies(ESSAYS, [Cast(1).records(each, rules)[name] for each in ESSAYS], rules, 1)["relative_accuracy"]
            for rules in (RULES, lax)
        )
        assert other > strict


def played(least: float, greatest: float) -> Mapping[str, Interval]:
    return dict.fromkeys(PROGRAMS, Interval(0.0, least, greatest))


def test_intervals_that_cover_the_truth_are_counted_with_their_ends() -> None:
    finals = [played(*ends) for ends in ((99, 101), (100, 102), (98, 100), (100.1, 102), (98, 99.9))]
    assert covered(finals, dict.fromkeys(PROGRAMS, 100.0)) == dict.fromkeys(PROGRAMS, 3)


def test_portions_make_the_truth_of_all_their_essays() -> None:
    one, other, whole = (simulation.portion(numbers, 1.0) for numbers in (range(4), range(4, 9), range(9)))
    assert truth([one, other]) == pytest.approx(truth([whole]))
    records = [Cast(simulation._TRUTH).records(_true_essay(number), RULES) for number in range(9)]
    told = accuracies([_true_essay(number) for number in range(9)], [each["worse"] for each in records], RULES, 1)
    assert truth([whole])["worse"] == pytest.approx(told["relative_accuracy"])


def _true_essay(number: int) -> Essay:
    return Source(simulation._TRUTH).essay(number, "essay")


@pytest.mark.long
@pytest.mark.parametrize(
    ("change", "code"), [(lambda each: each, 0), (lambda each: Interval(each.value, *[each.value] * 2), 1)]
)
def test_intervals_that_are_too_narrow_turn_the_command_red(
    change: Callable[[Interval], Interval], code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulation, "ProcessPoolExecutor", _InThisProcess)
    made = simulation.final
    monkeypatch.setattr(simulation, "final", lambda *order: {name: change(each) for name, each in made(*order).items()})
    words = ["--seeds", "4", "--essays", "60", "--true", "500", "--lang", "en"]
    ended = CliRunner().invoke(simulation.intervals, words)
    assert ended.exit_code == code, ended.output
    assert f"{0 if code else 4} of 4" in ended.output


def test_the_table_is_russian_to_the_last_word() -> None:
    finals = [played(99.5, 101)] * 3
    with speaking("ru"):
        console = Console(file=io.StringIO(), width=120)
        console.print(
            simulation._table(finals, dict.fromkeys(PROGRAMS, 100.0), covered(finals, dict.fromkeys(PROGRAMS, 100.0)))
        )
    assert isinstance(console.file, io.StringIO)
    shown = console.file.getvalue()
    assert not re.search(r"[A-Za-z]", shown)
    assert re.search(r"лучшая +│ 0,10 +│ 100,00 +│ 0,00 +│ 0,00 +│ 3 из 3", shown)


class _InThisProcess:
    """A pool whose work a patch reaches."""

    def __init__(self, workers: int | None) -> None:
        pass

    def __enter__(self) -> _InThisProcess:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def map(self, work: Callable[..., Any], *arguments: Any) -> Any:
        return map(work, *arguments)
