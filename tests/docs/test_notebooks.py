"""The notebooks of ``docs/examples``, each run from its first cell to its last: what they show is what stands below.

The cells hold plain Python, so they run in this process; the long test runs them by Jupyter's own client in an
environment of its own. After an intended change of the output run this file as a program: it writes the outputs anew.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests import researchers
from tests.docs.test_library import within

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "examples").rglob("*.ipynb"))
SHOWN = {"_repr_svg_": "image/svg+xml", "_repr_html_": "text/html"}


def outputs(source: str, shared: dict[str, Any]) -> list[dict[str, Any]]:
    """Run a cell; return what it printed, and its last value as Jupyter's outputs."""
    statements = ast.parse(source).body
    last = statements.pop().value if isinstance(statements[-1], ast.Expr) else None  # type: ignore[attr-defined]
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(statements, []), "<cell>", "exec"), shared)  # noqa: S102  our own notebook
        if last is not None:
            value = eval(compile(ast.Expression(last), "<cell>", "eval"), shared)  # noqa: S307
    collected: list[dict[str, Any]] = []
    if printed.getvalue():
        collected.append({"name": "stdout", "output_type": "stream", "text": printed.getvalue()})
    if value is not None:
        data = {kind: getattr(value, name)() for name, kind in SHOWN.items() if hasattr(value, name)}
        result = {"data": data or {"text/plain": repr(value)}, "metadata": {}, "output_type": "execute_result"}
        collected.append(result)
    return collected


def rewritten(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return the notebook with the present outputs of its cells, which share their variables."""
    shared: dict[str, Any] = {"__name__": "__main__"}
    cells = []
    for number, cell in enumerate(notebook["cells"]):
        renewed = {**cell}
        if cell["cell_type"] == "code":
            count = 1 + sum(earlier["cell_type"] == "code" for earlier in notebook["cells"][:number])
            results = outputs(cell["source"], shared)
            for result in results:
                if result["output_type"] == "execute_result":
                    result["execution_count"] = count
            renewed |= {"execution_count": count, "outputs": results}
        cells.append(renewed)
    return {**notebook, "cells": cells}


def shown(notebook: dict[str, Any]) -> list[Any]:
    """Return pictures, tables and prints in their order."""
    return [
        output["text"]
        if output["output_type"] == "stream"
        else {kind: output["data"].get(kind) for kind in SHOWN.values()}
        for cell in notebook["cells"]
        for output in cell.get("outputs", ())
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_stands_below_its_cells(path: Path) -> None:
    notebook = json.loads(path.read_text("utf-8"))
    with within(path.parent):
        assert rewritten(notebook) == notebook
    assert any(cell.get("outputs") for cell in notebook["cells"])


@pytest.mark.long
@researchers.needs_libraries
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_jupyters_own_client_shows_the_same(path: Path) -> None:
    notebook = json.loads(path.read_text("utf-8"))
    assert shown(researchers.read("notebook", path)) == shown(notebook)


if __name__ == "__main__":
    for path in NOTEBOOKS:
        with within(path.parent):
            notebook = rewritten(json.loads(path.read_text("utf-8")))
        path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", "utf-8")
