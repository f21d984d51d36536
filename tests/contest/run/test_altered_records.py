"""No leaf of a record can be altered and signed again unseen, unless it favours and harms nobody, as documented."""

from __future__ import annotations

import base64
import copy
import json
import marshal
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest

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
from tests.docs.by_hand import findings
from tests.fakes_channel import FakeConnections

Json = Any
Place = tuple[str | int, ...]
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
    answer = json.loads(recording.published_record(platform, played.run_id, platform.clock.now()))
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


def alterations(record: Json) -> Iterator[tuple[Place, str, Json]]:
    """Every leaf changed, every member of a list left out: where, how, and the whole altered record."""
    for path, value in _leaves(record, ()):
        for how, other in _others(value):
            yield path, how, _with(record, path, other)
    for path, size in _lists(record, ()):
        for place in range(size):
            altered = copied(record)
            del _at(altered, path)[place]
            yield (*path, place), "left out", altered


def field(path: Place) -> str:
    """Return the place in a record's form: ``sessions[].files[].asked_at``."""
    return "".join("[]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def _leaves(value: Json, path: Place) -> Iterator[tuple[Place, Json]]:
    if isinstance(value, dict) and value:
        for name, child in value.items():
            yield from _leaves(child, (*path, name))
    elif isinstance(value, list) and value:
        for place, child in enumerate(value):
            yield from _leaves(child, (*path, place))
    else:
        yield path, value


def _lists(value: Json, path: Place) -> Iterator[tuple[Place, int]]:
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


def _at(value: Json, path: Place) -> Json:
    for step in path:
        value = value[step]
    return value


def _with(record: Json, path: Place, other: Json) -> Json:
    altered = copied(record)
    _at(altered, path[:-1])[path[-1]] = other
    return altered


DOCS = Path(__file__).resolve().parents[3] / "docs"
RECORD, CHAIN, RECEIPTS, NEVER = "record", "chain", "receipts", "never"
REMARK = ("a remark beside times that say it", "пояснение к временам, которые это говорят")
HARMLESS = {
    "releases[].armed_at": ("before the first hand-out it decides nothing", "до первой выдачи ни на что не влияет"),
    "run.language": ("a name of the draw; the files are committed to", "имя выборки; файлы названы обязательством"),
    "run.set": ("a name of the draw; the files are committed to", "имя выборки; файлы названы обязательством"),
    "sessions[].closed_at": ("no deadline and no cause follows from it", "от него не зависят ни сроки, ни причины"),
    "sessions[].opened_at": (
        "within the time to join it decides nothing",
        "в пределах срока входа ни на что не влияет",
    ),
    "sessions[].state": (
        "a finished session recorded as timed out: both count on the board",
        "завершённая сессия выдана за закрытую по молчанию: в лидерборд входят обе",
    ),
    "sessions[].files[].asked_at": (
        "within the window, where the deadline stays the same",
        "в пределах окна, когда срок от этого не меняется",
    ),
    "sessions[].files[].evidence": ("what is more than the cause needs", "то, что сверх нужного для причины"),
    "sessions[].files[].evidence.answered": REMARK,
    "sessions[].files[].evidence.requested": REMARK,
    "sessions[].files[].evidence.late_by_ms": (
        "of an answer that does not count either way",
        "об ответе, который не засчитан в любом случае",
    ),
    "sessions[].files[].evidence.automatic.evidence.requested": REMARK,
    "sessions[].files[].evidence.disconnected_at": (
        "so long as it is within the window, the cause stays the same",
        "в пределах окна причина от этого не меняется",
    ),
    "sessions[].files[].evidence.last": ("which refusal was the last one", "каким был последний отказ"),
    "sessions[].files[].evidence.refusals": ("how many there were, if any", "сколько их было, если были"),
}
"""Fields whose alteration makes nobody gain or lose, and the reason in both languages."""


_ROSTER = {("sessions", place, *name) for place in range(4) for name in ((), ("team_id",), ("session_id",))}
"""Paths of the record that the roster seals."""


@cache
def outcomes() -> dict[str, dict[str, int]]:
    """Count by field the alterations that are found from the record alone, only with the decisions kept from the end of
    the run, only with the receipts, and never. Alterations of statements and of their openings are tried twice: with
    the record signed, and with the whole chain signed anew so that it fits."""
    told = final()
    found = defaultdict[str, dict[str, int]](lambda: dict.fromkeys((RECORD, CHAIN, RECEIPTS, NEVER), 0))
    for path, _, altered in alterations(told.answer["record"]):
        found[field(path)][found_by(told.signed(altered))] += 1
        anew = path[0] in {"commitment", "amendments", "roster", "rulings"} or path in _ROSTER
        if anew and (by := _anew(altered)):
            found[field(path)][by] += 1
    return found


def found_by(lie: tuple[Json, Json]) -> str:
    """Return the least evidence by which a lie is found."""
    told = final()
    needs = {RECORD: told.local_data(), CHAIN: told.local_data(chain=True), RECEIPTS: told.local_data(receipts=True)}
    return next((name for name, kept in needs.items() if told.is_found_out(lie, kept)), NEVER)


def _anew(altered: Json) -> str | None:
    """Return the same for a lie with the chain signed again; one that cannot even enter the chain is seen at once. None
    for a lie in hashes and signatures alone, which the new signatures undo."""
    told = final()
    try:
        lie = told.signed_anew(altered)
    except (KeyError, TypeError):
        return RECORD
    return None if lie == told.signed_anew(told.answer["record"]) else found_by(lie)


def test_the_record_has_no_fault_and_everything_that_may_be_in_one() -> None:
    told = final()
    verdict = verify(told.run, told.answer, read_keys(told.keys), told.local_data(chain=True, receipts=True))
    assert verdict.faults == ()
    assert len(told.receipts) > 10
    record = told.answer["record"]
    assert verify(*told.signed_anew(record), read_keys(told.keys), told.local_data(chain=True)).faults == ()
    rows = [each for session in record["sessions"] for each in session["files"]]
    assert {each["cause"] for each in rows} == {None, *(each.value for each in Cause)}
    evidence = {name for each in rows for name in each["evidence"]}
    assert {"amendment", "automatic", "disconnected_at", "pushed", "refusals", "late_by_ms"} <= evidence
    kinds = [each["amendment"]["amendment"] for each in record["amendments"]]
    assert set(kinds) == {"pause", "resume", "replace", "void", "undo", "sealed"}
    assert [each["amendment"] for each in record["rulings"]] == ["rule", "rule", "rule", "rule", "undo"]
    assert len(record["sessions"]) == 4
    assert "aborted" in {each["state"] for each in record["sessions"]}
    assert record["voided"]
    assert record["run"]["pauses"]


@pytest.mark.clause("platform §3 rulings")
def test_whatever_favours_or_harms_a_team_is_found_windows_and_causes_from_the_record_alone() -> None:
    unseen = {name for name, result in outcomes().items() if result[NEVER]}
    assert unseen <= HARMLESS.keys()
    assert unseen >= HARMLESS.keys(), "what is always found needs no excuse"
    assert sum(result[RECORD] for result in outcomes().values()) > 900
    for name in ("state", "cause", "answer_by", "handed_out_at", "number"):
        result = outcomes()[f"sessions[].files[].{name}"]
        assert result[RECORD], name
        assert not result[CHAIN] + result[RECEIPTS] + result[NEVER], name
    of_rulings = {name: result for name, result in outcomes().items() if name.startswith("rulings[]")}
    assert {f"rulings[].{name}" for name in ("reason", "salt", "amendment", "details.cause")} <= of_rulings.keys()
    assert not sum(result[RECEIPTS] + result[NEVER] for result in of_rulings.values())


@pytest.mark.clause("platform §3 rulings")
def test_a_cause_reworded_with_its_row_and_its_seal_is_found_by_who_kept_the_chain_and_nobody_else() -> None:
    told = final()
    record = copy.deepcopy(told.answer["record"])
    (row,) = [each for each in record["sessions"][0]["files"] if "automatic" in each["evidence"]]
    (ruling,) = [each for each in record["rulings"] if each["number"] == row["evidence"]["amendment"]]
    assert (row["cause"], record["sessions"][0]["team_id"]) == ("platform", "blue")
    row["cause"] = ruling["details"]["cause"] = "organizer_decision"
    assert told.is_found_out(told.signed(record)), "the seal is in the chain"
    lie = told.signed_anew(record)
    assert found_by(lie) == CHAIN
    assert found_by(told.signed_anew(told.answer["record"])) == NEVER, "it is no lie"


@pytest.mark.parametrize(
    ("place", "name", "lie"),
    [
        ("files", "answered_at", "2026-09-21T14:00:00.000Z"),
        ("files", "decided_at", "2026-09-21T16:00:00.000Z"),
        ("releases", "armed_at", "2026-09-21T16:00:00.000Z"),
    ],
)
def test_a_plain_contradiction_within_a_row_is_found_by_command_and_page(place: str, name: str, lie: str) -> None:
    told = final()
    record = copy.deepcopy(told.answer["record"])
    rows = record["releases"] if place == "releases" else record["sessions"][0]["files"]
    number = next(each["number"] for each in record["sessions"][0]["files"] if each["state"] == "answered")
    next(each for each in rows if each["number"] == number)[name] = lie
    assert found_by(told.signed(record)) == RECORD
    assert is_found_by_pages(told.signed(record))


def is_found_by_pages(lie: tuple[Json, Json], **before: Any) -> bool:
    """Return True if the programs of both pages find a lie, given the run before it."""
    (run, answer), result = lie, final()
    answers = {
        "before": {**result.run, "amendments": [], **before},
        "after": run,
        "record": answer,
        "keys": result.keys,
    }
    return all(findings(page, answers) for page in ("fairness.md", "fairness.ru.md"))


def _end_as(state: str, at: str | None = None) -> Callable[[Json], None]:
    return lambda record: _session(record, "red").update(state=state, **({"closed_at": at} if at else {}))


def _move(number: int, **times: str | None) -> Callable[[Json], None]:
    return lambda record: _file(record, "red", number).update(times)


_HOUR_LATER = "2026-09-21T15:18:55.000Z"


@pytest.mark.parametrize(
    "lie",
    [
        _end_as("aborted"),
        _end_as("aborted", "2026-09-21T14:18:00.000Z"),
        _end_as("stopped"),
        _end_as("finished", "2026-09-21T14:20:00.000Z"),
        lambda record: _session(record, "green").update(state="finished"),
        lambda record: _session(record, "green").update(state="timed_out"),
        _move(4, decided_at=_HOUR_LATER, body_at=_HOUR_LATER),
        _move(4, decided_at=_HOUR_LATER, body_at=_HOUR_LATER, headers_at=_HOUR_LATER),
    ],
    ids=["left", "left early", "stopped", "done early", "stayed", "silent", "slow body", "late headers"],
)
def test_ends_and_times_that_cannot_be_are_found_by_command_and_page(lie: Callable[[Json], None]) -> None:
    """A team that has ended its session has no place on the board; times moved together contradict the answer's."""
    told = final()
    record = copy.deepcopy(told.answer["record"])
    lie(record)
    assert found_by(told.signed(record)) == RECORD
    assert is_found_by_pages(told.signed(record))


def test_an_answer_made_up_to_be_in_time_or_erased_is_found_with_the_receipts_alone() -> None:
    told = final()
    record = copy.deepcopy(told.answer["record"])
    times = dict.fromkeys(("answered_at", "headers_at", "body_at", "decided_at"), "2026-09-21T14:18:30.000Z")
    _file(record, "blue", 3).update(times, state="answered", cause=None, evidence={})
    assert found_by(told.signed(record)) == RECEIPTS
    record = copy.deepcopy(told.answer["record"])
    row = next(each for each in record["sessions"][0]["files"] if each["state"] == "answered")
    row.update(state="voided", cause="team_late", evidence={"answered": False}, answered_at=None, decided_at=None)
    row.update(headers_at=None, body_at=None)
    assert found_by(told.signed(record)) == RECEIPTS


def _session(record: Json, team: str) -> Json:
    return next(each for each in record["sessions"] if each["team_id"] == team)


def _file(record: Json, team: str, number: int) -> Json:
    return next(each for each in _session(record, team)["files"] if each["number"] == number)


@pytest.mark.clause("platform §3 commitment")
@pytest.mark.parametrize("added", [False, True], ids=["left out", "added"])
def test_a_team_left_out_or_added_is_found_by_command_and_page(added: bool) -> None:
    """Everybody finds it; with the roster signed anew, only a person who kept the roster does."""
    told = final()
    record = copy.deepcopy(told.answer["record"])
    team = record["sessions"].pop(1)
    if added:
        record["sessions"] += [team, {**copy.deepcopy(team), "team_id": "zebra", "session_id": "9" * 15}]
    for lie, roster, needs in (
        (told.signed(record), None, RECORD),
        (told.signed_anew(record), told.run["roster"], CHAIN),
    ):
        assert found_by(lie) == needs
        assert is_found_by_pages(lie, roster=roster)


def test_the_program_of_the_page_finds_what_the_command_finds() -> None:
    """A fixed part of the alterations, those of the statements and rulings among them."""
    told = final()
    for path, how, altered in list(alterations(told.answer["record"]))[::9]:
        run, answer = told.signed(altered)
        answers = {"before": {**told.run, "amendments": []}, "after": run, "record": answer, "keys": told.keys}
        assert bool(findings("fairness.md", answers)) == told.is_found_out((run, answer)), (path, how)


@pytest.mark.parametrize(("page", "language"), [("fairness.md", 0), ("fairness.ru.md", 1)])
def test_the_documents_table_is_that_of_the_alterations(page: str, language: int) -> None:
    """Run with the rows it prints put into the page where it differs."""
    rows = [
        f"| `{name}` | {' | '.join(map(str, found.values()))} | {HARMLESS[name][language] if found[NEVER] else ''} |"
        for name, found in sorted(outcomes().items())
        if found[CHAIN] or found[RECEIPTS] or found[NEVER]
    ]
    table = re.findall(r"^\| `.*? \| \d+ \| \d+ \| \d+ \| \d+ \| .*\|$", (DOCS / page).read_text("utf-8"), re.MULTILINE)
    assert table == rows, "\n".join(rows)
