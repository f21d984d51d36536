"""``docs/architecture.md`` is true: its pictures agree with imports, rights, schedule and an answer that is scored."""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from datetime import datetime
from fnmatch import translate
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple

import grimp
import pytest
from importlinter.application import use_cases
from importlinter.configuration import configure
from importlinter.domain.contract import Contract, registry

from contest.cycle.loading import load_cycle
from contest.exchange import files
from contest.people.rules import Identity, Role
from contest.results import scoring
from contest.run.rules.run import AMENDMENT_NOTICE, HOLD, RESUME_NOTICE, Amendment, Kind
from contest.run.rules.schedule import Schedule
from contest.session import opening
from contest.session.access import Request
from contest.session.rules.session import IN_FLIGHT, OpeningWish
from contest.values import SECOND
from infra.rights import FUNCTIONS
from tests.fakes import FakePlatform
from tests.samples import RUN_OF_FOUR as RUN
from tests.toys import FolderInMemory, toy_cycle

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
CONTEST = ROOT / "layers" / "contest" / "src" / "contest"
SOURCES = [
    ROOT,
    *sorted(ROOT.glob("layers/*/src")),
    ROOT / "clients/pku/src",
    ROOT / "local/src",
    ROOT / "rehearsal/src",
    CONTEST,
]
MADE = {"build/layers", "web/dist"}
FOR_DEVELOPERS = [ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("architecture.md"))]
FOR_DEVELOPERS += sorted((ROOT / "docs" / "decisions").glob("*.md"))


def pictures(title: str) -> list[str]:
    """List the pictures of a chapter."""
    (chapter,) = re.findall(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    return re.findall(r"```mermaid\n(.*?)```", chapter, re.DOTALL)


@pytest.mark.parametrize("document", FOR_DEVELOPERS, ids=lambda path: path.name)
def test_every_path_that_is_named_exists(document: Path) -> None:
    text = re.sub(r"```.*?```", "", document.read_text("utf-8"), flags=re.DOTALL)
    words = {word for span in re.findall(r"`([^`\n]+)`", text) for word in span.split()}
    paths = {word for word in words if re.fullmatch(r"\.?[a-z][\w-]*(/[\w.-]+)+/?", word)}
    assert {path for path in paths if not any((root / path).exists() for root in SOURCES)} <= MADE


@cache
def _inside(module: str, named: str) -> bool:
    """Return True if a module is the named one or lies in it; ``*`` stands for one part of a name."""
    return re.match(re.escape(named).replace(r"\*", "[^.]+") + r"(\.|$)", module) is not None


class Floors(NamedTuple):
    """A picture of imports: which modules each box stands for, the arrows between boxes, and the crossed arrows."""

    modules: dict[str, list[str]]
    arrows: set[tuple[str, str]]
    crossed: set[tuple[str, str]]

    @classmethod
    def of(cls, picture: str) -> Floors:
        labels = dict(re.findall(r'(\w+)\["([^"]+)"\]', picture))
        bare = re.sub(r'\["[^"]+"\]', "", picture)
        arrows, crossed = (set(re.findall(rf"(\w+) {kind} (\w+)", bare)) for kind in ("-->", "--x"))
        names = {name for arrow in arrows | crossed for name in arrow} | set(labels)
        return cls({name: labels.get(name, name).split(", ") for name in names}, arrows, crossed)

    def box(self, module: str) -> str | None:
        """Return the smallest box that a module is in."""
        inside = [
            (len(named), name)
            for name, all_named in self.modules.items()
            for named in all_named
            if _inside(module, named)
        ]
        return max(inside)[1] if inside else None

    def around(self, box: str) -> set[str]:
        """Return a box and those that it is in."""
        inner = self.modules[box][0]
        return {name for name, named in self.modules.items() if f"{inner}.".startswith(f"{named[0]}.")}

    def allow(self, importer: str, imported: str) -> bool:
        """Return True if a box may import another: an arrow joins them or boxes around them, and none is crossed."""
        if not any(start == importer for start, _ in self.arrows | self.crossed):
            return False  # a box without an arrow of its own imports nothing, whatever it is in
        between = {(start, end) for start in self.around(importer) for end in self.around(imported)}
        return bool(between & self.arrows) and not between & self.crossed


PACKAGES, FLOORS = (Floors.of(picture) for picture in pictures("The floors and their arrows"))
while more := {(a, d) for a, b in FLOORS.arrows for c, d in FLOORS.arrows if b == c} - FLOORS.arrows:
    FLOORS.arrows.update(more)  # in this picture a floor may import whatever it reaches


@cache
def imports() -> tuple[grimp.ImportGraph, list[Contract]]:
    """Return the graph of imports and the contracts about it."""
    sys.path[:0] = [str(ROOT / "functions"), str(ROOT)]
    configure()
    options = use_cases.read_user_options(str(ROOT / "pyproject.toml"))
    use_cases._register_contract_types(options)  # the library has no public way to check one graph more than once
    graph = grimp.build_graph(*options.session_options["root_packages"], include_external_packages=True)
    contracts = [
        registry.get_contract_class(each["type"])(each["name"], options.session_options, each)
        for each in options.contracts_options
    ]
    return graph, contracts


def forbidden(*more: tuple[str, str]) -> bool:
    """Return True if an import contract breaks when these pairs of importing and imported module are added.

    The contract that broke last is checked first: neighbouring pairs break the same one.
    """
    graph, contracts = imports()
    changed = deepcopy(graph)
    for importer, imported in more:
        changed.add_import(importer=importer, imported=imported)
    broken = next((each for each in contracts if not each.check(deepcopy(changed), verbose=False).kept), None)
    if broken is not None:
        contracts.remove(broken)
        contracts.insert(0, broken)
    return broken is not None


def real_arrows(picture: Floors) -> set[tuple[str, str]]:
    graph, contracts = imports()
    ignored = {each for contract in contracts for each in contract.contract_options.get("ignore_imports", ())}
    excepted = re.compile("|".join(translate(each.replace("**", "*")) for each in sorted(ignored)))
    box = {module: picture.box(module) for module in graph.modules}
    found = {
        (box[importer], box[imported])
        for importer in graph.modules
        for imported in graph.find_modules_directly_imported_by(importer)
        if not excepted.match(f"{importer} -> {imported}")
    }
    return {(a, b) for a, b in found if a and b and a != b}


def planted(picture: Floors) -> dict[str, str]:
    """Return each box's module that most others import: an import planted there is seen from far."""
    graph, _ = imports()
    inside: dict[str, list[str]] = {}
    for module in sorted(graph.modules):
        inside.setdefault(picture.box(module) or "", []).append(module)
    return {
        box: max(modules, key=lambda module: len(graph.find_modules_that_directly_import(module)))
        for box, modules in inside.items()
    }


def same_package(picture: Floors, one: str, other: str) -> bool:
    return len({picture.modules[name][0].split(".")[0] for name in (one, other)}) == 1


def test_every_module_is_on_a_floor_and_every_import_between_floors_has_an_arrow() -> None:
    graph, _ = imports()
    assert {child for child in graph.find_children("contest") if FLOORS.box(child) is None} == set()
    assert {module for module in graph.modules if "." not in module and not graph.is_module_squashed(module)} == {
        module for named in PACKAGES.modules.values() for module in named if "." not in module
    }
    assert {(a, b) for a, b in real_arrows(FLOORS) if not FLOORS.allow(a, b)} == set()
    between = {(a, b) for a, b in real_arrows(PACKAGES) if not same_package(PACKAGES, a, b)}
    assert {(a, b) for a, b in between if not PACKAGES.allow(a, b)} == set()


@pytest.mark.parametrize(
    "picture", [pytest.param(PACKAGES, id="packages"), pytest.param(FLOORS, id="contest", marks=pytest.mark.long)]
)
def test_the_contracts_forbid_what_has_no_arrow_and_nothing_else(picture: Floors) -> None:
    pairs = [
        (a, b)
        for a, b in permutations(sorted(picture.modules), 2)
        if picture is FLOORS or not same_package(picture, a, b)
    ]
    named = planted(picture)
    drawn = [(named[a], named[b]) for a, b in pairs if picture.allow(a, b)]
    assert drawn
    if forbidden(*drawn):  # an import more breaks no fewer contracts: else none breaks with one of these either
        assert [f"{a} -> {b}" for a, b in drawn if forbidden((a, b))] == []
    assert [f"{a} -> {b}" for a, b in pairs if not picture.allow(a, b) and not forbidden((named[a], named[b]))] == []


class Recorded:
    """A port that notes its calls which change anything."""

    def __init__(self, platform: FakePlatform, name: str, log: list[str]) -> None:
        self._platform, self._name, self._log, self._port = platform, name, log, getattr(platform, name)

    def __getattr__(self, method: str) -> Any:
        called = getattr(self._port, method)

        def recording(*args: Any, **named: Any) -> Any:
            before = self._state()
            result = called(*args, **named)
            if self._state() != before:
                self._log.append(f"{self._name}.{method}")
            return result

        return recording if callable(called) else called

    def _state(self) -> str:
        platform = self._platform
        return repr((platform.store, vars(self._port)))


def participants(picture: str) -> dict[str, str]:
    return dict(re.findall(r"participant (\w+) as (.+)", picture))


def messages(picture: str) -> Iterator[tuple[str, str]]:
    """Yield the receiver and the text of each message in a picture, in order."""
    yield from re.findall(r"^ *\w+--?>>(\w+): (.+)$", picture, re.MULTILINE)


def test_an_answer_takes_the_way_that_is_drawn() -> None:
    (picture,) = pictures("An answer's way")
    named = participants(picture)
    drawn = [
        said for to, said in messages(picture) if "." in said and named.get(to) not in (None, "functions/submit/api.py")
    ]
    platform, log = FakePlatform(), list[str]()
    load_cycle(platform, "tests", "toy-1", FolderInMemory(toy_cycle()), lambda _: None)
    me, now = Identity(Role.PROGRAM, "red", "token"), platform.clock.now()
    session = opening.open_wished(platform, Request(me, now), OpeningWish("algorithmic", set_name="train"))
    files.hand_out_file(platform, Request(me, now, session.session_id, 1))
    for port in (
        "requests",
        "sessions",
        "deliveries",
        "outbox",
        "scores",
        "blobs",
        "queue",
        "catalogue",
        "people",
        "runs",
    ):
        setattr(platform, port, Recorded(platform, port, log))
    body = json.dumps({"letters": "abcd"}).encode()
    files.submit_answer(platform, Request(me, now + SECOND, session.session_id, 1), body)
    (job,) = platform.store.outbox
    platform.queue.send([job])
    scoring.score_answer(platform, job)
    assert log == drawn


def test_every_function_on_an_answers_way_is_where_the_picture_says() -> None:
    (picture,) = pictures("An answer's way")
    named = participants(picture)
    for to, said in messages(picture):
        place = named.get(to, "")
        if not place.endswith(".py"):
            continue
        (path,) = {root / place for root in SOURCES if (root / place).is_file()}
        defined = {
            node.name for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.FunctionDef)
        }
        called = {"PUT": "submit_answer", "stream": "handler"}.get(said.split()[0], said)
        assert called in defined, (place, said)


def bars(picture: str) -> dict[str, tuple[int, int]]:
    """Return the bounds of each bar, in milliseconds since midnight."""
    midnight = datetime(1900, 1, 1)  # noqa: DTZ001 -- a clock's face, not a moment

    def ms(text: str) -> int:
        return round((datetime.strptime(text, "%H:%M:%S") - midnight).total_seconds() * 1000)  # noqa: DTZ007 -- the same

    found = re.findall(r":(\w+), (\d\d:\d\d:\d\d), (\d\d:\d\d:\d\d)$", picture, re.MULTILINE)
    return {name: (ms(start), ms(end)) for name, start, end in found}


def test_the_time_line_is_the_schedules() -> None:
    (picture,) = pictures("A run's time line")
    drawn = bars(picture)
    pause, resumed = drawn["pause"]
    starts_at = drawn["answer1"][0]
    decided = (
        Amendment(1, Kind.PAUSE, pause - AMENDMENT_NOTICE, pause, "anna", "a cable is cut"),
        Amendment(2, Kind.RESUME, resumed - RESUME_NOTICE, resumed, "anna", "mended"),
    )
    run = replace(RUN, files=3, starts_at=starts_at, amendments=decided)
    schedule = Schedule.of(run)
    for number, window in enumerate(schedule.windows, start=1):
        assert drawn[f"ask{number}"] == (window.opens_at - HOLD, window.request_by)
        assert drawn[f"answer{number}"] == (window.opens_at, window.answer_by)
    assert f"section file {run.files}, planned for 12:02" in picture
    assert schedule.planned_at(3) == starts_at + 120 * SECOND
    assert drawn["join"][1] == schedule.join_until
    assert drawn["flight"] == (schedule.ends_at, schedule.ends_at + IN_FLIGHT)
    assert (AMENDMENT_NOTICE, RESUME_NOTICE) == (5 * SECOND, 30 * SECOND), "the pause's words"


def test_the_tables_are_written_by_who_has_the_right() -> None:
    (picture,) = pictures("The tables and who writes them")
    drawn = set(re.findall(r"^ *(\w+)(?:\{\{\w+\}\})? --> (\w+)", picture, re.MULTILINE))
    rights = {(row.name, table) for row in FUNCTIONS for table in (*row.writes, *row.appends)}
    rights |= {
        (row.name, "reports_shadow" if prefix == "reports/shadow/" else prefix.partition("/")[0])
        for row in FUNCTIONS
        for prefix in row.writes_objects
    }
    assert {arrow for arrow in drawn if arrow[0] != "contest"} == rights
    assert {place for who, place in drawn if who == "contest"} == {"Catalogue", "Identity", "sets"}
    logging = {who for who, place in rights if place == "Catalogue"}
    assert logging == {
        "Annotate",
        "RunControl",
        "Operations",
        "Administration",
        "Settle",
        "Import",
        "MinuteTimer",
        "Submissions",
    }, "most log"
    assert {(who, place) for who, place in rights if place in {"Identity", "sets"}} == {
        ("Administration", "Identity"),
        ("Administration", "sets"),  # pages alone
        ("Import", "sets"),
        ("Settle", "sets"),  # what experts have brought
        ("SubmissionWorker", "sets"),  # what programs are given, made of items
        ("Rescore", "sets"),  # the same, for a rescoring alone
    }
