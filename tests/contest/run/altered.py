"""A run's record altered leaf by leaf and signed again, as a platform would that lies afterwards."""

from __future__ import annotations

import base64
import copy
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from contest.domain.canonical import canonical, sha256_hex
from contest.domain.run import commitment
from contest.domain.run.amending import Wish
from contest.domain.run.run import Kind
from contest.services.run import amendments, planning, records
from pku.checks.receipts import read_keys
from pku.checks.run_proof import Kept, verify
from pku.errors import PkuError
from pku.wire.answers import Receipt
from tests.contest.run.played_runs import ABSENT, SILENT, SLOW, WRONG, Played, planned

Json = Any
Path = tuple[str | int, ...]
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")


@dataclass(frozen=True)
class Final:
    """What is published of a final, and what its teams have."""

    run: Json
    answer: Json
    keys: Json
    receipts: tuple[Receipt, ...]
    played: Played

    @property
    def kept(self) -> Kept:
        """What everybody has who kept the commitment from before the run."""
        return Kept(commitment=self.run["commitment"])

    def signed(self, record: Json) -> Json:
        """An altered record with a signature of the platform's own."""
        statement = {**self.answer["statement"], "record_sha256": sha256_hex(canonical(record))}
        signature = self.played.platform.signer.sign(canonical(statement))
        return {"record": record, "statement": statement, "signature": base64.b64encode(signature).decode()}

    def found(self, record: Json, *, receipts: bool) -> bool:
        """Whether an altered record is found out, with or without the teams' receipts."""
        kept = Kept(self.kept.commitment, receipts=self.receipts if receipts else ())
        try:
            return bool(verify(self.run, self.signed(record), read_keys(self.keys), kept).faults)
        except PkuError:
            return True


@cache
def final() -> Final:
    """A final of five files with a decision of each kind that leaves it a final: a replacement, a pause, a void that is
    taken back; files are missed for several causes. (Of a ruling there is the platform's word alone.)
    """
    played = planned(files=5)
    played.open(1, red=ABSENT)
    amendments.decide(played.platform, "anna", played.run_id, Wish(Kind.REPLACE, "unreadable", (1,)))
    amendments.decide(played.platform, "anna", played.run_id, Wish(Kind.PAUSE, "a cable is cut"))
    played.platform.clock.advance(60)
    amendments.decide(played.platform, "anna", played.run_id, Wish(Kind.RESUME, "mended"))
    played.platform.clock.advance(30)
    for number, deeds in (
        (2, {"blue": ABSENT}),
        (3, {"blue": SLOW}),
        (4, {"grey": WRONG}),
        (5, {"red": SILENT}),
        (6, {}),
    ):
        played.open(number, **deeds)
    for wish in (
        Wish(Kind.VOID, "by mistake", (6,)),
        Wish(Kind.UNDO, "it was readable", amendment=4),
    ):
        amendments.decide(played.platform, "anna", played.run_id, wish)
    played.finish()
    platform = played.platform
    told = {
        "commitment": planning.commitment_of(platform, played.run_id),
        "amendments": planning.public_amendments(played.run),
        "rulings": commitment.published_rulings(played.run),
    }
    answer = json.loads(records.published(platform, played.run_id, platform.clock.now()))
    known = platform.signer.public_keys().items()
    keys = {"keys": [{"key_id": name, "public_key": base64.b64encode(key).decode()} for name, key in known]}
    bodies = [
        receipt.body
        for session_id in played.sessions.values()
        for receipt in platform.deliveries.receipts(session_id, 1000, None).items
    ]
    return Final(told, answer, keys, tuple(Receipt.read(json.loads(body)) for body in bodies), played)


def alterations(record: Json) -> Iterator[tuple[Path, str, Json]]:
    """Every leaf changed, every member of a list left out: where, how, and the whole altered record."""
    for path, value in _leaves(record, ()):
        for how, other in _others(value):
            yield path, how, _with(record, path, other)
    for path, size in _lists(record, ()):
        for place in range(size):
            altered = copy.deepcopy(record)
            del _at(altered, path)[place]
            yield (*path, place), "left out", altered


def field(path: Path) -> str:
    """The place in a record's form: ``sessions[].files[].asked_at``."""
    return "".join("[]" if isinstance(each, int) else f".{each}" for each in path).removeprefix(".")


def _leaves(value: Json, path: Path) -> Iterator[tuple[Path, Json]]:
    if isinstance(value, dict) and value:
        for name, each in value.items():
            yield from _leaves(each, (*path, name))
    elif isinstance(value, list) and value:
        for place, each in enumerate(value):
            yield from _leaves(each, (*path, place))
    else:
        yield path, value


def _lists(value: Json, path: Path) -> Iterator[tuple[Path, int]]:
    if isinstance(value, list):
        yield path, len(value)
    for name, each in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from _lists(each, (*path, name))


def _others(value: Json) -> Iterator[tuple[str, Json]]:
    if isinstance(value, str) and _MOMENT.fullmatch(value):
        for how, by in (("an hour later", 3_600_000), ("a millisecond later", 1), ("a millisecond earlier", -1)):
            moment = datetime.fromisoformat(value) + timedelta(milliseconds=by)
            yield how, moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        yield "none", None
    elif isinstance(value, bool):
        yield "the opposite", not value
    elif isinstance(value, int):
        yield "one more", value + 1
    elif value is None:
        yield "something", "2026-01-01T00:00:00.000Z"
    elif isinstance(value, str):
        yield "another", f"{value}x"
        if value in {"answered", "voided"}:
            yield "the other", {"answered": "voided", "voided": "answered"}[value]
        if value in {"team_late", "team_invalid", "network", "platform", "organizer_decision"}:
            yield from (
                (f"→ {other}", other)
                for other in ("platform", "team_late", "network", "team_invalid")
                if other != value
            )
    else:
        yield "something", {"amendment": 1}


def _at(value: Json, path: Path) -> Json:
    for each in path:
        value = value[each]
    return value


def _with(record: Json, path: Path, other: Json) -> Json:
    altered = copy.deepcopy(record)
    _at(altered, path[:-1])[path[-1]] = other
    return altered
