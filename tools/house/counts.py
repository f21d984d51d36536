"""Count lines, modules, short private functions and empty names in the sources that git tracks.

Every count is linear in the bytes of the sources. Blank lines and comments count as lines.
"""

from __future__ import annotations

import ast
import subprocess
from collections import Counter
from collections.abc import Mapping
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


def counts() -> Mapping[str, float]:
    """Return every count of the sources by its name in ``figures.toml``."""
    python, site = _python(tests=False), _site(tests=False)
    trees = [ast.parse(text) for text in python.values()]
    return {
        "product_lines": _lines(python) + _lines(site),
        "test_lines": _lines(_python(tests=True)) + _lines(_site(tests=True)),
        "python_modules": len(python),
        "site_modules": len(site),
        "short_functions": sum(short_functions(tree) for tree in trees),
        "empty_names_percent": empty_names(trees),
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


def short_functions(tree: ast.Module) -> int:
    """Count private functions without a decorator, of at most `SHORT` lines, that their module names once: in a call.

    A function that stands as a value (in a table, as a key or a callback) could only be replaced by a lambda.
    """
    nodes = [*ast.walk(tree)]
    uses = Counter(map(_name, nodes))
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


def empty_names(trees: list[ast.Module]) -> float:
    """Return the share of `EMPTY_NAMES` in all names assigned and arguments, per cent to one decimal; 0 of none."""
    nodes = [node for tree in trees for node in ast.walk(tree)]
    assigned = [node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    assigned += [node.arg for node in nodes if isinstance(node, ast.arg)]
    names = Counter(name for name in assigned if name not in _BY_CUSTOM)
    empty = sum(times for name, times in names.items() if name.lstrip("_") in EMPTY_NAMES)
    return round(100 * empty / max(names.total(), 1), 1)
