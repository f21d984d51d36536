"""Sealed rulings: what the chain says of a decision on one team's file is a salted hash, which the record opens.

Whoever knows the chain from before the record knows that something was ruled, when, and in which order. What was ruled
is the one content that has this hash: it can be kept back, but not worded anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, Final

from markup_core.receipt import canonical_bytes
from pku.checks.run_chain import Fault

Json = Any
_SEALED: Final = "sealed"
_CONTENT: Final = ("amendment", "reason", "details")
"""What an opening says of its statement."""


def differences(chain: Sequence[Json], rulings: Sequence[Json], before: Sequence[Json] = ()) -> Iterator[Fault]:
    """What is wrong with the openings of a chain's seals: one that does not fit, one that is missing, one too many, and
    one that hides what everybody was to be told at once: a ruling may be sealed, and that one is taken back, which may
    be one of those ``before``.

    Clause: platform §3 rulings
    """
    seals = {each["number"]: each for each in chain if each.get("amendment") == _SEALED}
    ruled = {each["number"] for each in [*before, *rulings] if each["amendment"] == "rule"}
    opened: set[int] = set()
    for each in rulings:
        number = each["number"]
        if number not in seals or number in opened:
            yield Fault("ruling_unsealed", {"number": number})
            continue
        opened.add(number)
        due = (seals[number]["details"]["seal"], seals[number]["run_id"])
        if (hashlib.sha256(canonical_bytes(each)).hexdigest(), each["run_id"]) != due:
            yield Fault("seal_differs", {"number": number})
        elif each["amendment"] != "rule" and not (each["amendment"] == "undo" and _undone(each) in ruled):
            yield Fault("seal_hides", {"number": number})
    for number in sorted(seals.keys() - opened):
        yield Fault("seal_unopened", {"number": number})


def revealed(chain: Sequence[Json], rulings: Sequence[Json]) -> list[Json]:
    """The statements with what opens them in place of their seals."""
    opened = {each["number"]: {name: each[name] for name in _CONTENT} for each in rulings}
    return [{**each, **opened.get(each["number"], {})} if each.get("amendment") == _SEALED else each for each in chain]


def _undone(opening: Json) -> Json:
    return opening["details"].get("amendment")
