"""Any contest's sessions played over HTTP from its sample: whatever is sent, what the platform makes of it is what the
library makes of the same answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import pytest

from contest.exchange.store import DynamoDeliveries
from tests.stage import Program
from tests.tracks.samples import SAMPLES, Entry, Sample
from tracks.protocol import ItemFacts, Outcome
from tracks.rules import Details

KINDS = {"train": "training"}
GOOD, POOR, INVALID, MISSED, KILLED = "good", "poor", "invalid", "missed", "killed"
"""Fates of a file: a good answer, a bad one, an invalid one, none, and a good one while the function dies."""


class DeathError(Exception):
    """The process is gone."""


@contextmanager
def dying(port: type, write: str) -> Iterator[None]:
    """Let every call of a write kill its process before it is done."""
    with patch.object(port, write, side_effect=DeathError):
        yield


def plant(monkeypatch: pytest.MonkeyPatch, module: Any, name: str, change: Callable[..., Any]) -> None:
    """Plant a bug in a function: ``change`` gets its result and its arguments, and returns another result."""
    really = vars(module)[name]
    monkeypatch.setattr(module, name, lambda *arguments, **more: change(really(*arguments, **more), *arguments))


@dataclass(frozen=True, slots=True)
class Contest:
    """A sample as a cycle of a training and a test set of the same items, and a final one without references."""

    sample: Sample

    @classmethod
    def named(cls, name: str) -> Contest:
        """Return the contest of a sample."""
        return cls(SAMPLES[name])

    @property
    def entries(self) -> Mapping[str, Entry]:
        """Return the items by their ids."""
        return {self.sample.facts(each).item_id: each for each in self.sample.entries}

    def folder(self, *sets: str) -> dict[str, Any]:
        """Return the cycle's folder with these sets, each of all items of the sample."""
        facts = [self.sample.facts(each) for each in self.sample.entries]
        kinds = {name: KINDS.get(name, name) for name in sets}
        files: dict[str, Any] = {
            "cycle.json": {
                "cycle": "contest-1",
                "name": {"ru": "Цикл", "en": "Cycle"},
                "track": self.sample.track,
                "languages": {each.language: sorted({other.group for other in facts}) for each in facts},
                "parameters": {**self.sample.parameters, "technical": {"enabled": False}, "least_hidden_items": 1},
                "sets": {name: {"kind": kind} for name, kind in kinds.items()},
            }
        }
        files |= self.sample.files
        for set_name in kinds:
            for name, entry in self.entries.items():
                files[f"{set_name}/{name}.json"] = entry.item
                for number, reference in enumerate(entry.references, start=1):
                    files[f"{set_name}/{name}_exp{number:02d}.json"] = reference
        return files

    def items_of(self, program: Program) -> list[str]:
        """List the item ids behind the files of a session, which nobody outside the platform knows."""
        return [each.item_id for each in program.stage.platform.sessions.plan(program.session_id)]

    def play(self, program: Program, fates: Mapping[int, str]) -> None:
        """Take every file; answer it as its fate says, well without one."""
        items = self.items_of(program)
        for number, item in enumerate(items, start=1):
            assert program.get(f"files/{number}").status == 200
            fate = fates.get(number, GOOD)
            if fate == INVALID:
                assert program.answer(number, b"{").status == 400
            elif fate != MISSED:
                for body in getattr(self.entries[item], GOOD if fate == KILLED else fate):
                    if fate == KILLED:
                        with dying(DynamoDeliveries, "send"):
                            assert program.answer(number, body).status == 500
                    assert program.answer(number, body).status == 200
            program.stage.advance(1)

    def by_the_library(self, program: Program, fates: Mapping[int, str]) -> Any:
        """Compute the result of the same answers by the library alone, as far as the session's set shows it."""
        return self.of_plan(program, program.stage.platform.sessions.plan(program.session_id), fates)

    def of_plan(self, program: Program, plan: Sequence[Any], fates: Mapping[int, str]) -> Any:
        """Compute the same for files whose plan is a run's."""
        session = program.stage.platform.sessions.get(program.session_id)
        assert session is not None
        outcomes = []
        for number, planned in enumerate(plan, start=1):
            entry, fate = self.entries[planned.item_id], fates.get(number, GOOD)
            sent = {GOOD: entry.good, KILLED: entry.good, POOR: entry.poor}.get(fate)
            made = self.sample.outcome(entry, sent)
            facts = ItemFacts(planned.file_id, planned.language, planned.group)
            outcomes.append(Outcome(facts, made.answered, made.score))
        track, rules = self.sample.made(), self.sample.completed()
        parameters = program.stage.platform.catalogue.parameters(session.parameters_version)
        result = track.aggregate(outcomes, rules, parameters.bootstrap_seed)
        is_hidden = track.details(session.set_kind.value) is not Details.FILES
        return track.totals(result, outcomes) if is_hidden else result
