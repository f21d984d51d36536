"""Read clauses, the code that enforces them and the tests that prove them.

Clauses are those that software can enforce, as ``docs/clauses/*.toml`` list them, one file per source::

    order = 1                         # place in the page
    title = "READ//ABLE: technical regulation"
    about = "Its chapters …"          # a sentence or two under the heading; may be empty
    contest = "essay"                 # whose regulation it is, by the track's name; absent from the project's own texts

    ["R 7.6"]
    what = "A file that is not answered in time is annulled for the team that missed it."
    missing = "…"                     # enforced in part: what is not
    not_yet = "…"                     # enforced nowhere: what is needed
    decided = "…"                     # kept in another way than the source says, or not at all: how, and why
    what_ru = "…"                     # the same as what, in Russian: the site cites the clause where it asks to confirm

Marks are comments ``# Clause: R 7.6, D 8.11`` right above functions (with their decorators), classes and constants, or
such ends of lines in their docstrings, alone or after a full stop: the code that enforces a clause. A constant's
docstring is the string right under its assignment. The mark belongs to the smallest thing whose enforcing line,
disabled, breaks the clause; a module is too much to look through, so its docstring takes no mark.

Tests prove a clause by a marker, on a test, on its class or for the whole module:
``@pytest.mark.clause("R-App2 §3")``, ``pytestmark = pytest.mark.clause("R-App1 M3")``. In ``tests/clauses`` a test
without a marker carries it in its name: ``test_r_6_5_4_the_report_…`` is R 6.5.4, ``test_r_app2_3_…`` is R-App2 §3,
``test_platform_1_…`` is platform §1. Markers are read, not run: their arguments are written out.

The site's TypeScript is read as text: a mark is such an end of a line, ``Clause: R 2.19``, in the comment ``/** … */``
right above a function, class or constant of the file. A test has the same in the comment right above its ``test(…)``; a
test that a loop repeats is one, by its title as it is written, with ``${language}`` in it.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

REGISTER_FOLDER = Path("docs/clauses")
HEAD = ("order", "title", "about")
TEXTS = ("what", "missing", "not_yet", "decided", "what_ru")


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause and its texts written by hand; an absent text is empty."""

    key: str
    what: str
    missing: str = ""
    not_yet: str = ""
    decided: str = ""
    what_ru: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A document whose clauses bind the software."""

    order: int
    title: str
    about: str
    clauses: tuple[Clause, ...]
    contest: str = ""


def read_register(root: Path) -> tuple[Source, ...]:
    """Return the sources in the page's order.

    ValueError names the file when it is no TOML, a text is unknown, empty or missing, or two files name one clause.
    """
    sources = sorted(
        (_source(path) for path in sorted((root / REGISTER_FOLDER).glob("*.toml"))), key=lambda source: source.order
    )
    keys: set[str] = set()
    for clause in (clause for source in sources for clause in source.clauses):
        if clause.key in keys:
            raise ValueError(f"{REGISTER_FOLDER}: {clause.key} is listed in two files; keep one")
        keys.add(clause.key)
    return tuple(sources)


def _source(path: Path) -> Source:
    try:
        content = tomllib.loads(path.read_text("utf-8"))
        order, title, about = (content.pop(name) for name in HEAD)
        contest = content.pop("contest", "")
        clauses = tuple(_clause(key, texts) for key, texts in content.items())
    except (tomllib.TOMLDecodeError, KeyError, ValueError) as fault:
        raise ValueError(f"{path}: {fault}") from fault
    return Source(order, title, about, clauses, contest)


def _clause(key: str, texts: dict[str, str]) -> Clause:
    unknown = texts.keys() - set(TEXTS)
    if unknown or not texts.get("what") or not all(texts.values()):
        raise ValueError(f"[{key}] takes {', '.join(TEXTS)}, none empty, and needs what")
    return Clause(key, **texts)


SOURCES = Path("web/src")
TESTS = (Path("web/tests"), SOURCES)
LINE = re.compile(r"(?:^[\s#/*]*|\. )clauses?\s*:(?P<keys>[^*\n]*)", re.IGNORECASE | re.MULTILINE)
COMMENT = r"(?P<comment>/\*\*(?:[^*]|\*(?!/))*\*/)\s*"
TYPESCRIPT_MARKED = re.compile(
    r"(?<![^\n])" + COMMENT + r"(?:export\s+)?(?:async\s+)?(?:function|const|class)\s+(?P<name>\w+)"
)
PROVED = re.compile(COMMENT + r"""(?:test|it)\(\s*(?P<quote>["'`])(?P<title>(?:\\.|(?!(?P=quote)).)+)(?P=quote)""")
ANY = re.compile(COMMENT)


@dataclass(frozen=True, slots=True)
class SiteMark:
    """A file's mark of a clause: with a name (a test's title; empty where nothing that can be marked follows)."""

    clause: str
    path: Path
    name: str
    line: int


def marks_in(root: Path) -> Iterator[SiteMark]:
    """Yield every clause that the site's sources mark; a name is empty where the comment stands above no definition."""
    for path in _files(root, (SOURCES,), "*.ts", "*.tsx"):
        if not path.name.endswith((".test.ts", ".test.tsx")):
            yield from _site_marks(root, path, TYPESCRIPT_MARKED, "name")


def proofs_in(root: Path) -> Iterator[SiteMark]:
    """Yield every clause that a test of the site proves; a name is empty where the comment stands above no test."""
    for path in _files(root, TESTS, "*.spec.ts", "*.test.ts", "*.test.tsx"):
        yield from _site_marks(root, path, PROVED, "title")


def _files(root: Path, folders: tuple[Path, ...], *patterns: str) -> list[Path]:
    return sorted(path for folder in folders for pattern in patterns for path in (root / folder).rglob(pattern))


def _site_marks(root: Path, path: Path, form: re.Pattern[str], part: str) -> Iterator[SiteMark]:
    text = path.read_text("utf-8")
    for comment in ANY.finditer(text):
        marked = form.match(text, comment.start())
        name = marked[part] if marked else ""
        line = text.count("\n", 0, comment.end()) + 1
        for key in keys_in(comment["comment"]):
            yield SiteMark(key, path.relative_to(root), name, line)


ROOTS = ("functions", "infra", "layers/*/src", "clients/*/src", "local/src", "rehearsal/src")
MARKED = re.compile(r"clauses?\s*:", re.IGNORECASE)


@dataclass(frozen=True, slots=True, order=True)
class Mark:
    """A clause and where it is enforced: ``contest.run.rules.fate``, ``cause_of``; an empty name is the module.

    The site's modules are its files, from ``web`` on: ``web.src.pages.annotator.Annotator``.
    """

    clause: str
    module: str
    name: str
    path: str
    line: int


def keys_in(text: str) -> list[str]:
    """Return every clause that comments or a docstring mark, in its order; separated by commas or semicolons."""
    lines = LINE.findall(text)
    return [key.strip() for keys in lines for key in re.split(r"[,;]", keys)]


def read_marks(root: Path) -> list[Mark]:
    """Return every mark of the source folders, sorted; paths are relative to the root. O(size of the sources)."""
    marks = []
    for folder in (folder for pattern in ROOTS for folder in sorted(root.glob(pattern))):
        base = root if folder.name == "infra" else folder
        for path in sorted(folder.rglob("*.py")):
            source = path.read_text("utf-8")
            if not MARKED.search(source):  # most files: to parse them all took a second
                continue
            module = ".".join(path.relative_to(base).with_suffix("").parts).removesuffix(".__init__")
            for name, line, text in _marking(ast.parse(source), "", source.splitlines()):
                where = (module, name, path.relative_to(root).as_posix(), line)
                marks += [Mark(key, *where) for key in keys_in(text)]
    for mark in marks_in(root):
        module = ".".join(mark.path.with_suffix("").parts)
        marks.append(Mark(mark.clause, module, mark.name, mark.path.as_posix(), mark.line))
    return sorted(marks)


Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def _marking(node: Documented, name: str, lines: list[str]) -> Iterator[tuple[str, int, str]]:
    """Yield what may be marked, by name and line, with the comments above it, then with its docstring."""
    if own := ast.get_docstring(node):
        yield name, getattr(node, "lineno", 1), own
    within = f"{name}." if name else ""
    for position, child in enumerate(node.body):
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
            yield within + child.name, child.lineno, _comments_above(lines, first)
            yield from _marking(child, within + child.name, lines)
        elif isinstance(child, ast.Assign | ast.AnnAssign):
            target = child.targets[0] if isinstance(child, ast.Assign) else child.target
            yield within + ast.unparse(target), child.lineno, _comments_above(lines, child.lineno)
            match node.body[position + 1 : position + 2]:
                case [ast.Expr(value=ast.Constant(value=str(text)))]:
                    yield within + ast.unparse(target), child.lineno, text


def _comments_above(lines: list[str], line: int) -> str:
    comments = list(takewhile(lambda text: text.lstrip().startswith("#"), reversed(lines[: line - 1])))
    return "\n".join(reversed(comments))


FOLDER = Path("tests")
NAMED = FOLDER / "clauses"
LONG = "pytest.mark.long"
MARKER = "mark.clause"
NAME = re.compile(r"test_(?P<source>r_app\d|[rd]|platform)_(?P<numbers>(?:\d+_)*)")


@dataclass(frozen=True, slots=True, order=True)
class Proof:
    """A clause and a test of it, as pytest names it: ``tests/….py::test_…``; an empty clause is one not named.

    A test of the site is named by its file and title: ``web/tests/….spec.ts::a title``.
    """

    clause: str
    test: str
    is_long: bool = False
    """True if only ``make long`` runs the test; the gate runs none of its parameter sets."""


def clause_of(name: str) -> str:
    """Return the clause that a test's name carries; empty when it carries none."""
    match = NAME.match(name)
    if not match:
        return ""
    numbers = match["numbers"].strip("_").replace("_", ".")
    source = {"platform": "platform", "r": "R", "d": "D"}.get(match["source"], f"R-App{match['source'][-1]}")
    return f"{source} {numbers}" if source in {"R", "D"} else f"{source} §{numbers}"


def read_proofs(root: Path) -> list[Proof]:
    """Return every clause with every test of it, sorted; a test in ``tests/clauses`` without a clause is among them."""
    proofs = []
    for path in sorted((root / FOLDER).rglob("test_*.py")):
        relative = path.relative_to(root)
        is_named, source = relative.is_relative_to(NAMED), path.read_text("utf-8")
        if not is_named and MARKER not in source:
            continue
        for test, marked, is_long in _tests(ast.parse(source), (), outer_is_long=False):
            named = (clause_of(test.rpartition("::")[2]),) if is_named else ()
            proofs += [Proof(key, f"{relative.as_posix()}::{test}", is_long) for key in marked or named]
    proofs += [Proof(proof.clause, f"{proof.path.as_posix()}::{proof.name}") for proof in proofs_in(root)]
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
            keys = outer + tuple(key for decorator in child.decorator_list for key in _marked(decorator))
            is_long = outer_is_long or any(map(_is_long, child.decorator_list))
        if isinstance(child, ast.FunctionDef) and child.name.startswith("test_"):
            yield child.name, keys, is_long
        elif isinstance(child, ast.ClassDef) and child.name.startswith("Test"):
            inner = _tests(child, keys, outer_is_long=is_long)
            yield from ((f"{child.name}::{name}", all_keys, slow) for name, all_keys, slow in inner)


def _has_long(node: ast.expr) -> bool:
    """Return whether the marker ``long`` stands in an expression: alone, in a list, or as a parameter's."""
    return any(ast.unparse(part) == LONG for part in ast.walk(node) if isinstance(part, ast.Attribute))


def _is_long(decorator: ast.expr) -> bool:
    """Return whether a decorator marks all forms of a test as long: it is the marker, or all its parameters have it."""
    if not isinstance(decorator, ast.Call) or ast.unparse(decorator.func) != "pytest.mark.parametrize":
        return _has_long(decorator)
    values = next(iter(decorator.args[1:2]), None)
    return isinstance(values, ast.List | ast.Tuple) and bool(values.elts) and all(map(_has_long, values.elts))


def _marked(node: ast.expr) -> Iterator[str]:
    """Yield arguments of ``pytest.mark.clause(…)``, alone or in a list of markers."""
    if isinstance(node, ast.List | ast.Tuple):
        for element in node.elts:
            yield from _marked(element)
    elif isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.clause":
        for argument in node.args:
            match argument:
                case ast.Constant(value=str(key)):
                    yield key
                case _:
                    yield ast.unparse(argument)
