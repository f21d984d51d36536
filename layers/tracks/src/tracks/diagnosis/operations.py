"""The diagnosis operations on plain JSON values (tracks.md §5).

Codes of refusals: ``invalid_request`` (details: field).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from markup_core.reading.wire import short
from tracks.diagnosis import answers, measures, replay
from tracks.diagnosis.aggregate import assess, tallies
from tracks.diagnosis.board import CRITERION_OF, Entry, board, partial_barrier
from tracks.diagnosis.classifier import NAMES
from tracks.diagnosis.score import Cost, Judged, decide, final_cell, worth
from tracks.diagnosis.stages import MOST_UNITS, MOST_Z
from tracks.fields import Fields, refuse, to_dict
from tracks.texts import tr

_MOST_COUNTED: Final = 10**12
_MOST_SECONDS: Final = 1e9
_SHARES: Final = ("se_lower", "sp_lower", "se_complications", "se_comorbidities")


def validate(fields: Fields) -> dict[str, Any]:
    """``{"answer", "stage"}`` → ``{"valid", "reasons", "warnings"}``; both are of ``{"code", "message", "message_ru",
    "where"}``."""
    verdict = answers.judge(fields.choice("stage", answers.STAGES), fields.raw("answer"))
    reasons, warnings = ([to_dict(remark) for remark in remarks] for remarks in (verdict.reasons, verdict.warnings))
    return {"valid": verdict.valid, "reasons": reasons, "warnings": warnings}


def bound(fields: Fields) -> dict[str, Any]:
    """``{"successes", "n", "z"}`` → ``{"estimate", "lower"}``, both null of nothing (D-App1а, formula 8)."""
    n = fields.whole("n", low=0, high=_MOST_COUNTED)
    successes = fields.whole("successes", low=0, high=n)
    z = fields.number("z", measures.Z, low=0, high=MOST_Z)
    return {"estimate": measures.share(successes, n), "lower": measures.lower_bound(successes, n, z)}


def session(fields: Fields) -> dict[str, Any]:
    """``{"epicrises": [{nosology, ill, v3, v2, cost_min, cost_max}], "z"}`` → matrices, shares, bounds, Sk, barrier.

    An answer that is null or not valid is none. Epicrises of the final's stage 1 are ``{nosology, ill, final, cost}``:
    together with the semifinal's they make the final's matrices (D-App1в, formula 16).
    """
    z = fields.number("z", measures.Z, low=0, high=MOST_Z)
    return assess(tallies([_judged(epicrisis) for epicrisis in fields.parts("epicrises")]), z).to_dict()


def teams(fields: Fields) -> dict[str, Any]:
    """``{"teams": [{team, sk, se_lower, …}], "stage"}`` → ``{"places": {team: place}}``: by the criterion of the
    semifinal (D 8.15) or, without a stage, of the final (D-App1в)."""
    criterion = CRITERION_OF[fields.choice("stage", tuple(CRITERION_OF), "final")]
    return {"places": {place.team: place.place for place in board(entries(fields), criterion)}}


def entries(fields: Fields) -> list[Entry]:
    """Read the teams of a board request; null or absent values are undefined."""
    team_entries = [
        _values(team.text("team"), team, team.number("sk", None, low=0, high=1)) for team in fields.parts("teams")
    ]
    names: set[str] = set()
    for place, entry in enumerate(team_entries):
        if entry.team in names:
            refuse(f"{fields.path('teams')}[{place}].team", tr("is there twice: {team}", team=short(entry.team)))
        names.add(entry.team)
    return team_entries


def partial(fields: Fields) -> dict[str, Any]:
    """Rank ``{"passed": {team: {nosology: sk or {sk, se_lower, …}}}}`` → ``{"places": [team, …]}``, best first."""
    return {"places": [place.team for place in partial_barrier(passed_values(fields))]}


def passed_values(fields: Fields) -> dict[str, dict[str, Entry]]:
    """Read a partial barrier request: teams with their values of every nosology they passed; a number is its Sk."""
    passed = fields.part("passed")
    return {team: _entries_by_nosology(team, passed.part(team)) for team in passed.values}


def rounds(fields: Fields) -> dict[str, Any]:
    """Pair for ``{"rounds": 16 to 32}`` → ``{"pairs"}``: two clinicians per round and system (D 9.10.8.5)."""
    number = fields.whole("rounds", low=replay.FEWEST_ROUNDS, high=replay.MOST_ROUNDS)
    return {"pairs": [[list(pair) for pair in pairs] for pairs in replay.rotation(number)]}


OPERATIONS: Final[Mapping[str, Callable[[Fields], Any]]] = MappingProxyType(
    {
        "diagnosis.validate": validate,
        "diagnosis.bound": bound,
        "diagnosis.session": session,
        "diagnosis.board": teams,
        "diagnosis.partial_barrier": partial,
        "diagnosis.rotation": rounds,
    }
)


def _judged(epicrisis: Fields) -> Judged:
    nosology, ill = epicrisis.choice("nosology", NAMES), epicrisis.flag("ill")
    if "final" in epicrisis.values:
        reply = worth(_main(epicrisis.raw("final"), "final"), nosology, ill=ill)
        return Judged(nosology, final_cell(reply, ill=ill), epicrisis.number("cost", low=0, high=MOST_UNITS))
    v3, v2 = (worth(_main(epicrisis.raw(version), "semifinal"), nosology, ill=ill) for version in ("v3", "v2"))
    low, high = (epicrisis.number(name, low=0, high=MOST_UNITS) for name in ("cost_min", "cost_max"))
    row = decide(v3, v2, ill=ill)
    return Judged(nosology, row.cell, low if row.cost is Cost.MINIMAL else high)


def _main(answer: Any, stage: str) -> str | None:
    verdict = answers.judge(stage, answer)
    return answers.main_code(verdict.canonical) if verdict.valid and verdict.kind == "diagnosis" else None


def _values(team: str, fields: Fields, sk: float | None) -> Entry:
    """Read a team's values; all but Sk may be absent."""
    shares = {name: fields.number(name, None, low=0, high=1) for name in _SHARES}
    cost = fields.number("cost", None, low=0, high=MOST_UNITS)
    return Entry(
        team, sk, cost=cost, mean_time_s=fields.number("mean_time_s", None, low=0, high=_MOST_SECONDS), **shares
    )


def _entries_by_nosology(team: str, own: Fields) -> dict[str, Entry]:
    by_nosology = {}
    for name, value in own.values.items():
        if name not in NAMES:
            names = ", ".join(NAMES)
            refuse(own.path(name), tr("is no nosology; they are {names}", names=names))
        if isinstance(value, Mapping):
            by_nosology[name] = _values(team, own.part(name), own.part(name).number("sk", low=0, high=1))
        else:
            by_nosology[name] = Entry(team, own.number(name, low=0, high=1))
    return by_nosology
