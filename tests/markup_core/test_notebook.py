"""Tables of a notebook: everything escaped, undefined values as dashes."""

from __future__ import annotations

import re

import pytest

from markup_core import tables


def test_a_tables_texts_are_escaped() -> None:
    assert tables.table("<t>", ["<h>"], [["<c>"]]).count("&lt;") == 3


@pytest.mark.parametrize(("value", "cell"), [(None, "—"), (1, "1"), (1.005, "1.01"), ("é", "é")])
def test_a_tables_numbers_have_two_decimals(value: object, cell: str) -> None:
    assert re.findall(r"<td[^>]*>(.*?)</td>", tables.table("t", ["h"], [[value]])) == [cell]
