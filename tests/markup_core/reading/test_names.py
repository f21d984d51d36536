"""A name from the input as an error carries it: at most eighty characters, writable whatever it holds."""

from __future__ import annotations

import pytest

from markup_core.reading.wire import writable


@pytest.mark.parametrize(("length", "kept"), [(79, 79), (80, 80), (81, 80)])
def test_a_name_is_cut_after_eighty_characters(length: int, kept: int) -> None:
    assert writable("я" * length) == "я" * kept


def test_half_a_pair_of_surrogates_is_written_as_its_number() -> None:
    assert writable("a\ud800") == "a\\ud800"
