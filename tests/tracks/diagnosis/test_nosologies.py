"""The six diseases of the diagnosis contest: codes, thresholds, names (D 5.5, 6.5)."""

from __future__ import annotations

import pytest

from tracks.diagnosis.classifier import NOSOLOGIES, base_part, nosology_of

CODES = {
    "tuberculosis": "A15 A16 A19",
    "lung_cancer": "C34",
    "bacterial_pneumonia": "J13 J14 J15 J16 J18",
    "viral_pneumonia": "J10 J12 U07",
    "copd": "J44",
    "cteph": "I27",
}
THRESHOLDS = {  # the table of D 5.5, whose columns stand in another order
    "lung_cancer": (0.83, 0.87),
    "tuberculosis": (0.83, 0.87),
    "bacterial_pneumonia": (0.82, 0.83),
    "viral_pneumonia": (0.82, 0.83),
    "cteph": (0.81, 0.88),
    "copd": (0.83, 0.84),
}


@pytest.mark.clause("D 6.5")
@pytest.mark.parametrize(("name", "code"), [(name, code) for name, codes in CODES.items() for code in codes.split()])
def test_every_code_of_the_table_names_its_disease_with_and_without_the_part_after_the_dot(
    name: str, code: str
) -> None:
    assert nosology_of(code) == nosology_of(f"{code}.1") == name


@pytest.mark.clause("D 5.5", "D 6.5")
def test_there_is_no_other_code_and_no_other_threshold() -> None:
    assert {name: " ".join(each.codes) for name, each in NOSOLOGIES.items()} == CODES
    assert {name: tuple(each.thresholds) for name, each in NOSOLOGIES.items()} == THRESHOLDS


def test_the_numbers_are_those_that_the_earlier_clients_send() -> None:
    by_number = sorted(NOSOLOGIES.values(), key=lambda each: each.number)
    assert [each.name for each in by_number] == [
        "lung_cancer",
        "tuberculosis",
        "bacterial_pneumonia",
        "viral_pneumonia",
        "copd",
        "cteph",
    ]


@pytest.mark.clause("D 6.5")
def test_a19_is_read_in_latin_letters_and_as_the_regulation_misprints_it() -> None:
    cyrillic = "\N{CYRILLIC CAPITAL LETTER A}19"
    assert nosology_of("A19.0") == nosology_of(f"{cyrillic}.0") == "tuberculosis"
    assert base_part(f"{cyrillic}.0") == "A19"


def test_no_other_code_is_read_in_cyrillic_letters() -> None:
    assert nosology_of("\N{CYRILLIC CAPITAL LETTER A}15") is None
    assert nosology_of("\N{CYRILLIC CAPITAL LETTER ES}34") is None


@pytest.mark.parametrize("code", ["", "another", "c34", " C34", "C34 ", "C3", "C340", "C34,1", "another.1", "I26"])
def test_whatever_is_not_exactly_a_code_of_the_table_names_no_disease(code: str) -> None:
    assert nosology_of(code) is None
