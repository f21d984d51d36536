"""Whether a rule that is broken in one place gives another result for what it is asked in a rehearsal.

A rule is a pure function: where what it gives is the same, nothing outside can differ, whatever differed inside. So a
watched rule, in whose call a place would have had another value, is asked the same once more for that place alone, with
the wrong value there, and the two results are compared; where it comes to no end, there is none. Functions that give
nothing back or are generators, and calls with iterators, which cannot be asked twice, are taken to differ where a place
does.
"""

from __future__ import annotations

import builtins
import inspect
import threading
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

WATCHED: Final = "_hurdle_watched"
_TRAMPOLINE: Final = f"def asked(*words, **named):\n    return {WATCHED}({{key!r}}, words, named)\n"
_MOST_CHOICES: Final = 2_000
"""A rule that is asked once more makes fewer choices, or it comes to no end."""
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class _Came:
    """What came of a call: a value, or an error."""

    value: Any = None
    error: Exception | None = None

    def is_same_as(self, other: _Came) -> bool:
        """Whether nobody who made the call can tell the two apart."""
        if self.error is not None or other.error is not None:
            mine, its = self.error, other.error
            return type(mine) is type(its) and (vars(mine), mine.args) == (vars(its), its.args)  # type: ignore[union-attr]
        try:
            return bool(self.value == other.value)
        except Exception:  # noqa: BLE001 - what cannot be compared is another thing
            return False


class Results:
    """The rules that are watched in this process; ``tell`` hears of each mutant with which one gives another result."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._told: set[str] = set()
        self._inner: dict[str, Callable[..., Any]] = {}
        self._of_thread = threading.local()

    def is_tried(self, name: str) -> bool:
        """Whether a rule is asked once more for this mutant just now. RecursionError where that comes to no end."""
        tried = self._on_trial
        if tried:
            self._of_thread.choices += 1
            if self._of_thread.choices > _MOST_CHOICES:
                raise RecursionError(tried)
        return name == tried

    @property
    def _on_trial(self) -> str:
        return str(getattr(self._of_thread, "on_trial", ""))

    def watch(self, key: str, function: types.FunctionType, code: types.CodeType) -> bool:
        """Have a function asked with this code, and its results compared; whether that can be done. ``key`` is how the
        names of its mutants begin."""
        nothing = function.__annotations__.get("return") in {None, "None"}
        if nothing or inspect.isgeneratorfunction(function) or code.co_freevars:
            return False
        inner = types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__)
        inner.__kwdefaults__ = function.__kwdefaults__
        self._inner[key] = inner
        setattr(builtins, WATCHED, self._asked)
        names: dict[str, Any] = {}
        exec(_TRAMPOLINE.format(key=key), names)  # noqa: S102 - our own text
        function.__defaults__ = function.__kwdefaults__ = None
        function.__code__ = names["asked"].__code__
        return True

    def differs(self, name: str) -> None:
        """Hear of a place that would have had another value in the call that is being computed."""
        if self._on_trial:
            return
        calls = self._calls()
        key, _, _ = name.rsplit(":", 2)
        if calls and calls[-1][0] == key:
            calls[-1][1].add(name)
        elif name not in self._told:
            self._say(name)

    def _calls(self) -> list[tuple[str, set[str]]]:
        if not hasattr(self._of_thread, "calls"):
            self._of_thread.calls = []
        calls: list[tuple[str, set[str]]] = self._of_thread.calls
        return calls

    def _say(self, name: str) -> None:
        self._told.add(name)
        self._tell(name)

    def _asked(self, key: str, words: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
        inner = self._inner[key]
        if self._on_trial:
            return inner(*words, **named)
        once = any(isinstance(each, Iterator) for each in (*words, *named.values()))
        differing: set[str] = set()
        self._calls().append(("" if once else key, differing))
        try:
            came = _came(inner, words, named)
        finally:
            self._calls().pop()
        for name in sorted(differing - self._told):
            if not came.is_same_as(self._tried(name, inner, words, named)):
                self._say(name)
        if came.error is not None:
            raise came.error
        return came.value

    def _tried(self, name: str, inner: Callable[..., Any], words: tuple[Any, ...], named: Mapping[str, Any]) -> _Came:
        self._of_thread.on_trial, self._of_thread.choices = name, 0
        try:
            return _came(inner, words, named)
        finally:
            self._of_thread.on_trial = ""


def _came(inner: Callable[..., Any], words: tuple[Any, ...], named: Mapping[str, Any]) -> _Came:
    try:
        return _Came(value=inner(*words, **named))
    except Exception as error:  # noqa: BLE001 - whatever the rule refuses with
        return _Came(error=error)
