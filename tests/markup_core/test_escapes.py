"""Code points in escapes: up to the last there is, and not one beyond."""

from __future__ import annotations

import pytest

from markup_core.notation import NotationError, parse


def test_the_last_code_point_can_be_written() -> None:
    assert parse("Предмет: rus\n\n^{10FFFF}").text == "\U0010ffff"


def test_there_is_none_beyond_it() -> None:
    with pytest.raises(NotationError):
        parse("Предмет: rus\n\n^{110000}")
