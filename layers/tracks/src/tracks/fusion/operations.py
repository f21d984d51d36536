"""The operations ``fusion.*`` on plain JSON values (tracks.md §5).

Codes of refusals: ``invalid_request`` (details: field) for the request's own fields; ``invalid_data`` for what is in
the dictionaries (details: every fault, up to a hundred of each dictionary, with its code, field and message).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, TypeVar

from markup_core.operations import RefusedError
from tracks.fields import Fields, refuse
from tracks.fusion import htr, prize, vqa, zsod
from tracks.fusion.dictionaries import Faults, read_answers, read_boxes, read_texts
from tracks.fusion.integral import decimal, integral
from tracks.fusion.subtasks import Subtask
from tracks.protocol import Json, Reason

T = TypeVar("T")
U = TypeVar("U")
Reader = Callable[[Json, str, Faults], T]
_LISTS: Final = ("alpha", "fix", "max")
_PARAMS: Final = frozenset({"smin", "full", *_LISTS})


def refuse_data(reasons: Sequence[Reason]) -> None:
    """Refuse dictionaries with faults; nothing happens without any."""
    if reasons:
        faults = [{"code": each.code, "message": each.message.en, **each.where} for each in reasons]
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise RefusedError("invalid_data", f"{reasons[0].message.en}{more}", faults)


def read_scores(fields: Fields) -> dict[Subtask, float]:
    """The four scores of a request: ``c2c`` from 0 to 100, the others from 0 to 1."""
    return {subtask: fields.number(subtask.key, low=0, high=subtask.most) for subtask in Subtask}


def read_params(fields: Fields) -> prize.PrizeParams:
    """Rules of the prizes; what is left out is the contest's own. ``alpha``, ``fix``, ``max``: a number per place."""
    given = fields.mapping("params", None)
    if given is None:
        return prize.CONTEST
    params = fields.part("params")
    for name in sorted(given.keys() - _PARAMS):
        refuse(params.path(name), f"is no parameter; known are {', '.join(sorted(_PARAMS))}")
    own = prize.CONTEST
    alpha, fix, most = (
        _numbers(params, name, default) for name, default in zip(_LISTS, (own.alpha, own.fix, own.most), strict=True)
    )
    if not len(alpha) == len(fix) == len(most):
        refuse(fields.path("params"), "must give alpha, fix and max for the same number of places")
    smin, full = (decimal(params.number(name, float(getattr(own, name)), low=0)) for name in ("smin", "full"))
    return prize.PrizeParams(smin, full, alpha, fix, most)


def _numbers(params: Fields, name: str, default: tuple[Decimal, ...]) -> tuple[Decimal, ...]:
    given = params.items(name, None)
    if given is None:
        return default
    entries = Fields({str(place): value for place, value in enumerate(given)}, params.path(name))
    return tuple(decimal(entries.number(str(place), low=0)) for place in range(len(given)))


def _both(fields: Fields, truth: Reader[T], prediction: Reader[U]) -> tuple[T, U]:
    """The two dictionaries of a request; faults of both are told at once."""
    true_faults, faults = Faults(), Faults()
    read = (
        truth(fields.mapping("true"), "true", true_faults),
        prediction(fields.mapping("prediction"), "prediction", faults),
    )
    refuse_data([*true_faults.reasons, *faults.reasons])
    return read


def _c2c(fields: Fields) -> dict[str, Json]:
    from tracks.fusion import c2c  # loads the parser

    mode = fields.choice("mode", c2c.MODES, None)
    return c2c.score(*_both(fields, read_texts, read_texts), mode).to_dict()


def _htr(fields: Fields) -> dict[str, Json]:
    if fields.raw("mode", None) is not None:
        refuse(fields.path("mode"), "is not known to this subtask: strings are equal or not")
    return htr.score(*_both(fields, read_texts, read_texts)).to_dict()


def _zsod(fields: Fields) -> dict[str, Json]:
    mode = fields.choice("mode", zsod.MODES, None)
    return zsod.score(*_both(fields, read_boxes, read_boxes), mode).to_dict()


def _vqa(fields: Fields) -> dict[str, Json]:
    mode = fields.choice("mode", vqa.MODES, None)
    return vqa.score(*_both(fields, read_answers, read_texts), mode).to_dict()


def _integral(fields: Fields) -> dict[str, Json]:
    total = integral(read_scores(fields))
    return {"s": None if total is None else float(total)}


def _prize(fields: Fields) -> dict[str, Json]:
    """``scores`` (as ``fusion.integral`` takes them) may be given: below one of the minima there is no prize."""
    s, place = fields.number("s", low=0, high=len(Subtask)), fields.whole("place", low=1)
    scores = None if fields.mapping("scores", None) is None else read_scores(fields.part("scores"))
    amount = prize.roubles(decimal(s), place, read_params(fields), scores)
    return {"roubles": int(amount) if amount == amount.to_integral_value() else float(amount)}


OPERATIONS: Final[Mapping[str, Callable[[Fields], Any]]] = {
    "fusion.c2c": _c2c,
    "fusion.htr": _htr,
    "fusion.zsod": _zsod,
    "fusion.vqa": _vqa,
    "fusion.integral": _integral,
    "fusion.prize": _prize,
}
