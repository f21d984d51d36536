"""A record's rows derived anew: windows, deadlines, joins, voids and causes, from commitment and decisions alone.

Of the record only facts are taken that nothing published before could tell: when a team opened its session, asked,
got a file, answered. Everything that follows from them is computed here and held against what the record says, row by
row; a cause that favours or harms somebody has to carry its evidence.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from markup_core.receipt import canonical_bytes
from markup_core.rounding import fixed
from pku.clock import parse_moment, show_moment

Json = Any
ALL_PAUSES_S: Final = 7200.0


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that does not fit: ``proof.{code}`` is its sentence, ``values`` fill it."""

    code: str
    values: Mapping[str, Json]


def openings(chain: Sequence[Json], numbers: Iterable[int], *, paused: bool = True) -> dict[int, float]:
    """Return when files open by the commitment and the decisions, in seconds; without ``paused`` when they were to
    open.

    Files of a replacement that was taken back keep their numbers and openings; they count for nobody.
    """
    start = parse_moment(chain[0]["starts_at"])
    interval = chain[0]["interval_ms"] / 1000
    slots = {number: number - 1 for number in range(1, chain[0]["files"] + 1)}
    for said in _replacements(chain):
        slots |= {said["first"] + index: said["slot"] + index for index in range(len(said["numbers"]))}
    breaks = pauses(chain) if paused else []
    return {number: _shifted(start + slots[number] * interval, breaks) for number in numbers}


def total_files(chain: Sequence[Json]) -> int:
    """Files of the run with those that replacements appended."""
    appended = sum(len(said["numbers"]) for said in _replacements(chain))
    return int(chain[0]["files"]) + appended


def voided_for_all(chain: Sequence[Json]) -> dict[int, int]:
    """Files that count for nobody, each with the decision that did it; of a replacement that was taken back the
    appended ones, by what took it back."""
    undone = {each["details"]["amendment"]: each["number"] for each in chain if each.get("amendment") == "undo"}
    found: dict[int, int] = {}
    for each in chain:
        if each.get("amendment") == "replace" and each["number"] in undone:
            first, count = each["details"]["first"], len(each["details"]["numbers"])
            found |= dict.fromkeys(range(first, first + count), undone[each["number"]])
    for each in in_effect(chain):
        if each["amendment"] in {"void", "replace"}:
            for number in each["details"]["numbers"]:
                found.setdefault(int(number), each["number"])
    return found


def in_effect(chain: Sequence[Json]) -> list[Json]:
    """Decisions that were not taken back."""
    amendments = [each for each in chain if each["kind"] == "amendment"]
    undone = {each["details"]["amendment"] for each in amendments if each["amendment"] == "undo"}
    return [each for each in amendments if each["number"] not in undone and each["amendment"] != "undo"]


def pauses(chain: Sequence[Json]) -> list[tuple[float, float]]:
    """Pauses in their order, in seconds; one that nobody ends lasts until all of them together are two hours."""
    found: list[tuple[float, float]] = []
    for each in sorted(in_effect(chain), key=lambda said: (parse_moment(said["effective_at"]), said["number"])):
        moment = parse_moment(each["effective_at"])
        if each["amendment"] == "pause" and (not found or moment >= found[-1][1]):
            left = ALL_PAUSES_S - sum(until - start for start, until in found)
            found.append((moment, moment + left))
        elif each["amendment"] == "resume" and found and moment < found[-1][1]:
            found[-1] = (found[-1][0], moment)
    return found


def _replacements(chain: Sequence[Json]) -> list[Json]:
    return [each["details"] for each in chain if each.get("amendment") == "replace"]


def _shifted(moment: float, breaks: Sequence[tuple[float, float]]) -> float:
    for start, until in breaks:
        if moment >= start:
            moment += until - start
    return moment


_SEALED: Final = "sealed"
_CONTENT: Final = ("amendment", "reason", "details")
"""What an opening says of its statement."""


def seal_differences(chain: Sequence[Json], rulings: Sequence[Json], before: Sequence[Json] = ()) -> Iterator[Fault]:
    """What is wrong with the openings of a chain's seals: one that does not fit, one that is missing, one too many, and
    one that hides what everybody was to be told at once: a ruling may be sealed, and that one is taken back, which may
    be one of those ``before``.

    Clause: platform §3 rulings
    """
    seals = {each["number"]: each for each in chain if each.get("amendment") == _SEALED}
    ruled = {each["number"] for each in [*before, *rulings] if each["amendment"] == "rule"}
    opened: set[int] = set()
    for each in rulings:
        number = each["number"]
        if number not in seals or number in opened:
            yield Fault("ruling_unsealed", {"number": number})
            continue
        opened.add(number)
        due = (seals[number]["details"]["seal"], seals[number]["run_id"])
        if (hashlib.sha256(canonical_bytes(each)).hexdigest(), each["run_id"]) != due:
            yield Fault("seal_differs", {"number": number})
        elif each["amendment"] != "rule" and not (each["amendment"] == "undo" and _undone(each) in ruled):
            yield Fault("seal_hides", {"number": number})
    for number in sorted(seals.keys() - opened):
        yield Fault("seal_unopened", {"number": number})


def revealed(chain: Sequence[Json], rulings: Sequence[Json]) -> list[Json]:
    """The statements with what opens them in place of their seals."""
    opened = {each["number"]: {name: each[name] for name in _CONTENT} for each in rulings}
    return [{**each, **opened.get(each["number"], {})} if each.get("amendment") == _SEALED else each for each in chain]


def _undone(opening: Json) -> Json:
    return opening["details"].get("amendment")


Millis = int
_LATE, _INVALID, _NETWORK, _PLATFORM, _DECIDED = (
    "team_late",
    "team_invalid",
    "network",
    "platform",
    "organizer_decision",
)
_CAUSES: Final = frozenset({_LATE, _INVALID, _NETWORK, _PLATFORM, _DECIDED})
_ANSWERED, _VOIDED = "answered", "voided"
_ABORTED: Final = "aborted"
_FINISHED, _TIMED_OUT, _STOPPED = "finished", "timed_out", "stopped"
_ENDED: Final = frozenset({_FINISHED, _TIMED_OUT, _STOPPED, _ABORTED})
_HELD: Final[Millis] = 2000
"""A request may come so shortly before the opening, and is held until then."""
_REQUEST: Final[Millis] = 30_000
"""The gateway gives a request up after this time: whatever decides on an answer has it whole no longer before."""
_CLOSING: Final[Millis] = 120_000
"""The timer closes sessions once a minute; an answer that is sent again after a failure is decided on before that."""
_ARMING: Final = ("timer", "request")
_SLOW_BODY: Final[Millis] = 1000
"""What a body that comes with its headers takes at most."""
_STATED: Final = (
    "cycle",
    "track",
    "mode",
    "trial",
    "restarts",
    "files",
    "starts_at",
    "interval_ms",
    "limits",
    "run_id",
)
"""What the record repeats of the commitment."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The consequences of the commitment and the decisions; milliseconds since 1970."""

    opens: Mapping[int, Millis]
    planned: Mapping[int, Millis]
    voided: Mapping[int, int]
    stopped: Millis | None
    limits: Mapping[str, Millis]
    let_in: Mapping[str, Millis]
    """Teams that were admitted though the time to join was over, with the moment from which they might."""
    ruled: Mapping[tuple[str, int], tuple[str, int]]
    """Causes that the commission gave, with the ruling's number, by team and file; the latest one counts."""
    promised: int = 0
    """Count the files of the commitment; a session may have ended before those that a replacement appends."""
    in_turns: bool = False
    """Whether answers may come in turns, of which the record has the slowest one's body and the last one's decision."""

    @classmethod
    def of(cls, chain: Sequence[Json]) -> Rules:
        """From the signed statements in their order, seals opened, without those that were taken back."""
        numbers = range(1, total_files(chain) + 1)
        decided = in_effect(chain)
        stops = [_ms(each["effective_at"]) for each in decided if each["amendment"] == "stop"]
        admissions = [each for each in decided if each["amendment"] == "admit"]
        rulings = [(each["details"], each["number"]) for each in decided if each["amendment"] == "rule"]
        return cls(
            opens={number: round(moment * 1000) for number, moment in openings(chain, numbers).items()},
            planned={number: round(moment * 1000) for number, moment in openings(chain, numbers, paused=False).items()},
            voided=voided_for_all(chain),
            stopped=min(stops, default=None),
            limits=chain[0]["limits"],
            let_in={each["details"]["team_id"]: _ms(each["effective_at"]) for each in admissions},
            ruled={(said["team_id"], said["number"]): (said["cause"], number) for said, number in rulings},
            promised=chain[0]["files"],
            in_turns=chain[0].get("track") == "diagnosis",
        )

    @property
    def opened(self) -> list[int]:
        """Numbers of the files that opened: all, or those before the stop."""
        return [number for number, at in self.opens.items() if self.stopped is None or at < self.stopped]

    @property
    def join_until(self) -> Millis:
        """The last moment in which a session may be opened."""
        return min(self.opens[1] + self.limits["join_ms"], max(self.opens.values()) + self.limits["total_ms"])

    def may_join(self, team: str, moment: Millis) -> bool:
        """Return whether a team might open its session at a moment: in the joining time, or later where it was
        admitted."""
        return moment <= self.join_until or self.let_in.get(team, moment + 1) <= moment

    def request_by(self, number: int) -> Millis:
        """The last moment in which a file may be asked for."""
        return self.opens[number] + self.limits["request_ms"]

    def answer_by(self, number: int, asked: Millis, handed_out: Millis) -> Millis:
        """The deadline of an answer; what the platform took to hand the file out is the team's again."""
        own = max(0, handed_out - max(asked, self.opens[number]))
        return min(handed_out + self.limits["answer_ms"], self.opens[number] + self.limits["total_ms"] + own)


def differences(chain: Sequence[Json], record: Json) -> Iterator[Fault]:
    """Yield every row of the record that is another than the rules give. ``chain``: with its seals opened.

    Clause: platform §3 commitment, R 7.6, R 8.3.1
    """
    rules = Rules.of(chain)
    yield from _head(chain, rules, record)
    yield from _releases(rules, record)
    yield from _sessions(rules, record)


def let_in_otherwise(chain: Sequence[Json], record: Json) -> Iterator[Fault]:
    """Hold the sessions that were opened in time against the roster that was sealed when joining was over.

    Clause: platform §3 commitment
    """
    last, sealed = Rules.of(chain).join_until, record["roster"]["statement"]
    joined = [each for each in record["sessions"] if _ms(each["opened_at"]) <= last]
    pairs = sorted([each["team_id"], each["session_id"]] for each in joined)
    digest = hashlib.sha256(canonical_bytes(pairs)).hexdigest()
    if (len(pairs), digest) != (sealed["sessions"], sealed["sessions_sha256"]):
        yield Fault("let_in_otherwise", {"said": len(pairs), "due": sealed["sessions"]})


def slow_bodies(record: Json) -> Iterator[Json]:
    """List answers that were there as a whole more than a second after their headers.

    Clause: platform §3 body
    """
    for session in record["sessions"]:
        for row in session["files"]:
            if row.get("headers_at") is None or row.get("body_at") is None:
                continue
            took = _ms(row["body_at"]) - _ms(row["headers_at"])
            if took > _SLOW_BODY:
                yield {"team": session["team_id"], "number": row["number"], "seconds": fixed(took / 1000, 1)}


def _head(chain: Sequence[Json], rules: Rules, record: Json) -> Iterator[Fault]:
    said = record["run"]
    for name in _STATED:
        if name in chain[0] and said.get(name) != chain[0][name]:
            yield Fault("head_differs", {"field": name, "said": said.get(name), "due": chain[0][name]})
    spans = [{"from": show_moment(start), "until": show_moment(until)} for start, until in pauses(chain)]
    ends = max(rules.opens.values()) + rules.limits["total_ms"]
    derived: dict[str, Json] = {"pauses": spans, "ends_at": _text(ends), "stopped_at": _text(rules.stopped)}
    for name, due in derived.items():
        if said.get(name) != due:
            yield Fault("head_differs", {"field": name, "said": said.get(name), "due": due})
    voided = {str(number): by for number, by in rules.voided.items()}
    if record["voided"] != voided:
        yield Fault("head_differs", {"field": "voided", "said": record["voided"], "due": voided})


def _releases(rules: Rules, record: Json) -> Iterator[Fault]:
    if [each["number"] for each in record["releases"]] != rules.opened:
        yield Fault("record_lacks", {"what": "releases"})
    for each in record["releases"]:
        planned = rules.planned.get(each["number"])
        if planned is None or _ms(each["planned_at"]) != planned:
            values = {"number": each["number"], "said": each["planned_at"], "due": _text(planned)}
            yield Fault("plan_moved", values)
    yield from _armed(record)


def _armed(record: Json) -> Iterator[Fault]:
    """A file is handed out after its release was written, by whoever wrote it."""
    armed = {each["number"]: each for each in record["releases"]}
    for session in record["sessions"]:
        for row in session["files"]:
            release, handed = armed.get(row["number"]), _ms_or_none(row["handed_out_at"])
            if release is None or handed is None:
                continue
            written = _ms_or_none(release["armed_at"])
            if written is None or written > handed + _HELD or release["armed_by"] not in _ARMING:
                values = {"team": session["team_id"], "number": row["number"], "field": "armed_at"}
                due = f"≤ {row['handed_out_at']}"
                yield Fault("row_differs", {**values, "said": release["armed_at"], "due": due})
                break


def _sessions(rules: Rules, record: Json) -> Iterator[Fault]:
    for name in ("team_id", "session_id"):
        named = [each[name] for each in record["sessions"]]
        if len(set(named)) != len(named):
            yield Fault("record_lacks", {"what": name})
    teams = {each["team_id"] for each in record["sessions"]}
    for (team, number), (_, ruling) in rules.ruled.items():
        if team not in teams or number not in rules.opens:
            yield Fault("ruling_of_nobody", {"number": ruling, "team": team, "file": number})
    lengths: dict[int, set[Millis]] = defaultdict(set)
    for session in record["sessions"]:
        yield from _session(rules, session, lengths)
    for number, found in lengths.items():
        if len(found) > 1 or any(length % 1000 for length in found):
            yield Fault("deadlines_differ", {"number": number})


def _session(rules: Rules, session: Json, lengths: dict[int, set[Millis]]) -> Iterator[Fault]:
    team = session["team_id"]
    if not rules.may_join(team, _ms(session["opened_at"])):
        yield Fault("joined_late", {"team": team, "due": _text(rules.join_until)})
    if session["state"] not in _ENDED:
        yield Fault("never_closed", {"team": team})
    if session["closed_at"] is None or _ms(session["closed_at"]) < _ms(session["opened_at"]):
        yield Fault("never_closed", {"team": team})
    if [each["number"] for each in session["files"]] != list(rules.opens):
        yield Fault("record_lacks", {"what": f"{team}: files"})
        return
    if session["state"] in _ENDED and session["closed_at"] is not None:
        yield from _end(rules, session, _ms(session["closed_at"]))
    for each in session["files"]:
        yield from (
            Fault("row_differs", {"team": team, "number": each["number"], "field": name, "said": said, "due": due})
            for name, said, due in _row(rules, session, each, lengths[each["number"]])
        )


def _end(rules: Rules, session: Json, closed: Millis) -> Iterator[Fault]:
    """Yield ends of sessions that cannot be at their moment; who ends its session has no place on the board (R 4.5).

    Void files aside, a session is finished once its last file is open, timed out once what it was handed is overdue,
    stopped with its run; a team ends it while it is open. Nothing is asked or answered afterwards.
    """
    rows, state = session["files"], session["state"]
    overdue = max([_ms(each["answer_by"]) for each in rows if each["answer_by"] is not None], default=None)
    opened = [at for number, at in rules.opens.items() if number <= rules.promised and number not in rules.voided]
    over = max(max(rules.opens.values()) + rules.limits["total_ms"], overdue or 0) + _REQUEST
    stopped = rules.stopped
    allowed = {
        _FINISHED: closed >= max(opened, default=0),
        _TIMED_OUT: overdue is None or closed > overdue + _REQUEST,
        _STOPPED: stopped is not None and closed >= stopped,
        _ABORTED: closed <= (over if stopped is None else min(over, stopped)),
    }
    latest = max(
        [_ms(each[name]) for each in rows for name in ("asked_at", "answered_at") if each[name]], default=closed
    )
    if not allowed[state] or latest > closed + _REQUEST:
        yield Fault("ended_otherwise", {"team": session["team_id"], "said": state, "closed": session["closed_at"]})


Difference = tuple[str, Json, Json]


def _row(rules: Rules, session: Json, each: Json, lengths: set[Millis]) -> Iterator[Difference]:
    """Yield the differences in one row: the field, the record's value, the rules' value."""
    number = each["number"]
    asked, handed = _ms_or_none(each["asked_at"]), _ms_or_none(each["handed_out_at"])
    answered, decided = _ms_or_none(each["answered_at"]), _ms_or_none(each["decided_at"])
    if asked is not None and asked < rules.opens[number] - _HELD:
        yield "asked_at", each["asked_at"], f"≥ {_text(rules.opens[number])}"
    if handed is None:
        for name in ("answer_by", "answered_at", "decided_at"):
            if each[name] is not None:
                yield name, each[name], None
        if each["state"] == _ANSWERED:
            yield "state", each["state"], _VOIDED
    elif asked is None or asked > rules.request_by(number):
        yield "asked_at", each["asked_at"], f"≤ {_text(rules.request_by(number))}"
    else:
        if handed < max(asked, rules.opens[number]):
            yield "handed_out_at", each["handed_out_at"], f"≥ {_text(max(asked, rules.opens[number]))}"
        yield from _deadline(rules, each, asked, handed, lengths)
    yield from _order(rules, session, each)
    if (answered is None) != (decided is None):
        yield "decided_at", each["decided_at"], each["answered_at"]
    elif answered is not None and each["state"] != _ANSWERED:  # what counts is looked at with its own words
        yield from _answer(each, answered, _ms(each["decided_at"]))
    yield from _fate(rules, session, each)


def _order(rules: Rules, session: Json, each: Json) -> Iterator[Difference]:
    """An answer comes after its file, with its headers or up to 30 seconds before its body is there as a whole, and is
    decided on with the request that brings it.

    Without ``body_at`` it came once more after a failure of the platform, possible until the session is closed.
    """
    handed, answered = _ms_or_none(each["handed_out_at"]), _ms_or_none(each["answered_at"])
    decided, body = _ms_or_none(each["decided_at"]), _ms_or_none(each.get("body_at"))
    if answered is not None and handed is not None and answered < handed:
        yield "answered_at", each["answered_at"], f"≥ {each['handed_out_at']}"
    times = [moment for moment in (_ms_or_none(each.get("headers_at")), body, decided) if moment is not None]
    if times != sorted(times) or (answered is None and times and not rules.in_turns):
        yield "body_at", each.get("body_at"), f"{each.get('headers_at')} ≤ … ≤ {each['decided_at']}"
    headers = _ms_or_none(each.get("headers_at"))
    if answered is not None and headers is not None and body is not None and not rules.in_turns:
        earliest = max(headers, body - _REQUEST)
        if answered < earliest:
            yield "answered_at", each["answered_at"], f"≥ {_text(earliest)}"
    latest = (_ms_or_none(session["closed_at"]) or 0) + _CLOSING if body is None or rules.in_turns else body + _REQUEST
    if decided is not None and decided > latest:
        yield "decided_at", each["decided_at"], f"≤ {_text(latest)}"


def _answer(each: Json, answered: Millis, decided: Millis) -> Iterator[Difference]:
    """Yield the faults of the times of an answer, whether it counts or not."""
    due = _ms_or_none(each["answer_by"])
    if due is None or answered > due:
        yield "answered_at", each["answered_at"], f"≤ {each['answer_by']}"
    if decided < answered:
        yield "decided_at", each["decided_at"], f"≥ {each['answered_at']}"


def _deadline(rules: Rules, each: Json, asked: Millis, handed: Millis, lengths: set[Millis]) -> Iterator[Difference]:
    """The deadline by the rules, or a shorter time from the hand-out that is everybody's: a step of an item may have
    one of its own, which is known when the item is published."""
    due = rules.answer_by(each["number"], asked, handed)
    said = _ms_or_none(each["answer_by"])
    if said is None or said > due or said <= handed:
        yield "answer_by", each["answer_by"], _text(due)
    elif said < due:
        lengths.add(said - handed)


def _fate(rules: Rules, session: Json, each: Json) -> Iterator[Difference]:
    """State and cause as the facts of the row and its evidence give them."""
    number, state, cause = each["number"], each["state"], each["cause"]
    evidence = each.get("evidence") or {}
    yield from _evidence(session, each, (evidence.get("automatic") or {}).get("evidence") or evidence)
    due = _VOIDED if number in rules.voided or each["answered_at"] is None else _ANSWERED
    if state != due:
        yield "state", state, due
    if state == _ANSWERED:
        if cause is not None:
            yield "cause", cause, None
        return
    if cause not in _CAUSES:
        yield "cause", cause, " | ".join(sorted(_CAUSES))
        return
    ruled = rules.ruled.get((session["team_id"], number))
    if ruled is not None:
        if (cause, evidence.get("amendment")) != ruled:
            yield "cause", f"{cause} ({evidence.get('amendment')})", f"{ruled[0]} ({ruled[1]})"
        automatic = evidence.get("automatic") or {}  # what the platform had found by itself stands beside it
        cause, evidence = automatic.get("cause"), automatic.get("evidence") or {}
    elif "automatic" in evidence:
        yield "evidence", evidence, None
    allowed = _causes(rules, session, each, evidence)
    if cause not in allowed:
        yield "cause", cause, " | ".join(sorted(allowed))
    if number in rules.voided and evidence.get("amendment") != rules.voided[number]:
        yield "evidence", evidence, {"amendment": rules.voided[number]}


def _evidence(session: Json, each: Json, evidence: Mapping[str, Json]) -> Iterator[Difference]:
    """Evidence that the row itself contradicts: an arrival before the file, an absence before the session."""
    for name, earliest in (("arrived_at", each["handed_out_at"]), ("disconnected_at", session["opened_at"])):
        moment = evidence.get(name)
        if moment is not None and earliest is not None and _ms(moment) < _ms(earliest):
            yield f"evidence.{name}", moment, f"≥ {earliest}"
    if "pushed" in evidence and each["asked_at"] is not None:
        yield "evidence.pushed", evidence["pushed"], None


def _causes(rules: Rules, session: Json, each: Json, evidence: Mapping[str, Json]) -> frozenset[str]:
    """Causes that the rules allow a void file, without the commission's rulings."""
    number, asked = each["number"], _ms_or_none(each["asked_at"])
    lost_after = _ms_or_none(each["answer_by"]) or rules.request_by(number)
    if number in rules.voided or (rules.stopped is not None and lost_after > rules.stopped):
        return frozenset({_DECIDED})
    if each["handed_out_at"] is not None:
        return frozenset({_unanswered(lost_after, evidence)})
    if asked is None:
        return frozenset({_never_asked(rules.request_by(number), evidence)})
    if asked > rules.request_by(number):
        return frozenset({_LATE})
    return frozenset({_PLATFORM, _LATE} if session["state"] == _ABORTED else {_PLATFORM})


def _unanswered(answer_by: Millis, evidence: Mapping[str, Json]) -> str:
    """Return why a file that was handed out was not answered: the platform's fault where an answer came in time."""
    arrived = evidence.get("arrived_at")
    if arrived is not None:
        return _PLATFORM if _ms(arrived) <= answer_by else _LATE
    return _INVALID if evidence.get("refusals") else _LATE


def _never_asked(request_by: Millis, evidence: Mapping[str, Json]) -> str:
    """Return why a file was not asked for: its client was away, or was there and nobody pushed it."""
    if "disconnected_at" in evidence:
        return _NETWORK if _ms(evidence["disconnected_at"]) <= request_by else _LATE
    return _PLATFORM if evidence.get("pushed") is False else _LATE


def _ms(text: str) -> Millis:
    return round(parse_moment(text) * 1000)


def _ms_or_none(text: str | None) -> Millis | None:
    return None if text is None else _ms(text)


def _text(moment: Millis | None) -> str | None:
    return None if moment is None else show_moment(moment / 1000)
