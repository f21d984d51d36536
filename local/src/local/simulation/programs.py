"""Who takes part in a simulated contest: two experts of one noise, a third one, and programs beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from local.simulation.essays import Essay
from local.simulation.noise import Marker
from tracks import registry
from tracks.protocol import Outcome

Json = Any
EXPERTS_NOISE: Final = 0.25
PROGRAMS: Final[Mapping[str, float]] = {"better": 0.1, "equal": EXPERTS_NOISE, "worse": 0.45, "empty": 1.0}
"""Noise by a program's name; ``equal`` has the experts' own, ``empty`` answers with markups without fragments."""
_TRACK: Final = registry.get("essay")


@dataclass(frozen=True, slots=True)
class Cast:
    """Everybody of one seed; people and programs of different seeds, and of one, are independent of each other."""

    seed: int

    def experts(self) -> tuple[Marker, Marker]:
        """Both experts, each an independent draw of the same noise."""
        first, second = (Marker(f"{self.seed} expert {number}", EXPERTS_NOISE) for number in (1, 2))
        return first, second

    def program(self, name: str) -> Marker:
        """A program by its name."""
        return Marker(f"{self.seed} program {name}", PROGRAMS[name])

    def records(self, essay: Essay, rules: Any) -> dict[str, Json]:
        """The score record of each program's answer against both experts, as the platform makes it."""
        references = [each.markup(essay.item, essay) for each in self.experts()]
        return {
            name: _TRACK.score(essay.item, self.program(name).markup(essay.item, essay), references, rules)
            for name in PROGRAMS
        }


def rules_of(hardness: float, **more: Json) -> Any:
    """The essay track's usual rules at this hardness (R 5.4), with other parameters."""
    rules, faults = _TRACK.read_parameters({"hardness": hardness, **more})
    if faults:
        raise ValueError(str(faults))
    return rules


def accuracies(essays: Sequence[Essay], records: Sequence[Json], rules: Any, seed: int) -> Json:
    """STAR, STER and OTAR with their intervals, as the platform aggregates a session's records."""
    outcomes = []
    for essay, record in zip(essays, records, strict=True):
        facts, faults = _TRACK.read_item(essay.item, rules)
        if facts is None:
            raise ValueError(str(faults))
        outcomes.append(Outcome(facts, answered=True, score=record))
    return _TRACK.aggregate(outcomes, rules, seed)
