"""The operations ``fusion.*`` on plain JSON values (tracks.md §5).

Codes of refusals: ``invalid_request`` (details: field) for the request's own fields; ``invalid_data`` for what is in
the dictionaries (details: every fault, up to a hundred of each dictionary, with its code, field and message).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from markup_core.command.complaints import RefusedError
from markup_core.texts import first_of
from tracks.fields import Fields, refuse
from tracks.fusion import subtasks
from tracks.fusion.score import MODES, PREDICTION, TRUTH, Faults, score
from tracks.fusion.subtasks import Subtask, decimal, integral
from tracks.protocol import Json, Reason
from tracks.texts import tr

_LISTS: Final = ("alpha", "fix", "max")
_PARAMS: Final = frozenset({"smin", "full", *_LISTS})


def refuse_data(reasons: Sequence[Reason]) -> None:
    """Refuse dictionaries with faults; nothing happens without any."""
    if reasons:
        faults = [{"code": fault.code, "message": fault.message.en, **fault.where} for fault in reasons]
        raise RefusedError("invalid_data", first_of([fault.message for fault in reasons], 1), faults)


def read_scores(fields: Fields) -> dict[Subtask, float | None]:
    """Read the four scores of a request: ``c2c`` from 0 to 100, the others from 0 to 1; null is an undefined one."""
    for subtask in Subtask:
        fields.raw(subtask.key)  # refuses one that is left out
    return {subtask: fields.number(subtask.key, None, low=0, high=subtask.most) for subtask in Subtask}


def read_params(fields: Fields) -> subtasks.PrizeParams:
    """Read the rules of the prizes; by default the contest's own. ``alpha``, ``fix``, ``max``: a number per place."""
    raw_params = fields.mapping("params", None)
    if raw_params is None:
        return subtasks.CONTEST
    params = fields.part("params")
    for name in sorted(raw_params.keys() - _PARAMS):
        names = ", ".join(sorted(_PARAMS))
        refuse(params.path(name), tr("is no parameter; known are {names}", names=names))
    own = subtasks.CONTEST
    alpha, fix, most = (
        _numbers(params, name, default) for name, default in zip(_LISTS, (own.alpha, own.fix, own.most), strict=True)
    )
    if not len(alpha) == len(fix) == len(most):
        refuse(fields.path("params"), tr("must give alpha, fix and max for the same number of places"))
    smin, full = (decimal(params.number(name, float(getattr(own, name)), low=0)) for name in ("smin", "full"))
    return subtasks.PrizeParams(smin, full, alpha, fix, most)


def _numbers(params: Fields, name: str, default: tuple[Decimal, ...]) -> tuple[Decimal, ...]:
    numbers = params.items(name, None)
    if numbers is None:
        return default
    entries = Fields({str(place): value for place, value in enumerate(numbers)}, params.path(name))
    return tuple(decimal(entries.number(str(place), low=0)) for place in range(len(numbers)))


def _scored(subtask: Subtask) -> Callable[[Fields], dict[str, Json]]:
    """Build the operation of a subtask; it reports faults of both dictionaries at once."""

    def operation(fields: Fields) -> dict[str, Json]:
        if not MODES[subtask] and fields.raw("mode", None) is not None:
            refuse(fields.path("mode"), tr("must be absent: {value} has one way of counting", value=subtask.value))
        mode: str | None = fields.choice("mode", MODES[subtask], None)
        true_faults, faults = Faults(), Faults()
        truth = TRUTH[subtask](fields.mapping("true"), "true", true_faults)
        prediction = PREDICTION[subtask](fields.mapping("prediction"), "prediction", faults)
        refuse_data([*true_faults.reasons, *faults.reasons])
        return score(subtask, truth, prediction, mode).to_dict()

    return operation


def _integral(fields: Fields) -> dict[str, Json]:
    total = integral(read_scores(fields))
    return {"s": None if total is None else float(total)}


def _prize(fields: Fields) -> dict[str, Json]:
    """Compute a prize; with ``scores`` (as ``fusion.integral`` takes them) none below one of the minima."""
    s, place = fields.number("s", low=0, high=len(Subtask)), fields.whole("place", low=1)
    scores = None if fields.mapping("scores", None) is None else read_scores(fields.part("scores"))
    amount = subtasks.roubles(decimal(s), place, read_params(fields), scores)
    return {"roubles": int(amount) if amount == amount.to_integral_value() else float(amount)}


OPERATIONS: Final[Mapping[str, Callable[[Fields], Any]]] = {
    **{f"fusion.{subtask.key}": _scored(subtask) for subtask in Subtask},
    "fusion.integral": _integral,
    "fusion.prize": _prize,
}
