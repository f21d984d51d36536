"""Parameters of a gec cycle: beta, and which gold edits places go by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from markup_core.command.complaints import RefusedError
from tracks.fields import Fields
from tracks.gec.counts import DEFAULT_BETA, MAX_BETA, MIN_BETA
from tracks.gec.faults import of_refusal
from tracks.protocol import Json, Reason
from tracks.reasons import GIVEN, of_parameters

_READERS: Final[Mapping[str, Callable[[Fields], Json]]] = {
    "beta": lambda fields: fields.number("beta", DEFAULT_BETA, low=MIN_BETA, high=MAX_BETA),
}


def complete(raw: Json) -> tuple[dict[str, Json], tuple[Reason, ...]]:
    """``beta`` (0.5)."""
    reasons = list(of_parameters(raw, GIVEN | _READERS.keys()))
    fields, completed = Fields(raw if isinstance(raw, Mapping) else {}), {}
    for name, read in _READERS.items():
        try:
            completed[name] = read(fields)
        except RefusedError as error:
            reasons.append(of_refusal("invalid_params", error))
    return ({}, tuple(reasons)) if reasons else (completed, ())
