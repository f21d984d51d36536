"""Which tests prove a clause.

A marker says it, on a test, on its class or for the whole module: ``@pytest.mark.clause("R-App2 §3")``,
``pytestmark = pytest.mark.clause("R-App1 M3")``. In ``tests/clauses`` a test without a marker carries it in its name:
``test_r_6_5_4_the_report_…`` is R 6.5.4, ``test_r_app2_3_…`` is R-App2 §3, ``test_platform_1_…`` is platform §1.
Markers are read, not run: their arguments are written out. The site's tests say it in a comment (`typescript`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.clauses import typescript

FOLDER = Path("tests")
NAMED = FOLDER / "clauses"
LONG = "pytest.mark.long"
MARKER = "clause"
NAME = re.compile(r"test_(?P<source>r_app\d|[rd]|platform)_(?P<numbers>(?:\d+_)*)")


@dataclass(frozen=True, slots=True, order=True)
class Proof:
    """A clause and a test of it, as pytest names it: ``tests/….py::test_…``; an empty clause is one not named.

    A test of the site is named by its file and title: ``web/tests/….spec.ts::a title``.
    """

    clause: str
    test: str
    is_long: bool = False
    """Whether ``make long`` runs the test and the gate does not, in no form of it."""


def clause_of(name: str) -> str:
    """The clause that a test's name carries; empty when it carries none."""
    found = NAME.match(name)
    if not found:
        return ""
    numbers = found["numbers"].strip("_").replace("_", ".")
    source = {"platform": "platform", "r": "R", "d": "D"}.get(found["source"], f"R-App{found['source'][-1]}")
    return f"{source} {numbers}" if source in {"R", "D"} else f"{source} §{numbers}"


def read_proofs(root: Path) -> list[Proof]:
    """Every clause with every test of it, sorted; a test in ``tests/clauses`` that names no clause is among them."""
    proofs = []
    for path in sorted((root / FOLDER).rglob("test_*.py")):
        relative = path.relative_to(root)
        is_named, source = relative.is_relative_to(NAMED), path.read_text("utf-8")
        if not is_named and MARKER not in source:
            continue
        for test, marked, is_long in _tests(ast.parse(source), (), outer_is_long=False):
            named = (clause_of(test.rpartition("::")[2]),) if is_named else ()
            proofs += [Proof(key, f"{relative.as_posix()}::{test}", is_long) for key in marked or named]
    proofs += [Proof(said.clause, f"{said.path.as_posix()}::{said.name}") for said in typescript.proofs_in(root)]
    return sorted(proofs)


def _tests(
    node: ast.Module | ast.ClassDef, outer: tuple[str, ...], *, outer_is_long: bool
) -> Iterator[tuple[str, tuple[str, ...], bool]]:
    for child in node.body:
        if isinstance(child, ast.Assign) and ast.unparse(child.targets[0]) == "pytestmark":
            outer += tuple(_marked(child.value))
            outer_is_long = outer_is_long or _has_long(child.value)
    for child in node.body:
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            keys = outer + tuple(key for each in child.decorator_list for key in _marked(each))
            is_long = outer_is_long or any(map(_is_long, child.decorator_list))
        if isinstance(child, ast.FunctionDef) and child.name.startswith("test_"):
            yield child.name, keys, is_long
        elif isinstance(child, ast.ClassDef) and child.name.startswith("Test"):
            inner = _tests(child, keys, outer_is_long=is_long)
            yield from ((f"{child.name}::{name}", all_keys, slow) for name, all_keys, slow in inner)


def _has_long(node: ast.expr) -> bool:
    """Whether the marker ``long`` stands in an expression: alone, in a list, or as a parameter's."""
    return any(ast.unparse(each) == LONG for each in ast.walk(node) if isinstance(each, ast.Attribute))


def _is_long(decorator: ast.expr) -> bool:
    """Whether a decorator leaves nothing of its test to the gate: it is the marker, or all its parameters have it."""
    if not isinstance(decorator, ast.Call) or ast.unparse(decorator.func) != "pytest.mark.parametrize":
        return _has_long(decorator)
    values = next(iter(decorator.args[1:2]), None)
    return isinstance(values, ast.List | ast.Tuple) and bool(values.elts) and all(map(_has_long, values.elts))


def _marked(node: ast.expr) -> Iterator[str]:
    """Arguments of ``pytest.mark.clause(…)``, alone or in a list of markers."""
    if isinstance(node, ast.List | ast.Tuple):
        for each in node.elts:
            yield from _marked(each)
    elif isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.clause":
        for argument in node.args:
            match argument:
                case ast.Constant(value=str(key)):
                    yield key
                case _:
                    yield ast.unparse(argument)
