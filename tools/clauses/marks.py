"""Which code enforces a clause: lines ``Clause: R 7.6, D 8.11`` in the docstrings of functions, classes, constants.

The site's are in the comments above them (`typescript`). A constant's docstring is the string right under its
assignment. The mark belongs to the smallest thing whose enforcing line, disabled, breaks the clause; a module is too
much to look through, so its docstring takes no mark.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.clauses import typescript

ROOTS = ("functions", "infra", "layers/*/src", "clients/*/src", "local/src")
LINE = re.compile(r"^\s*clauses?\s*:(?P<keys>.*)$", re.IGNORECASE | re.MULTILINE)
MARKED = re.compile(r"clauses?\s*:", re.IGNORECASE)


@dataclass(frozen=True, slots=True, order=True)
class Mark:
    """A clause and where it is enforced: ``contest.domain.run.fate``, ``cause_of``; an empty name is the module.

    The site's modules are its files, from ``web`` on: ``web.src.pages.annotator.Annotator``.
    """

    clause: str
    module: str
    name: str
    path: str
    line: int


def keys_in(docstring: str) -> list[str]:
    """Every clause a docstring marks, in its order; separated by commas or semicolons."""
    lines = LINE.findall(docstring)
    return [key.strip() for keys in lines for key in re.split(r"[,;]", keys)]


def read_marks(root: Path) -> list[Mark]:
    """Every mark of the source folders, sorted; paths are relative to the root. O(size of the sources)."""
    marks = []
    for folder in (folder for pattern in ROOTS for folder in sorted(root.glob(pattern))):
        base = root if folder.name == "infra" else folder
        for path in sorted(folder.rglob("*.py")):
            source = path.read_text("utf-8")
            if not MARKED.search(source):  # most files: to parse them all took a second
                continue
            module = ".".join(path.relative_to(base).with_suffix("").parts).removesuffix(".__init__")
            for name, line, docstring in _docstrings(ast.parse(source), ""):
                where = (module, name, path.relative_to(root).as_posix(), line)
                marks += [Mark(key, *where) for key in keys_in(docstring)]
    for said in typescript.marks_in(root):
        module = ".".join(said.path.with_suffix("").parts)
        marks.append(Mark(said.clause, module, said.name, said.path.as_posix(), said.line))
    return sorted(marks)


Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def _docstrings(node: Documented, name: str) -> Iterator[tuple[str, int, str]]:
    own = ast.get_docstring(node)
    if own:
        yield name, getattr(node, "lineno", 1), own
    within = f"{name}." if name else ""
    for position, child in enumerate(node.body):
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _docstrings(child, within + child.name)
        elif isinstance(child, ast.Assign | ast.AnnAssign):
            target = child.targets[0] if isinstance(child, ast.Assign) else child.target
            match node.body[position + 1 : position + 2]:
                case [ast.Expr(value=ast.Constant(value=str(text)))]:
                    yield within + ast.unparse(target), child.lineno, text
