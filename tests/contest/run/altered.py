"""A run's record altered leaf by leaf and signed again, as a platform would that lies afterwards."""

from __future__ import annotations

import base64
import json
import marshal
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from contest.channel.rules import Absence, Attachment
from contest.platform import signing_keys
from contest.results.wire import keys_body
from contest.run import planning, recording, under_way, watching
from contest.run.rules import commitment
from contest.run.rules.conducting import Wish
from contest.run.rules.run import Kind
from contest.session import access
from contest.session.rules.delivery import Cause
from contest.values import MINUTE, SECOND, canonical, sha256_hex
from pku.answers import Receipt
from pku.errors import PkuError
from pku.proof import LocalData, read_keys, verify
from tests.contest.run.played_runs import ABSENT, SILENT, SLOW, WRONG, Played, planned
from tests.fakes_channel import FakeConnections

Json = Any
Path = tuple[str | int, ...]
_ENDS = ("finished", "timed_out", "stopped", "aborted")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")


def copied(record: Json) -> Json:
    """Return a deep copy of JSON, ten times as fast as a copy of anything."""
    return marshal.loads(marshal.dumps(record))  # noqa: S302 - our own bytes


@dataclass(frozen=True)
class Final:
    """Published data of a final, and its teams' receipts."""

    run: Json
    answer: Json
    keys: Json
    receipts: tuple[Receipt, ...]
    played: Played

    def local_data(self, *, chain: bool = False, receipts: bool = False) -> LocalData:
        """Return the evidence of a person with the commitment from before the run, the decisions from its end, and the
        teams' receipts."""
        extras = {"amendments": self.run["amendments"], "roster": self.run["roster"]} if chain else {}
        return LocalData(self.run["commitment"], receipts=self.receipts if receipts else (), **extras)

    def signed(self, record: Json) -> tuple[Json, Json]:
        """Return the run as it was, and an altered record signed by the platform's own key."""
        return self.run, self._signed_after(record, self.answer["statement"]["previous"])

    def signed_anew(self, record: Json) -> tuple[Json, Json]:
        """Return the same with seals and roster made for their openings, every statement signed again after the one
        before, and the run with these statements."""
        record = copied(record)
        opened = {ruling["number"]: ruling for ruling in record["rulings"]}
        previous = self._sign(record["commitment"], "statement")
        joined = sorted([session["team_id"], session["session_id"]] for session in record["sessions"])
        hashed = {"sessions": len(joined), "sessions_sha256": sha256_hex(canonical(joined))}
        record["roster"]["statement"] |= {**hashed, "previous": previous}
        self._sign(record["roster"], "statement")
        for amendment in record["amendments"]:
            statement = amendment["amendment"]
            if statement["number"] in opened and "seal" in statement["details"]:
                statement["details"]["seal"] = sha256_hex(canonical(opened[statement["number"]]))
            statement["previous"] = previous
            previous = self._sign(amendment, "amendment")
        run = {name: record[name] for name in ("commitment", "amendments", "roster", "rulings")}
        return run, self._signed_after(record, previous)

    def _signed_after(self, record: Json, previous: str) -> Json:
        statement = {**self.answer["statement"], "record_sha256": sha256_hex(canonical(record)), "previous": previous}
        answer = {"record": record, "statement": statement}
        self._sign(answer, "statement")
        return answer

    def _sign(self, signed: Json, name: str) -> str:
        """Sign a statement in its place; its hash, by which the next one names it."""
        content = canonical(signed[name])
        signed["signature"] = base64.b64encode(self.played.platform.signer.sign(content)).decode()
        return sha256_hex(content)

    def _remembering(self) -> Any:
        """Return the published keys, which check a signature of the same bytes once: of a thousand lies each leaves
        most statements as they were."""
        return _remembering(json.dumps(self.keys))

    def is_found_out(self, published: tuple[Json, Json], local: LocalData | None = None) -> bool:
        """Return True if kept evidence reveals a fault in published data; None: the commitment from before the run."""
        try:
            return bool(verify(*published, self._remembering(), local or self.local_data()).faults)
        except PkuError:
            return True


class _Remembering:
    """Ed25519 key that caches valid signatures; an invalid one is verified and refused each time."""

    def __init__(self, key: Any) -> None:
        self.verify = cache(key.verify)


@cache
def _remembering(published: str) -> dict[str, _Remembering]:
    return {name: _Remembering(key) for name, key in read_keys(json.loads(published)).items()}


@cache
def final() -> Final:
    """Play a final of four teams and five files with a decision of each kind that leaves it a final: a replacement,
    a pause, a void that is taken back, rulings, one of them on a file that is void for everybody and one taken back.
    Files are missed for every cause there is, two of them by clients of the event channel; a team aborts.
    """
    played = planned(files=5)
    played.platform.connections = FakeConnections()
    played.join("green")
    played.open(1, red=ABSENT)
    watching.decide(played.platform, "anna", played.run_id, Wish(Kind.REPLACE, "unreadable", (1,)))
    watching.decide(played.platform, "anna", played.run_id, Wish(Kind.PAUSE, "a cable is cut"))
    played.platform.clock.advance(60)
    watching.decide(played.platform, "anna", played.run_id, Wish(Kind.RESUME, "mended"))
    played.platform.clock.advance(30)
    for number, deeds in (
        (2, {"blue": ABSENT}),
        (3, {"blue": SLOW, "grey": ABSENT}),
        (4, {"grey": WRONG}),
        (5, {"red": SILENT}),
        (6, {"blue": ABSENT}),
    ):
        _attach(played, number)
        played.open(number, **deeds, **({"green": ABSENT} if number > 3 else {}))
        if number == 3:
            access.abort(played.platform, played.request("green"), confirmed=True)
    for wish in (
        Wish(Kind.VOID, "by mistake", (6,)),
        Wish(Kind.UNDO, "it was readable", amendment=4),
        _ruling(2, "blue", Cause.NETWORK),
        _ruling(2, "blue", Cause.PLATFORM),
        _ruling(1, "red", Cause.TEAM_LATE),
        _ruling(4, "grey", Cause.NETWORK),
        Wish(Kind.UNDO, "it was theirs", amendment=9),
    ):
        watching.decide(played.platform, "anna", played.run_id, wish)
    played.finish()
    platform = played.platform
    published = {
        "commitment": planning.commitment_of(platform, played.run_id),
        "amendments": planning.public_amendments(played.run),
        "roster": under_way.roster_of(platform, played.schedule),
        "rulings": commitment.published_rulings(played.run),
    }
    answer = json.loads(recording.published(platform, played.run_id, platform.clock.now()))
    keys = keys_body(signing_keys(platform)).model_dump(mode="json")
    bodies = [
        receipt.body
        for session_id in played.sessions.values()
        for receipt in platform.deliveries.receipts(session_id, 1000, None).items
    ]
    return Final(published, answer, keys, tuple(Receipt.read(json.loads(body)) for body in bodies), played)


def _ruling(number: int, team_id: str, cause: Cause) -> Wish:
    return Wish(Kind.RULE, "the logs show it", (number,), team_id, cause)


def _attach(played: Played, number: int) -> None:
    """Two teams listen to the event channel: grey is away when file 3 opens, blue is there when file 6 does."""
    opens = played.schedule.opens_at(number)
    attachments = played.platform.connections.attachments
    grey, blue = (played.sessions[team_id] for team_id in ("grey", "blue"))
    if number == 3:
        attachments[grey] = Attachment(grey, absences=(Absence(opens - SECOND, opens + MINUTE),), version=1)
    if number == 6:
        attachments[blue] = Attachment(blue, since=opens - SECOND, version=1)


def alterations(record: Json) -> Iterator[tuple[Path, str, Json]]:
    """Every leaf changed, every member of a list left out: where, how, and the whole altered record."""
    for path, value in _leaves(record, ()):
        for how, other in _others(value):
            yield path, how, _with(record, path, other)
    for path, size in _lists(record, ()):
        for place in range(size):
            altered = copied(record)
            del _at(altered, path)[place]
            yield (*path, place), "left out", altered


def field(path: Path) -> str:
    """Return the place in a record's form: ``sessions[].files[].asked_at``."""
    return "".join("[]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def _leaves(value: Json, path: Path) -> Iterator[tuple[Path, Json]]:
    if isinstance(value, dict) and value:
        for name, child in value.items():
            yield from _leaves(child, (*path, name))
    elif isinstance(value, list) and value:
        for place, child in enumerate(value):
            yield from _leaves(child, (*path, place))
    else:
        yield path, value


def _lists(value: Json, path: Path) -> Iterator[tuple[Path, int]]:
    if isinstance(value, list):
        yield path, len(value)
    for name, child in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        yield from _lists(child, (*path, name))


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
        if value in _ENDS:
            yield from ((f"→ {other}", other) for other in _ENDS if other != value)
        if value in {"team_late", "team_invalid", "network", "platform", "organizer_decision"}:
            yield from (
                (f"→ {other}", other)
                for other in ("platform", "team_late", "network", "team_invalid")
                if other != value
            )
    else:
        yield "something", {"amendment": 1}


def _at(value: Json, path: Path) -> Json:
    for step in path:
        value = value[step]
    return value


def _with(record: Json, path: Path, other: Json) -> Json:
    altered = copied(record)
    _at(altered, path[:-1])[path[-1]] = other
    return altered
