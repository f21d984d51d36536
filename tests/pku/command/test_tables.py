"""Tables of a report as ``pku`` prints them."""

from __future__ import annotations

import pytest

from pku.command import tables


@pytest.mark.parametrize(("language", "words"), [("en", "fewer than ten texts"), ("ru", "меньше десяти текстов")])
@pytest.mark.parametrize("rows", [[], [["rus", 61.5]]])
def test_a_table_without_rows_says_what_may_be_left_out(language: str, words: str, rows: list[list[object]]) -> None:
    columns = [{"en": "Type", "ru": "Тип"}, {"en": "OTAR", "ru": "ОТАР"}]
    section = {"key": "by_subject", "title": {"en": "By type", "ru": "По типам"}, "columns": columns, "rows": rows}
    table, hidden = tables.section(section, language)
    assert hidden == 0
    assert (words in str(table.caption)) is (rows == [])
