"""Large texts are compared by columns as they are unit by unit (tracks.md §3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markup_core.command.complaints import RefusedError
from markup_core.formats import m2, m2_columns
from markup_core.formats.m2 import Edit, Unit, render
from tests.tracks.gec.test_comparison import DATA, REAL, request
from tests.tracks.gec.test_properties import couples, rules
from tests.tracks.gec.texts import HYPOTHESIS, REFERENCE
from tracks.gec import columns, comparison
from tracks.gec.comparison import Comparison, Mode, Rules, Tally, side_by_side, without
from tracks.gec.counts import Detection

RULES = [Rules(mode, beta, kind) for mode, beta, kind in product(Mode, (0.5, 2.0), Detection)]
ALTERNATIVES = "S a b\nA 0 1|||R:X|||y||x|||REQUIRED|||-NONE-|||{}\n"
ONE = "A 1 2|||R:X|||y|||REQUIRED|||-NONE-|||0\n"
APART = f"S a b\n{ONE}A 0 1|||R:X|||z|||REQUIRED|||-NONE-|||1\n{ONE.replace('1 2', '0 1')}"


@pytest.fixture(autouse=True, scope="module")
def small_portions() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(m2_columns, "_PORTION", 80)
        yield


def unit_by_unit(
    reference: str, hypothesis: str, left_out: Sequence[str] = (), kinds: Sequence[Rules] = RULES
) -> list[Comparison]:
    tallies = [Tally(rules) for rules in kinds]
    for gold, system in side_by_side(m2.units(reference), m2.units(hypothesis)):
        for tally in tallies:
            tally.add(without(gold, left_out), without(system, left_out))
    return [tally.comparison() for tally in tallies]


def by_columns(
    reference: str, hypothesis: str, left_out: Sequence[str] = (), kinds: Sequence[Rules] = RULES
) -> list[Comparison]:
    tallies = [Tally(rules) for rules in kinds]
    assert columns.add(reference, hypothesis, tallies, left_out)
    return [tally.comparison() for tally in tallies]


@pytest.mark.property
@given(couples.filter(bool), st.lists(st.sampled_from(["R:X", "U:Y:Z", "UNK", "other"]), max_size=2), rules)
def test_any_texts_are_compared_as_unit_by_unit(
    pairs: list[tuple[Unit, Unit]], left_out: list[str], kind: Rules
) -> None:
    reference, hypothesis = (render(side) for side in zip(*pairs, strict=True))
    arguments = (reference, hypothesis, left_out, [kind])
    assert by_columns(*arguments) == unit_by_unit(*arguments)


def texts_of(reference: Sequence[Edit], hypothesis: Sequence[Edit]) -> tuple[str, str]:
    """Write two units, of which the first is edited."""
    source = "a b c d e f g h"
    texts = [render([Unit(source, {0: tuple(edits)}), Unit(source, {})]) for edits in (reference, hypothesis)]
    return texts[0], texts[1]


def edits(*texts: str) -> list[Edit]:
    return [Edit(0, 2, "R:X", text) for text in texts]


@pytest.mark.parametrize(
    ("reference", "hypothesis"),
    [
        texts_of(edits("long " * 9 + "same"), edits("long " * 9 + "Same")),
        texts_of(edits("eight ch", "eight cha"), edits("eight ch", "eight chb")),
        texts_of(edits("ёлка", "й"), edits("й", "елка")),
        texts_of(edits("x", "x", "y"), edits("y", "x", "z", "x")),
        texts_of(edits(*["x"] * 40), edits(*["x"] * 40)),  # too many pairs at one place
        (REFERENCE, HYPOTHESIS),
        (HYPOTHESIS, REFERENCE),
        (ALTERNATIVES.format(0), ALTERNATIVES.format(1)),
        (f"{REFERENCE}\n{ALTERNATIVES.format(0)}", f"{HYPOTHESIS}\n{ALTERNATIVES.format(1).replace('x', 'z')}"),
        ("\ufeff" + REFERENCE.replace("\n", "\r\n"), HYPOTHESIS),
        ("S у\u0438\u0306\n\nS a\n", "S уй\n\nS a\n"),
        (APART, f"S a b\n{ONE}"),
    ],
    ids=range(12),
)
def test_what_columns_do_not_serve_is_counted_unit_by_unit_among_them(reference: str, hypothesis: str) -> None:
    assert by_columns(reference, hypothesis) == unit_by_unit(reference, hypothesis)


@pytest.mark.skipif(not DATA.is_dir(), reason="HURDLE_GEC_DATA names no folder of real M2 files")
def test_real_files_are_compared_by_columns_as_unit_by_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(m2_columns, "_PORTION", 1 << 15)
    names = [DATA / name for name in REAL]
    hypothesis = "\n".join(name.read_text("utf-8") for name in names)
    reference = "\n".join(name.with_name("ref.m2").read_text("utf-8") for name in names)
    kinds = [Rules(Mode.ERRANT), Rules(detection=Detection.TOKEN)]
    expected = unit_by_unit(reference, hypothesis, ["R:OTHER"], kinds)
    monkeypatch.setattr(Tally, "add", None)
    assert by_columns(reference, hypothesis, ["R:OTHER"], kinds) == expected


@pytest.mark.parametrize(
    ("reference", "hypothesis"),
    [
        ("", HYPOTHESIS),
        (REFERENCE, f"{HYPOTHESIS}\nS more\n"),
        (f"{REFERENCE}\nS more\n", HYPOTHESIS),
        (REFERENCE, f"{HYPOTHESIS}\nwrong\n"),
        (f"{REFERENCE}\nwrong\n", f"{HYPOTHESIS}\nwrong\n"),
        (REFERENCE, HYPOTHESIS.replace("S ", "S x ", 1)),
        ("S a b\n \n" * 9, "S a b\n \n" * 8),
    ],
    ids=range(7),
)
def test_texts_that_cannot_be_compared_are_refused_as_small_ones_are(
    reference: str, hypothesis: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusals = []
    for large in (len(reference) + len(hypothesis) + 1, 0):
        monkeypatch.setattr(comparison, "_LARGE", large)
        with pytest.raises(RefusedError) as caught:
            request(reference_m2=reference, hypothesis_m2=hypothesis)
        refusals.append((caught.value.code, str(caught.value), caught.value.details))
    assert refusals[0] == refusals[1]


def test_large_texts_are_compared_by_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    fields = {"reference_m2": REFERENCE, "hypothesis_m2": HYPOTHESIS, "by": "full", "mode": "errant"}
    small = request(**fields)
    monkeypatch.setattr(comparison, "_LARGE", 0)
    monkeypatch.setattr(Tally, "add", None)
    assert request(**fields) == small
