"""Faults of M2 files say what was found."""

from __future__ import annotations

import pytest

from markup_core.formats.m2 import M2Error, parse


@pytest.mark.parametrize("fields", [1, 2, 3, 4, 5, 7, 8])
def test_an_edit_with_another_number_of_fields_says_how_many_there_are(fields: int) -> None:
    line = "|||".join(["A 0 1", "R:X", "z", "REQUIRED", "-NONE-", "0", "more", "and more"][:fields])
    with pytest.raises(M2Error) as caught:
        parse(f"S a b c\n{line}\n")
    (fault,) = caught.value.faults
    assert (fault.line, fault.code) == (2, "wrong_fields")
    assert f"this has {fields};" in fault.message
