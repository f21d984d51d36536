"""M2 in columns is what is read unit by unit, of every text."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markup_core.formats.m2 import M2Error, Unit, render, units
from tests.tracks.gec.test_properties import units as some_units
from tracks.gec.columns import Columns, OtherFormError, columns, portions

NOTE = "|||REQUIRED|||-NONE-|||"
USUAL = [
    "",
    "S a b c",
    "S Ёлка у нас",
    f"A 0 1|||R:X|||z{NOTE}0",
    f"A 0 1|||R:X|||z{NOTE}1",
    f"A 1 2|||R:VERB:TENSE|||{'long ' * 9}end{NOTE}12",
    f"A 1 1|||U:Y|||{NOTE}0",
    f"A 2 3|||M:Э|||ёж й{NOTE}0",
    f"A 0 2|||R:X|||-NONE-{NOTE}0",
    f"A 00 1|||R:X|||z{NOTE}00",
    f"A -1 -1|||noop|||-NONE-{NOTE}0",
]
"""Lines in the form that columns are read from."""
OTHER = [
    " ",
    "no line",
    "S",
    "S ",
    "S a  b",
    "S a b ",
    "S a\u00a0b",
    "S a\tb",
    "S у\u0438\u0306",
    "S a ||| b",
    f"A 0 2|||R:X|||on||upon{NOTE}0",
    f"A 0 2|||R:X|||on|upon{NOTE}0",
    f"A 2 3|||R:X|||\u0438\u0306{NOTE}0",
    f"A -1 -1|||R:X|||-NONE-{NOTE}0",
    f"A 0 1|||noop|||-NONE-{NOTE}0",
    f"A 0 1||||||z{NOTE}0",
    f"A 0 1|||{'L' * 40}|||z{NOTE}0",
    f"A 2 1|||R:X|||z{NOTE}0",
    f"A 0 9|||R:X|||z{NOTE}0",
    f"A  0 1|||R:X|||z{NOTE}0",
    f"A 0 1|||R:X|||z{NOTE}1234567",
    f"A 0 1|||R:X|||z{NOTE}x",
    f"A 0 1|||R:X|||z{NOTE}",
    f"A 0 1|||R:X{NOTE}0",
    "A 0 1|||R:X|||z|||REQUIRED|||by hand|||0",
    "A 0 1|||R:X|||z|||0",
]
"""Lines that are left to the reader of units, right ones and wrong ones."""
Annotated = tuple[str, dict[int, list[tuple[int, int, str, str]]]]


def unit_by_unit(text: str) -> list[Annotated] | None:
    """Return the sentences with the edits of each annotator; None where there is a fault."""
    try:
        return [
            (source, {n: [edit[:4] for edit in edits] for n, edits in annotators.items()})
            for source, annotators, _ in units(text)
        ]
    except M2Error:
        return None


def of_columns(rows: Columns) -> list[Annotated]:
    sentences: list[Annotated] = [(source.decode(), {}) for source in rows.sources]
    texts = (
        [rows.content.raw[at : at + size].decode() for at, size in zip(*column, strict=True)]
        for column in (rows.label, rows.correction)
    )
    numbers = (column.tolist() for column in (rows.unit, rows.annotator, rows.start, rows.end))
    for unit, annotator, start, end, label, correction in zip(*numbers, *texts, strict=True):
        listed = sentences[unit][1].setdefault(annotator, [])
        if label != "noop":
            listed.append((start, end, label, correction))
    return sentences


def by_columns(text: str) -> list[Annotated] | None:
    """Return the same, of portions that are in the form as columns."""
    sentences: list[Annotated] = []
    for portion in portions(text):
        rows = columns(portion)
        part = unit_by_unit(portion) if rows is None else of_columns(rows)
        if part is None:
            return None
        sentences += part
    return sentences


@pytest.fixture(autouse=True, scope="module")
def small_portions() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("tracks.gec.columns._PORTION", 30)
        yield


@pytest.mark.property
@given(st.one_of(*(st.lists(st.sampled_from(lines), max_size=9).map("\n".join) for lines in (USUAL, USUAL + OTHER))))
def test_a_text_of_any_lines_is_read_as_unit_by_unit(text: str) -> None:
    assert by_columns(text) == unit_by_unit(text)


@pytest.mark.property
@given(st.lists(some_units, min_size=1, max_size=9), st.data())
def test_a_text_with_any_letter_changed_is_read_as_unit_by_unit(listed: list[Unit], data: st.DataObject) -> None:
    text = render(listed)
    place = data.draw(st.integers(0, len(text) - 1))
    changed = text[:place] + data.draw(st.sampled_from(["", *"SA |-019\n\r\x0b\u2003é"])) + text[place + 1 :]
    assert by_columns(text) == unit_by_unit(text)
    assert by_columns(changed) == unit_by_unit(changed)


@pytest.mark.property
@given(st.lists(some_units, min_size=1, max_size=9))
def test_what_is_written_is_in_the_form(listed: list[Unit]) -> None:
    assert all(columns(portion) is not None for portion in portions(render(listed)))


@pytest.mark.parametrize(("lines", "is_read"), [(USUAL, True), (OTHER, False)])
def test_lines_in_the_form_are_read_and_no_others(lines: list[str], is_read: bool) -> None:
    texts = [line if line[:1] == "S" else f"S a b c\n{line}" for line in lines]
    assert [text for text in texts if (columns(text) is not None) != is_read] == []


def test_units_that_do_not_end_as_usual_are_not_read_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tracks.gec.columns._LARGEST_PORTION", 60)
    assert "".join(portions("S a b c\n\n" * 20)).count("S") == 20
    with pytest.raises(OtherFormError):
        list(portions("S a b c\n \n" * 20))
