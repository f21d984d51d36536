"""Parameters of an exam's cycle: the seed by which prompts are chosen, and the prompts (tracks-sessions U-2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from markup_core.command.complaints import RefusedError
from tracks.exam.prompts import DEFAULT, Prompts, choose, of_json
from tracks.fields import Fields
from tracks.protocol import Json, Reason
from tracks.reasons import GIVEN, of_parameters, reason

SEED, PROMPTS = "prompt_seed", "prompts"
_KNOWN: Final = GIVEN | {SEED, PROMPTS}
_MOST: Final = 2**53 - 1
"""The largest whole number that every reader of JSON keeps."""


def complete(raw: Json) -> tuple[dict[str, Json], tuple[Reason, ...]]:
    """``prompt_seed``, a whole number from 0, with the ``prompts`` by type: three of each type where none are given.

    **Decision**: without a seed nothing is chosen, and there are no parameters: an item keeps the instruction with
    which it was published. A type without prompts keeps it, too.
    """
    reasons = list(of_parameters(raw, _KNOWN))
    given = raw if isinstance(raw, Mapping) else {}
    reasons += _of_seed(given)
    prompts: Prompts = DEFAULT
    if given.get(PROMPTS) is not None:
        prompts, problems = of_json(given[PROMPTS])
        reasons += [Reason("invalid_params", each, {"field": PROMPTS}) for each in problems]
        if given.get(SEED) is None:
            en, ru = "prompts are chosen by prompt_seed, which is missing", "запросы выбирает prompt_seed, его нет"
            reasons.append(reason("invalid_params", SEED, en, ru))
    if reasons or given.get(SEED) is None:
        return {}, tuple(reasons)
    return {SEED: given[SEED], PROMPTS: {kind: list(texts) for kind, texts in prompts.items()}}, ()


def _of_seed(given: Mapping[str, Json]) -> Iterator[Reason]:
    try:
        Fields(given).whole(SEED, None, low=0, high=_MOST)
    except RefusedError as error:
        yield reason("invalid_params", SEED, error.message, error.text("ru"))


def instruction(item: Json, parameters: Mapping[str, Json]) -> str:
    """The instruction of an item under these completed parameters: the chosen prompt, or the item's own.

    Clause: TS U-2
    """
    own, meta = str(item["instruction"]), item["meta"]
    if SEED not in parameters:
        return own
    return choose(parameters[PROMPTS], meta["type"], str(meta["id"]), parameters[SEED]) or own
