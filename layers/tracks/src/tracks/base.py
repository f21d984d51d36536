"""Bases of tracks' classes, places on a board, fingerprints, and parts of JSON Schemas.

A base answers the methods of :class:`tracks.protocol.Track` that most contests answer alike; a track overrides those in
which its contest is different.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from hashlib import sha256
from typing import Any, ClassVar, Final

from markup_core.receipt import canonical_json
from tracks._version import __version__
from tracks.capabilities import Judged
from tracks.fields import no_notation, reason
from tracks.protocol import Json, Outcome, Place, Schemas, Standing, Step, Track, Turn, Verdict, Written
from tracks.rules import BoardRules, Details, ModeRules, NoticePeriod
from tracks.texts import tr

_PORTION: Final = 1 << 20
"""Characters that are hashed at a time."""


class PlainTrack:
    """A track without a notation for people, with totals alone for hidden sets.

    ``version`` is that of the tracks; the other class variables are what the methods of their names return.
    """

    version = f"tracks {__version__}"
    mode_rules: ClassVar[tuple[ModeRules, ...]]
    board_rules: ClassVar[tuple[BoardRules, ...]]
    forms: ClassVar[Schemas]
    periods: ClassVar[tuple[NoticePeriod, ...]] = ()
    sizes: ClassVar[Mapping[str, int]] = {}

    def modes(self) -> tuple[ModeRules, ...]:
        """Return the kinds of sessions that the contest has."""
        return self.mode_rules

    def boards(self) -> tuple[BoardRules, ...]:
        """Return the contest's boards, its main one first."""
        return self.board_rules

    def schemas(self) -> Schemas:
        """Return JSON Schemas of all that the contest says, and of the answers to it."""
        return self.forms

    def notice_periods(self) -> tuple[NoticePeriod, ...]:
        """Return the contest's notice periods, none where its rules name no days."""
        return self.periods

    def least_sets(self) -> Mapping[str, int]:
        """Return the least sizes of sets by their kinds, none where the rules name none."""
        return self.sizes

    def details(self, set_kind: str) -> Details:
        """Return the details: every file for a training set, totals alone for any other."""
        return Details.FILES if set_kind == "training" else Details.TOTALS

    def totals(self, aggregate: Json, outcomes: Sequence[Outcome]) -> Json:
        """Return the aggregate as it is, because it names no item."""
        return aggregate

    def rank(self: Track, standings: Sequence[Standing], board: str = "") -> tuple[Place, ...]:
        """Return the places by the board's value, highest first; undefined ones share the last."""
        return by_value({standing.team: self.value(standing.aggregate, board) for standing in standings})

    def read_text(self, body: bytes, parameters: Json) -> Verdict:
        """Refuse the text: there is no notation."""
        return Verdict((no_notation(),))

    def write_text(self, body: bytes, parameters: Json) -> Written:
        """Refuse to write: there is no notation."""
        return Written(None, (no_notation(),))

    def compare(self, item: Json, x: Json, y: Json, parameters: Json, *, x_is_reference: bool) -> Json:
        """Return nothing: the score record is enough."""
        return None

    def overcame(self, aggregate: Json, board: str = "") -> bool | None:
        """Return nothing: the contest has no barrier."""
        return None


class OneStepTrack(PlainTrack):
    """A track whose items are answered at one step, which is the same in every cycle."""

    step: ClassVar[Step]

    def steps(self, parameters: Json) -> tuple[Step, ...]:
        """Return the one step."""
        return (self.step,)

    def respond(self, item: Json, turns: Sequence[Turn], parameters: Json) -> Json:
        """Return nothing: an answer ends an item."""
        return None


class UnratedTrack:
    """The part of :class:`tracks.capabilities.MarkedByExperts` about ratings, where nothing of an answer is rated."""

    def cards(self, item: Json, answer: Json, file_id: str) -> Json:
        """Return nothing to rate."""
        return None

    def judge_ratings(self, answer: Json, body: bytes, parameters: Json) -> Judged:
        """Refuse any ratings."""
        return Judged((reason("nothing_to_rate", "", tr("nothing of an answer is rated")),))

    def weighs_ratings(self, parameters: Json) -> bool:
        """Return False: scores depend on no ratings."""
        return False

    def is_rated(self, answer: Json, ratings: Json) -> bool:
        """Return True: there is nothing to wait for."""
        return True

    def score_rated(
        self: Track, item: Json, answer: Json, references: Sequence[Json], ratings: Json, parameters: Json
    ) -> Json:
        """Return the score without ratings."""
        return self.score(item, answer, references, parameters)


# Clause: R 2.13, platform §4 boards
def by_value(values: Mapping[str, float | Decimal | None]) -> tuple[Place, ...]:
    """Rank teams by a value of which more is better; None is undefined, behind every defined one."""
    return by_key({team: (True, 0) if value is None else (False, -value) for team, value in values.items()})


def by_key(keys: Mapping[str, tuple[Any, ...]]) -> tuple[Place, ...]:
    """Rank teams by keys, the smallest first: 1 + the number of smaller ones, so equal keys share a place.

    Teams that share a place stand in the order of their names. O(n log n).
    """
    places: list[Place] = []
    for number, team in enumerate(sorted(keys, key=lambda team: (keys[team], team)), start=1):
        shared = places and keys[places[-1].team] == keys[team]
        places.append(Place(team, places[-1].place if shared else number))
    return tuple(places)


LIBRARIES: Final[Mapping[str, tuple[str, ...]]] = {
    "fusion.c2c": ("tree-sitter", "tree-sitter-python"),
    "fusion.vqa": ("pymorphy3", "pymorphy3-dicts-ru"),
    "gec.agreement": ("krippendorff", "numpy"),
}
"""Operations whose numbers other distributions' versions may change, with these distributions."""
_BY_MODE: Final = frozenset({"fusion.vqa"})
"""Operations that use their libraries only where a mode is asked for."""
_ENVELOPE: Final = frozenset({"id", "op"})


def fingerprint(op: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result's fingerprint: versions, and the SHA-256 of every field of the request.

    ``libraries`` are those that this result depends on, none for most.
    A field is hashed in canonical JSON (markup-scoring §8); the order of fields and the request's id do not count.
    """
    return {
        "library": f"tracks {__version__}",
        "libraries": {} if op in _BY_MODE and fields.get("mode") is None else dict(_versions(op)),
        "op": op,
        "inputs": {
            name: _digest(canonical_json(value)) for name, value in sorted(fields.items()) if name not in _ENVELOPE
        },
    }


def _digest(text: str) -> str:
    """Return the SHA-256 of a text's UTF-8, which is made in portions: requests hold whole files."""
    digest = sha256()
    for begin in range(0, len(text), _PORTION):
        digest.update(text[begin : begin + _PORTION].encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


@lru_cache
def _versions(op: str) -> tuple[tuple[str, str], ...]:
    if op not in LIBRARIES:
        return ()
    from importlib.metadata import version  # what needs no libraries starts faster

    return tuple((name, version(name)) for name in LIBRARIES[op])


Form = dict[str, Any]
STRING: Final[Form] = {"type": "string"}
WHOLE: Final[Form] = {"type": "integer", "minimum": 0}
FRACTION: Final[Form] = {"type": "number", "minimum": 0, "maximum": 1}
AMOUNT: Final[Form] = {"type": "number", "minimum": 0}
FLAG: Final[Form] = {"type": "boolean"}
SHA256: Final[Form] = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
NOTHING: Final[Form] = {"type": "null", "description": "The contest has nothing to say here."}
IN_TWO_LANGUAGES: Final[Form] = {
    "type": "object",
    "properties": {"en": STRING, "ru": STRING},
    "required": ["en", "ru"],
    "additionalProperties": False,
}


def null_or(form: Mapping[str, Any]) -> Form:
    """Build the schema of the form or null."""
    return {"anyOf": [form, {"type": "null"}]}


def ref(name: str) -> Form:
    """Build a reference to one of the track's models by its name (``Schemas.named``)."""
    return {"$ref": f"#/$defs/{name}"}


def either(*names: str) -> Form:
    """Build the schema of one of several of the track's models."""
    return {"anyOf": [ref(name) for name in names]}


def listed(items: Mapping[str, Any], **more: Any) -> Form:
    """Build the schema of a list."""
    return {"type": "array", "items": items, **more}


def mapped(values: Mapping[str, Any], description: str = "") -> Form:
    """Build the schema of an object that maps any names to values."""
    described = {"description": description} if description else {}
    return {"type": "object", "additionalProperties": values, **described}


def closed(description: str, properties: Mapping[str, Any], optional: tuple[str, ...] = ()) -> Form:
    """Build the schema of an object with these fields alone; ``optional`` ones may be absent."""
    return {
        "type": "object",
        "description": description,
        "properties": dict(properties),
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


def fingerprint_form() -> Form:
    """Build the schema of :func:`tracks.base.fingerprint`'s result."""
    return closed(
        "By what a score can be recognised and recomputed.",
        {"library": STRING, "libraries": mapped(STRING), "op": STRING, "inputs": mapped(SHA256)},
    )
