"""Breaking a process: one mutant by its name, or, to learn which seams a rehearsal goes through, none but all watched.

A process is told once of each seam: that it was gone through, and that the harm made a difference there.
"""

from __future__ import annotations

import builtins
import types
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from importlib import import_module
from typing import Any, Final

from local.rehearsal.harm.mutants import repeated, seams
from local.rehearsal.harm.mutants.results import Results
from local.rehearsal.harm.mutants.sites import CHOOSE, FLOW, RULE, RULES, Choose, Operand, Site, Value, changed, once

_MOMENTS: Final = 1_000_000_000_000
"""Greater numbers are moments in milliseconds."""
_LATER: Final = 61_000
_EMPTY: Final = frozenset({tuple, list, dict, str, bytes, int, bool})
"""Types of which nothing is an empty value; of all others it is none at all."""
_PLANTED: Final[set[str]] = set()
Tell = Callable[[str], None]


def plant(name: str, tell: Tell, chosen: Callable[[], str]) -> None:
    """Break this process. ``tell`` hears of the mutant's name at the first difference it makes; LookupError.

    ``chosen`` is asked for the mutant of the moment where ``name`` is ``seams.AT_THE_END``. A process whose modules ask
    for the same again, each by itself, is broken once.
    """
    if name in _PLANTED:
        return
    _PLANTED.add(name)
    told: set[str] = set()

    def once(which: str) -> None:
        if which not in told:
            told.add(which)
            tell(which)

    if name == seams.OBSERVE:
        results = Results(once)
        setattr(builtins, CHOOSE, choosing(results.differs, results.is_tried))
        for module in (*seams.modules_of(RULE), *seams.modules_of(FLOW)):
            _plant_code(module, lambda _: True, results)
        for each in seams.ports():
            _plant_port(each, once, harm=False)
        _plant_routes(list(seams.routes()), once, lambda _: False)
        return
    if name == seams.AT_THE_END:
        _plant_routes(list(seams.routes()), once, lambda which: which == chosen())
        return
    family = name.partition(":")[0]
    if family in {RULE, FLOW}:
        setattr(builtins, CHOOSE, choosing(once, lambda _: True))
        _plant_code(name.split(":")[1], lambda site: site.name == name)
    elif family == "port":
        _plant_port(name, once, harm=True)
    else:
        _plant_routes([name], once, lambda _: True)


def choosing(told: Tell, harm: Callable[[str], bool]) -> Choose:
    """What takes the wrong value of a mutant that does ``harm``, else the right one, and tells where they differ."""

    def choose(
        names: tuple[str, ...], operands: tuple[Operand, ...], right_of: Value, wrong_of: tuple[Value, ...]
    ) -> Any:
        known = [once(each) for each in operands]
        right = right_of(*known)
        taken = right
        for name, value_of in zip(names, wrong_of, strict=True):
            try:
                wrong = value_of(*known)
            except Exception:
                told(name)
                if harm(name):
                    raise
                continue
            if right is not wrong and right != wrong:
                told(name)
            taken = wrong if harm(name) else taken
        return taken

    return choose


def _plant_code(module: str, wanted: Callable[[Site], bool], results: Results | None = None) -> None:
    """Have a module's functions computed with the choices that are wanted, and of rules the ``results`` compared."""
    functions: set[str] = set()

    def chosen(site: Site) -> bool:
        if not wanted(site):
            return False
        functions.add(site.function)
        return True

    tree = changed(module, seams.source_of(module), chosen)
    codes = dict(_codes(compile(tree, module, "exec", dont_inherit=True), ""))
    for function in functions:
        found, code = _function(import_module(module), function), codes[function]
        key = f"{RULE}:{module}:{function}"
        if results is not None and module.startswith(RULES) and results.watch(key, found, code):
            continue
        if found.__code__.co_freevars == code.co_freevars:  # a class that is made anew has another cell for super()
            found.__code__ = code


def _codes(code: types.CodeType, prefix: str) -> list[tuple[str, types.CodeType]]:
    """Code of functions and methods of a module by their names."""
    found = []
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            name = f"{prefix}{each.co_name}"
            found += [(name, each), *_codes(each, f"{name}.")]
    return found


def _function(module: types.ModuleType, name: str) -> types.FunctionType:
    """A module's function, or a class's method, whatever it is wrapped in."""
    owner: Any = module
    *outer, last = name.split(".")
    for each in outer:
        owner = getattr(owner, each)
    found = vars(owner)[last]
    found = getattr(found, "fget", None) or getattr(found, "func", None) or getattr(found, "__func__", None) or found
    while hasattr(found, "__wrapped__"):
        found = found.__wrapped__
    assert isinstance(found, types.FunctionType)  # noqa: S101 - what else would have code
    return found


def _plant_port(name: str, told: Tell, *, harm: bool) -> None:
    _, module, method, how = name.split(":")
    kind, _, last = method.partition(".")
    adapter = getattr(import_module(f"contest.adapters.{module}"), kind)
    original = vars(adapter)[last]
    breaks = _write if original.__annotations__.get("return") == "None" else _read
    broken = breaks(original, how, lambda: told(name), harm=harm)
    broken.__annotations__ = original.__annotations__
    setattr(adapter, last, broken)


def _write(original: Callable[..., Any], how: str, told: Callable[[], None], *, harm: bool) -> Callable[..., Any]:
    """A method that changes something: does not, does it twice, a minute later, or what it was told before; with no
    ``harm`` as it is, but that it tells where that would have been another thing. What is written again and leaves
    what was written is none (:mod:`local.rehearsal.harm.mutants.repeated`)."""
    before: list[tuple[Any, Any]] = []

    def run(self: Any, *words: Any, **named: Any) -> Any:
        right, wrong = (words, named), (words, named)
        if how == "later":
            wrong = tuple(_shifted(each) for each in words), _shifted(named)
        elif how == "another":
            wrong = before[-1] if before else right
            before[:] = [right]
        if how == "lose" or wrong != right:
            told()
        words, named = wrong if harm else right
        if how == "double":
            with repeated.watched() as calls:
                original(self, *words, **named)
            if repeated.adds_up(calls):
                told()
        elif how != "lose" or not harm:
            original(self, *words, **named)
        if how == "double" and harm:
            with suppress(Exception):
                original(self, *words, **named)

    return run


def _read(original: Callable[..., Any], how: str, told: Callable[[], None], *, harm: bool) -> Callable[..., Any]:
    """A method that reads something: finds nothing, what was asked for before, what was there at first, other times,
    everything twice, or one thing less. ``harm`` as above."""
    known: dict[str, Any] = {}
    before: list[Any] = []

    def run(self: Any, *words: Any, **named: Any) -> Any:
        found = original(self, *words, **named)
        wrong = found
        if how == "nothing":
            wrong = type(found)() if type(found) in _EMPTY else None
        elif how == "later":
            wrong = _shifted(found)
        elif how == "doubled" and isinstance(found, tuple | list):
            wrong = type(found)([*found, *found])
        elif how == "short" and isinstance(found, tuple | list):
            wrong = found[:-1]
        elif how == "stale":
            wrong = known.setdefault(repr((words, named)), found)
        elif how == "another":
            wrong = before[0] if before else found
            before[:] = [found]
        if wrong is not found and wrong != found:
            told()
        return wrong if harm else found

    return run


def _shifted(value: Any) -> Any:
    """The value with every moment in it a minute later."""
    if isinstance(value, int):
        return value + _LATER if value > _MOMENTS else value
    if is_dataclass(value) and not isinstance(value, type):
        moved = {each.name: _shifted(getattr(value, each.name)) for each in fields(value) if each.init}
        return replace(value, **moved)
    if isinstance(value, tuple | list):
        moved_all = [_shifted(each) for each in value]
        return type(value)(*moved_all) if hasattr(value, "_fields") else type(value)(moved_all)
    if isinstance(value, Mapping):
        return {key: _shifted(each) for key, each in value.items()}
    return value


def _plant_routes(names: Sequence[str], told: Tell, harm: Callable[[str], bool]) -> None:
    """Routes that answer for another's session (``another``), or whoever has not the right (``anybody``).

    ``harm`` says of a mutant whether it does more than tell.
    """
    wanted = frozenset(names)
    web, access = import_module("contest.edge.web"), import_module("contest.services.session.access")
    rights, reading = import_module("contest.domain.people.rights"), import_module("contest.services.reading")
    without_right, may, admit = web._without_right, rights.may, access.admit
    now = [""]

    def asked(event: Any) -> Any:
        now[:] = [event.get("routeKey", "")]
        return without_right(event)

    def may_all(identity: Any, right: Any) -> bool:
        allowed, name = bool(may(identity, right)), f"route:{now[0]}:anybody"
        if not allowed and name in wanted:
            told(name)
        return allowed or (name in wanted and harm(name))

    def admitted(platform: Any, *words: Any, **named: Any) -> Any:
        found, name = admit(platform, *words, **named), f"route:{now[0]}:another"
        session = reading.session(platform, found.session_id) if name in wanted else None
        if session is None or session.team_id == found.identity.team_id:
            return found
        told(name)
        return replace(found, identity=replace(found.identity, team_id=session.team_id)) if harm(name) else found

    for owner, name, broken in ((web, "_without_right", asked), (rights, "may", may_all), (access, "admit", admitted)):
        setattr(owner, name, broken)
