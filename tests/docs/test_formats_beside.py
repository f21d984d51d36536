"""``docs/formats.md``: features kept by a round trip through each written format, and what other tools read and write.

The first table is measured here, the second is written from ``annotation_tools.json``, which names the source of each
cell. After an intended change run this file as a program: it writes both tables anew.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from markup_core.extras import TARGETS
from markup_core.formats import json_exports, standoff
from markup_core.formats.corpus import Imported, document
from markup_core.formats.foreign import Loss, Wanted
from markup_core.formats.gathering import FORMATS, WRITERS
from markup_core.model import Fragment, Markup
from markup_core.texts import EN, RU
from tests.docs.test_formats import PAGES, YES
from tests.markup_core.formats.reading import read

TOOLS: Final[dict[str, Any]] = json.loads(Path(__file__).with_name("annotation_tools.json").read_text("utf-8"))
FOREIGN: Final = [name for name in TARGETS if name in FORMATS]
TEXT: Final = "😀 Согласно закона,\nе\u0301ж пришёл и ушёл"
SUBJECT: Final = Wanted(subject="rus")
CASES: Final[dict[str, tuple[dict[str, str], Markup]]] = {
    "text": ({EN: "the text, to the letter", RU: "текст до последнего знака"}, Markup(TEXT, ())),
    "astral": (
        {EN: "emoji, combining mark", RU: "эмодзи, составной знак"},
        Markup(TEXT, (Fragment(19, 22, "Г.упр", id=1),)),
    ),
    "overlap": (
        {EN: "overlapping spans", RU: "пересекающиеся фрагменты"},
        Markup(TEXT, (Fragment(2, 10, "Г.упр", id=1), Fragment(2, 17, "Г.слов", id=2))),
    ),
    "line": (
        {EN: "span over a line end", RU: "фрагмент через конец строки"},
        Markup(TEXT, (Fragment(11, 22, "Г.упр", id=1),)),
    ),
    "inside": (
        {EN: "border inside a word", RU: "граница внутри слова"},
        Markup(TEXT, (Fragment(4, 8, "Г.упр", id=1),)),
    ),
    "texts": (
        {EN: "comment, correction", RU: "комментарий, исправление"},
        Markup(TEXT, (Fragment(2, 17, "Г.упр", comment="падеж", correction="Согласно закону", id=1),)),
    ),
    "whole": ({EN: "whole text", RU: "весь текст"}, Markup(TEXT, (Fragment(0, 0, "Г.слов", id=1),))),
    "meta": ({EN: "fields of meta", RU: "поля meta"}, Markup(TEXT, (), {"theme": "Ёж"})),
}
HEADS: Final = {
    EN: ("kept in a round trip", "counted as lost", "a file each", "one file"),
    RU: ("что сохраняется при записи и чтении", "считается потерей", "по файлу", "один файл"),
}
WHO: Final = {EN: "annotators", RU: "аннотаторы"}
TOOL_HEADS: Final = {
    EN: ("format", "tool", "reads", "writes", "how", "from"),
    RU: ("формат", "программа", "читает", "пишет", "как", "откуда"),
}


def there_and_back(form: str, markup: Markup) -> tuple[list[Imported], tuple[Loss, ...]]:
    """Return what is read again of a markup that was written in a format, and the losses of writing."""
    if form == "brat":
        output = standoff.write_brat(markup)
        return read(form, output.annotations, SUBJECT, {"one.txt": output.text}), output.losses
    if form == "web-annotation":
        return read(form, json_exports.write_web_annotation(markup), SUBJECT), ()
    output = WRITERS[form].write([document(markup, "one")])
    return read(form, output.content, SUBJECT), output.losses


def marked(markup: Markup) -> list[tuple[object, ...]]:
    """Return the words of each fragment without blanks, its code and its texts."""
    return [
        (one.is_full_text, "".join(markup.text[one.start : one.end].split()), one.code, one.comment, one.correction)
        for one in markup.fragments
    ]


def is_kept(form: str, case: str) -> bool:
    """Return whether a feature comes back; one that does not has to be counted as lost."""
    markup = CASES[case][1]
    (imported, *_), losses = there_and_back(form, markup)
    got = imported.markup
    if case == "text":
        is_same = got.text == markup.text
    else:
        is_same = marked(got) == marked(markup) and got.meta.get("theme") == markup.meta.get("theme")
    assert is_same or losses, f"{form} loses {case} silently"
    return is_same


def features(language: str) -> str:
    first, lost, file_each, one_file = HEADS[language]
    rows = [(first, *(f"`{form}`" for form in FOREIGN)), ("---",) * (len(FOREIGN) + 1)]
    for case, (names, _) in CASES.items():
        cells = (YES[language] if is_kept(form, case) else lost for form in FOREIGN)
        rows.append((names[language], *cells))
    shared = (one_file if form in WRITERS and WRITERS[form].is_shared else file_each for form in FOREIGN)
    rows.append((WHO[language], *shared))
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def tools(language: str) -> str:
    rows = [TOOL_HEADS[language], ("---",) * len(TOOL_HEADS[language])]
    for form in FORMATS:
        for tool, facts in TOOLS.items():
            cell = facts["cells"].get(form)
            if cell is not None:
                abilities = (YES[language] if cell[name] else "" for name in ("reads", "writes"))
                rows.append((f"`{form}`", tool, *abilities, cell["note"][language], cell["from"]))
    sources = "".join(f"\n{tool}: {facts['source'][language]}.\n" for tool, facts in TOOLS.items())
    return "".join(f"| {' | '.join(row)} |\n" for row in rows) + sources


def with_tables(text: str, language: str) -> str:
    for mark, table in (("features", features(language)), ("tools", tools(language))):
        begin, end = f"<!-- {mark} -->\n", f"<!-- /{mark} -->\n"
        before, _, rest = text.partition(begin)
        text = f"{before}{begin}\n{table}\n{end}{rest.partition(end)[2]}"
    return text


@pytest.mark.parametrize("language", PAGES)
def test_the_page_has_what_a_round_trip_keeps_and_what_other_tools_do(language: str) -> None:
    text = PAGES[language].read_text("utf-8")
    assert text == with_tables(text, language), "run this file as a program"


if __name__ == "__main__":
    for own_language, page in PAGES.items():
        page.write_text(with_tables(page.read_text("utf-8"), own_language), "utf-8")
