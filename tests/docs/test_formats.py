"""``docs/formats.md`` and ``docs/formats.ru.md`` list the formats as the code has them: rows, endings, losses.

After an intended change run this file as a program: it writes the tables anew. A row's losses are those that its
reader and its writer count, with the functions that they use of their module and of the one that readers share.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from inspect import getsourcefile
from pathlib import Path
from typing import Any, Final

import pytest

from markup_core.extras import TARGETS
from markup_core.formats import corpus
from markup_core.formats.foreign import WORDING
from markup_core.formats.gathering import FORMATS, WRITERS
from markup_core.formats.standoff import write_brat
from markup_core.reading.validation import JSON, NOTATION
from markup_core.texts import EN, RU, in_language

DOCS: Final = Path(__file__).resolve().parents[2] / "docs"
PAGES: Final = {EN: DOCS / "formats.md", RU: DOCS / "formats.ru.md"}
BEGIN, END = "<!-- formats -->\n", "<!-- /formats -->\n"
HEADS: Final = {
    EN: ("format", "files", "written too", "needs", "counted when lost"),
    RU: ("формат", "файлы", "и пишется", "нужно", "считается, если теряется"),
}
YES: Final = {EN: "yes", RU: "да"}
SUFFIXES: Final = DOCS.parent / "web" / "src" / "pages" / "office" / "exports.json"
OF_WRITERS: Final[dict[str, Callable[..., Any]]] = {"brat": write_brat} | {
    name: writer.write for name, writer in WRITERS.items()
}
OWN: Final = {JSON: ".json", NOTATION: ".txt"}


def suffixes() -> str:
    """Return the endings of zips and of the registry's formats, as the site's pages take them."""
    listed = {".zip", *OWN.values(), *(suffix for form in FORMATS.values() for suffix in form.suffixes)}
    quoted = ",\n".join(f'  "{suffix}"' for suffix in sorted(listed))
    return f"[\n{quoted}\n]\n"


def with_table(text: str, language: str) -> str:
    """Return a page with the present table between its marks."""
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}\n{table(language)}\n{END}{rest.partition(END)[2]}"


def table(language: str) -> str:
    rows = [HEADS[language], ("---",) * len(HEADS[language])]
    for listed in FORMATS.values():
        counted = losses_of(listed.read, *([OF_WRITERS[listed.name]] if listed.name in OF_WRITERS else []))
        rows.append(
            (
                f"`{listed.name}`",
                ", ".join(f"`{suffix}`" for suffix in listed.suffixes),
                YES[language] if listed.name in TARGETS else "",
                f"`markup-core[{listed.extra}]`" if listed.extra else "",
                "; ".join(in_language(WORDING[kind], language) for kind in WORDING if kind in counted),
            )
        )
    rows += [(f"`{name}`", f"`{suffix}`", YES[language], "", "") for name, suffix in OWN.items()]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def losses_of(*functions: Callable[..., Any]) -> set[str]:
    kinds: set[str] = set()
    definitions = definitions_of(corpus.__file__) | definitions_of(getsourcefile(functions[0]))
    used = [function.__name__ for function in functions]
    for name in used:  # grows
        definition = definitions[name]
        kinds |= set(counted(definition))
        names = {str(vars(node).get("id", vars(node).get("attr"))) for node in ast.walk(definition)}
        used += sorted(names & definitions.keys() - set(used))
    return kinds


def definitions_of(source: str | None) -> dict[str, ast.AST]:
    """Return the functions, classes and constants of a module by their names."""
    assert source is not None
    definitions: dict[str, ast.AST] = {}
    for node in ast.parse(Path(source).read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            definitions[node.name] = node
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            definitions[node.target.id] = node
    return definitions


def counted(tree: ast.AST) -> Iterator[str]:
    """Yield the names of losses in calls of ``add``, in tables of losses, and in choices between two."""
    for node in ast.walk(tree):
        values: list[ast.expr | None] = []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "add":
            values = [*node.args[:1]]
        elif isinstance(node, ast.IfExp):
            values = [node.body, node.orelse]
        elif isinstance(node, ast.Dict):
            values = [*node.values]
        yield from (str(value.value) for value in values if isinstance(value, ast.Constant) and value.value in WORDING)


@pytest.mark.parametrize("language", PAGES)
def test_the_page_has_the_formats_of_the_code(language: str) -> None:
    text = PAGES[language].read_text("utf-8")
    assert text == with_table(text, language), "run this file as a program"


def test_the_sites_file_pickers_offer_every_suffix_and_every_written_format_has_its_name() -> None:
    assert SUFFIXES.read_text("utf-8") == suffixes(), "run this file as a program"
    assert set(TARGETS) <= {*OWN, *FORMATS}


if __name__ == "__main__":
    SUFFIXES.write_text(suffixes(), "utf-8")
    for own_language, page in PAGES.items():
        page.write_text(with_table(page.read_text("utf-8"), own_language), "utf-8")
