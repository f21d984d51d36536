"""Parts of a page and their HTML, with the one style of all pages.

The template escapes every text, element trees escape the charts. By the page's policy a browser loads the style and
nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from contest.charts import STYLE as TIMELINE_STYLE
from contest.edge.guards import policy_of
from contest.edge.languages import Language, in_language, worded
from contest.tables import Kind, Table
from contest.texts import tr
from markup_core import charts
from markup_core.charts import Bar, Numbers, bars
from markup_core.lazy import dataclass
from markup_core.rounding import PERCENT_PLACES, fixed

if TYPE_CHECKING:
    from jinja2 import Template

_PAGE: Final = """
:root{color-scheme:light dark}
body{font:1rem/1.45 system-ui,sans-serif;color:#1c1f24;background:#fff;max-width:70rem;margin:0 auto;padding:1rem}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin:2rem 0 .5rem;border-top:1px solid #d5d9e0;padding-top:.75rem}
dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:.5rem 1.5rem;margin:.5rem 0}
dt{font-size:.85rem;color:#5b6470}dd{margin:0;overflow-wrap:anywhere}
figure{margin:.75rem 0;overflow-x:auto}svg{max-width:100%;height:auto}
.wide{position:relative;overflow-x:auto;margin:.75rem 0}.wide:focus-visible{outline:2px solid #1a66b8}
table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums}
caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
figcaption{font-size:.9rem;font-weight:600}
th,td{border:1px solid #d5d9e0;padding:.2rem .45rem;text-align:left;vertical-align:top}
td{overflow-wrap:break-word;max-width:26rem}thead th{vertical-align:bottom;background:#f4f6f9}tbody th{font-weight:400}
.number{text-align:right}
@media (prefers-color-scheme:dark){body{color:#e8eaee;background:#15181d}h2,th,td{border-color:#3a414c}dt{color:#aab3bf}
thead th{background:#1d2127}.bars text{fill:#e8eaee}.bars .grid{stroke:#3a414c}.bars .zero,.bars .reach{stroke:#e8eaee}
.bars .bar{fill:#2f7fd1}.bars .mark{stroke:#ff8a80}}
@media print{@page{size:A4 landscape;margin:12mm}:root{color-scheme:light}
body{max-width:none;padding:0;font-size:10pt;color:#000;background:#fff}.wide,figure{overflow:visible}
table{font-size:7pt}th,td{padding:1pt 2pt}thead{display:table-header-group}tr,figure{break-inside:avoid}
h2{break-after:avoid}td,th{overflow-wrap:anywhere}}
"""

STYLE: Final = f"{TIMELINE_STYLE}{charts.STYLE}{_PAGE}"
POLICY: Final = policy_of(f"<style>{STYLE}</style>")
"""Content-Security-Policy: this style, and nothing else whatever a page may hold."""

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
    """A chart with its caption. ``svg`` is an element made by an element tree, which has escaped it."""

    caption: str
    svg: str


@dataclass(frozen=True, slots=True)
class Block:
    """Contents under one heading."""

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
    """Write the page as HTML. O(cells)."""
    from markupsafe import Markup

    style = Markup(STYLE)  # noqa: S704 -- a constant of ours
    blocks = [
        {
            **{name: getattr(block, name) for name in ("title", "lines", "facts", "tables")},
            "charts": [{"caption": chart.caption, "svg": Markup(chart.svg)} for chart in block.charts],  # noqa: S704 -- see Chart
        }
        for block in page.blocks
    ]
    return _template().render(page={"language": page.language, "title": page.title, "blocks": blocks}, style=style)


@cache
def _template() -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # no other answer of a function needs it

    places = FileSystemLoader(Path(__file__).with_name("templates"))
    environment = Environment(
        loader=places, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("report.html")


def drawn(
    title: str, rows: Sequence[Bar], key: str, language: Language, *, mark: float | None = None, digits: int = 2
) -> Chart:
    """Draw bars under their title, with numbers as the language writes them."""
    return Chart(title, bars(title, rows, key, mark, Numbers(digits, SIGN[language])))


def section(table: Table, language: Language, charts: tuple[Chart, ...] = ()) -> Block:
    """Return a table under its own heading, with its charts; an empty one has the heading alone."""
    title = in_language(table.title, language)
    if not table.rows:
        return Block(title, (in_language(EMPTY, language),))
    return Block(title, charts=charts, tables=(shown(table, language),))


EMPTY = tr("Nothing.")


def shown(table: Table, language: Language) -> ShownTable:
    """Return a table in a language."""
    columns = tuple(
        ShownColumn(in_language(column.title, language), column.kind is Kind.NUMBER) for column in table.columns
    )
    rows = tuple(
        tuple(
            plain(value, language, column.places)
            if not isinstance(value, str)
            else moment(value)
            if column.kind is Kind.MOMENT
            else worded(column, value, language)
            for column, value in zip(table.columns, row, strict=True)
        )
        for row in table.rows
    )
    return ShownTable(in_language(table.title, language), columns, rows)


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
    """Write a moment of the platform's form for people."""
    return iso.replace("T", " ").replace("Z", " UTC")
