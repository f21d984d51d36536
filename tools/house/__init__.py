"""Count the code's obstacles to reading, and hold that the counts fall.

Lines, modules, short private functions and empty names are counted in the sources that git tracks. Every count is
linear in the bytes of the sources. Blank lines and comments count as lines.
"""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
OPENAPI: Final = ROOT / "layers/contest/src/contest/openapi.json"
SHORT: Final = 6
"""A private function of at most so many lines says little more than the call that it saves."""
EMPTY_NAMES: Final = frozenset(
    "each found said told known kept made given of shown written taken seen asked held meant wanted left".split()
)
"""Names that do not say what they hold: a quantifier, a preposition, participles."""
_BY_CUSTOM: Final = frozenset({"self", "cls", "_"})
_GENERATED: Final = ("web/src/i18n/", "web/src/api/schema.d.ts")
SOURCE: Final = ROOT / "tools/house/figures.toml"
PAGE: Final = ROOT / "docs/architecture.md"
SLACK: Final = 0.05
"""A figure may stand so much above its count, else it has to be lowered: merges need no new figures each time, and a
process that earlier tests have warmed goes a shorter way."""
_AT_LEAST: Final = 2
_TABLE: Final = re.compile(r"(<!-- figures -->\n).*?(<!-- /figures -->)", re.DOTALL)


def counts() -> Mapping[str, float]:
    """Return every count of the sources by its name in ``figures.toml``."""
    python, site = _python(tests=False), _site(tests=False)
    modules = [[*ast.walk(ast.parse(text))] for text in python.values()]
    return {
        "product_lines": _lines(python) + _lines(site),
        "test_lines": _lines(_python(tests=True)) + _lines(_site(tests=True)),
        "python_modules": len(python),
        "site_modules": len(site),
        "short_functions": sum(map(short_functions, modules)),
        "empty_names_percent": empty_names(modules),
        "openapi_bytes": OPENAPI.stat().st_size,
    }


@cache
def _tracked() -> tuple[str, ...]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)  # noqa: S607
    return tuple(name for name in listed.stdout.decode("utf-8").split("\0") if (ROOT / name).is_file())


def _python(*, tests: bool) -> dict[str, str]:
    """Return the Python sources by path: those below ``tests/``, or all others."""
    names = (name for name in _tracked() if name.endswith(".py") and name.startswith("tests/") == tests)
    return {name: (ROOT / name).read_text("utf-8") for name in names}


def _site(*, tests: bool) -> dict[str, str]:
    """Return the site's TypeScript by path, without generated files: its tests, or all others."""
    typescript = (name for name in _tracked() if name.startswith("web/") and name.endswith((".ts", ".tsx")))
    names = (
        name
        for name in typescript
        if not name.startswith(_GENERATED)
        and (name.startswith("web/tests/") or name.endswith((".test.ts", ".test.tsx"))) == tests
    )
    return {name: (ROOT / name).read_text("utf-8") for name in names}


def _lines(sources: Mapping[str, str]) -> int:
    return sum(text.count("\n") for text in sources.values())


def short_functions(nodes: Sequence[ast.AST]) -> int:
    """Count private functions without a decorator, of at most `SHORT` lines, that their module names once: in a call.

    A function that stands as a value (in a table, as a key or a callback) could only be replaced by a lambda.
    """
    uses = Counter(_name(node) for node in nodes if isinstance(node, ast.Name | ast.Attribute))
    calls = Counter(_name(node.func) for node in nodes if isinstance(node, ast.Call))
    functions = (node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    private = (node for node in functions if node.name.startswith("_") and not node.name.endswith("__"))
    return sum(
        uses[node.name] == calls[node.name] == 1
        and not node.decorator_list
        and (node.end_lineno or 0) - node.lineno < SHORT
        for node in private
    )


def _name(node: ast.AST) -> str | None:
    """Return the name that an expression is, or that stands behind its dot; None of any other node."""
    return getattr(node, "id", None) or getattr(node, "attr", None)


def empty_names(modules: Iterable[Sequence[ast.AST]]) -> float:
    """Return the share of `EMPTY_NAMES` in all names assigned and arguments, per cent to one decimal; 0 of none."""
    nodes = [node for of_module in modules for node in of_module if isinstance(node, ast.Name | ast.arg)]
    assigned = [node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    assigned += [node.arg for node in nodes if isinstance(node, ast.arg)]
    names = Counter(name for name in assigned if name not in _BY_CUSTOM)
    empty = sum(times for name, times in names.items() if name.lstrip("_") in EMPTY_NAMES)
    return round(100 * empty / max(names.total(), 1), 1)


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
