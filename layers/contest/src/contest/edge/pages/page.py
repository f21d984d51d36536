"""A page's parts, and how they become HTML: every text is escaped by the template, charts by their element trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from contest.charts.bars import Bar, Numbers, bars
from contest.domain.tables import Column, Kind, Scalar, Table
from contest.edge.languages import Language, in_language, worded
from contest.edge.pages.style import STYLE
from markup_core.rounding import PERCENT_PLACES, fixed
from tracks.protocol import Text

if TYPE_CHECKING:
    from jinja2 import Template

SIGN: Final[Mapping[Language, str]] = {"ru": ",", "en": "."}
NOTHING: Final = "—"
"""An undefined value."""


@dataclass(frozen=True, slots=True)
class ShownColumn:
    """A column's title in one language."""

    title: str
    is_number: bool


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table in one language."""

    caption: str
    columns: tuple[ShownColumn, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture with its caption. ``svg`` is an element made by :mod:`contest.charts`, whose tree has escaped it."""

    caption: str
    svg: str


@dataclass(frozen=True, slots=True)
class Block:
    """What stands under one heading."""

    title: str
    lines: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    charts: tuple[Chart, ...] = ()
    tables: tuple[ShownTable, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """A whole page in one language."""

    language: Language
    title: str
    blocks: tuple[Block, ...]


def written(page: Page) -> str:
    """The page as HTML. O(cells)."""
    from markupsafe import Markup

    style = Markup(STYLE)  # noqa: S704 -- a constant of ours
    blocks = [_with_charts(each) for each in page.blocks]
    return _template().render(page={"language": page.language, "title": page.title, "blocks": blocks}, style=style)


def _with_charts(block: Block) -> dict[str, Any]:
    from markupsafe import Markup

    told: dict[str, Any] = {name: getattr(block, name) for name in ("title", "lines", "facts", "tables")}
    charts = [{"caption": each.caption, "svg": Markup(each.svg)} for each in block.charts]  # noqa: S704 -- see Chart
    return {**told, "charts": charts}


@cache
def _template() -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # no other answer of a function needs it

    places = FileSystemLoader(Path(__file__).with_name("templates"))
    made = Environment(loader=places, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return made.get_template("report.html")


def drawn(
    title: str, rows: Sequence[Bar], key: str, language: Language, *, mark: float | None = None, digits: int = 2
) -> Chart:
    """Bars under their title, with numbers as the language writes them."""
    return Chart(title, bars(title, rows, key, mark, Numbers(digits, SIGN[language])))


def section(table: Table, language: Language, charts: tuple[Chart, ...] = ()) -> Block:
    """A table under its own heading, with its charts; nothing but the heading says that it is empty."""
    title = in_language(table.title, language)
    if not table.rows:
        return Block(title, (in_language(EMPTY, language),))
    return Block(title, charts=charts, tables=(shown(table, language),))


EMPTY = Text(en="Nothing.", ru="Ничего.")


def shown(table: Table, language: Language) -> ShownTable:
    """A table in a language."""
    columns = tuple(ShownColumn(in_language(each.title, language), each.kind is Kind.NUMBER) for each in table.columns)
    rows = tuple(
        tuple(_cell(of, each, language) for of, each in zip(table.columns, row, strict=True)) for row in table.rows
    )
    return ShownTable(in_language(table.title, language), columns, rows)


def _cell(of: Column, value: Scalar, language: Language) -> str:
    if isinstance(value, str):
        return moment(value) if of.kind is Kind.MOMENT else worded(of, value, language)
    return plain(value, language, of.places)


def plain(value: Any, language: Language, places: int = PERCENT_PLACES) -> str:
    """Return a scalar for people: fractions with so many decimals, halves up; words for truths."""
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return {"ru": ("нет", "да"), "en": ("no", "yes")}[language][value]
    if isinstance(value, float):
        return fixed(value, places).replace(".", SIGN[language])
    return str(value)


def moment(iso: str) -> str:
    """A moment of the platform's form for people."""
    return iso.replace("T", " ").replace("Z", " UTC")
