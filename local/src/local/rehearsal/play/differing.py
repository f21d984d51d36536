"""Markups that differ from a known one so much that the rule calls for a third expert (R 7.10, markup-scoring §6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from tracks import registry
from tracks.capabilities import MarkedByExperts
from tracks.essay.items import complete

Json = Any


def from_known(known: Mapping[str, Json]) -> Sequence[Json]:
    """Some of a markup's fragments that call for a third expert beside all of them; none where no such are found: with
    few points given by both, experts cannot differ by as many as the rule asks for."""
    track, parameters = cast(MarkedByExperts, registry.get("essay")), complete({})[0]
    fragments = known["selections"]
    errors = [each for each in fragments if each["group"] == "error"]
    others = [each for each in fragments if each["group"] != "error"]
    item = {name: value for name, value in known.items() if name != "selections"}
    for some in (fragments[:1], errors, others, fragments[1::2]):
        if some and track.third_expert(item, known, {**known, "selections": some}, parameters):
            return some
    return ()
