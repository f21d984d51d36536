"""Simulated experts at work: whoever has an assignment opens it, saves a draft, and hands it in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from local.rehearsal.moments import SECOND, Millis
from local.simulation.essays import Essay
from local.simulation.noise import Marker
from local.simulation.programs import EXPERTS_NOISE
from local.whole_cycle.people import Person
from local.whole_cycle.telling import show
from markup_core.speaking import say

Json = Any
_ESSAY_TAKES: Final[Millis] = 60 * SECOND
_LIVE: Final = frozenset({"assigned", "opened"})


class Office:
    """All experts; ``wait`` lets the cycle's time pass."""

    def __init__(
        self, people: Sequence[Person], essays: Mapping[str, Essay], seed: int, wait: Callable[[Millis], None]
    ) -> None:
        self._people = people
        self._essays = essays
        self._seed = seed
        self._wait = wait

    def work(self) -> int:
        """Do everything that has been given out, third markups that follow from it included; how many were handed in.

        In a round everybody does one essay, and the cycle's clock goes on by what an essay takes.
        """
        done = 0
        while finished := sum(self._one(person) for person in self._people):
            done += finished
            self._wait(_ESSAY_TAKES)
        how = "(PUT /v1/assignments/…/draft, POST …/hand-in)"
        show(say(f"experts   handed in {done} {how}", f"эксперты  сдано работ: {done} {how}"))
        return done

    def _one(self, person: Person) -> bool:
        """Let an expert do the next essay; whether there was one."""
        own = person.ask("GET /v1/assignments")["assignments"]
        live = next((each["assignment_id"] for each in own if each["state"] in _LIVE), None)
        if live is None:
            return False
        content = person.ask(f"POST /v1/assignments/{live}/open")["content"]
        draft = _ratings(content) if "cards" in content else self._markup(person, content)
        saved = person.ask(f"PUT /v1/assignments/{live}/draft", draft, {"If-Match": '"0"'})
        revision = saved["assignment"]["draft"]["revision"]
        person.ask(f"POST /v1/assignments/{live}/hand-in", None, {"If-Match": f'"{revision}"'})
        return True

    def _markup(self, person: Person, content: Json) -> Json:
        marker = Marker(f"{self._seed} expert {person.name}", EXPERTS_NOISE)
        return marker.markup(content, self._essays[content["text"]])


def _ratings(content: Json) -> Json:
    """Yes to all five questions: programs explain as well as experts do, so that noise alone tells them apart."""
    return {"ratings": {card["fragment"]: [True] * content["questions"] for card in content["cards"]}}
