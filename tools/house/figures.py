"""Read, compare, lower and show the figures of the code's obstacles to reading."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tools.house.counts import ROOT

SOURCE: Final = ROOT / "tools/house/figures.toml"
PAGE: Final = ROOT / "docs/architecture.md"
SLACK: Final = 0.05
"""A figure may stand so much above its count, else it has to be lowered: merges need no new figures each time, and a
process that earlier tests have warmed goes a shorter way."""
_AT_LEAST: Final = 2
_TABLE: Final = re.compile(r"(<!-- figures -->\n).*?(<!-- /figures -->)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Figure:
    """Bound a count, with the value that it is to reach."""

    what: str
    bound: float
    target: float


def figures() -> Mapping[str, Figure]:
    """Return the figures by name, in the order of the file."""
    return {name: Figure(**row) for name, row in tomllib.loads(SOURCE.read_text("utf-8")).items()}


def faults(counts: Mapping[str, float]) -> list[str]:
    """List the counts that have risen above their figure, and the figures that were not lowered with their count."""
    problems = []
    for name, count in counts.items():
        bound = figures()[name].bound
        if count > bound:
            problems.append(f"{name} is {count}, at most {bound}: take something away, or raise it and say for what")
        elif count < bound - max(bound * SLACK, _AT_LEAST):
            problems.append(
                f"{name} is {count} and may be {bound}: lower it in figures.toml, then python -m tools.house"
            )
    return problems


def lower(counts: Mapping[str, float]) -> None:
    """Lower the figures to these counts, and write the table of the page; no figure rises."""
    text = SOURCE.read_text("utf-8")
    for name, count in counts.items():
        bound = min(count, figures()[name].bound)
        text = re.sub(rf"(?s)(\[{name}\]\n.*?\nbound = )[\d.]+", rf"\g<1>{bound}", text, count=1)
    SOURCE.write_text(text, "utf-8")
    PAGE.write_text(page(), "utf-8")


def page() -> str:
    """Return the page with its table as it should be."""
    return _TABLE.sub(lambda match: match[1] + table() + match[2], PAGE.read_text("utf-8"))


def table() -> str:
    """Return the figures as a table in Markdown."""
    rows = [f"| {row.what} | {_spaced(row.bound)} | {_spaced(row.target)} |" for row in figures().values()]
    return "\n".join(["| count | at most | wanted |", "| --- | ---: | ---: |", *rows]) + "\n"


def _spaced(number: float) -> str:
    return f"{number:,}".replace(",", " ")
