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
from pku.config import parse_moment, show_moment

Json = Any
ALL_PAUSES_S: Final = 7200.0


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of the record or its statements: ``proof.{code}`` is the name of its text, ``values`` fill the text."""

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
    for replacement in _replacements(chain):
        slots |= {
            replacement["first"] + index: replacement["slot"] + index for index in range(len(replacement["numbers"]))
        }
    opens = {number: start + slots[number] * interval for number in numbers}
    for began, until in pauses(chain) if paused else ():
        opens = {number: moment + (until - began if moment >= began else 0.0) for number, moment in opens.items()}
    return opens


def total_files(chain: Sequence[Json]) -> int:
    """Count the files of the run, with those that replacements appended."""
    appended = sum(len(replacement["numbers"]) for replacement in _replacements(chain))
    return int(chain[0]["files"]) + appended


def voided_for_all(chain: Sequence[Json]) -> dict[int, int]:
    """Return the files that count for nobody, each with its decision's number; of a replacement that was taken back the
    appended ones, by what took it back."""
    undone = {
        statement["details"]["amendment"]: statement["number"]
        for statement in chain
        if statement.get("amendment") == "undo"
    }
    voided: dict[int, int] = {}
    for statement in chain:
        if statement.get("amendment") == "replace" and statement["number"] in undone:
            first, count = statement["details"]["first"], len(statement["details"]["numbers"])
            voided |= dict.fromkeys(range(first, first + count), undone[statement["number"]])
    for statement in in_effect(chain):
        if statement["amendment"] in {"void", "replace"}:
            for number in statement["details"]["numbers"]:
                voided.setdefault(int(number), statement["number"])
    return voided


def in_effect(chain: Sequence[Json]) -> list[Json]:
    """Return the decisions that were not taken back."""
    amendments = [statement for statement in chain if statement["kind"] == "amendment"]
    undone = {amendment["details"]["amendment"] for amendment in amendments if amendment["amendment"] == "undo"}
    return [
        amendment for amendment in amendments if amendment["number"] not in undone and amendment["amendment"] != "undo"
    ]


def pauses(chain: Sequence[Json]) -> list[tuple[float, float]]:
    """Return the pauses in their order, in seconds; one without an end lasts until all together are two hours."""
    spans: list[tuple[float, float]] = []
    for decision in sorted(
        in_effect(chain), key=lambda amendment: (parse_moment(amendment["effective_at"]), amendment["number"])
    ):
        moment = parse_moment(decision["effective_at"])
        if decision["amendment"] == "pause" and (not spans or moment >= spans[-1][1]):
            remaining_s = ALL_PAUSES_S - sum(until - start for start, until in spans)
            spans.append((moment, moment + remaining_s))
        elif decision["amendment"] == "resume" and spans and moment < spans[-1][1]:
            spans[-1] = (spans[-1][0], moment)
    return spans


def _replacements(chain: Sequence[Json]) -> list[Json]:
    return [statement["details"] for statement in chain if statement.get("amendment") == "replace"]


_SEALED: Final = "sealed"
_CONTENT: Final = ("amendment", "reason", "details")
"""Fields of an opening that replace those of its sealed statement."""


# Clause: platform §3 rulings
def seal_differences(chain: Sequence[Json], rulings: Sequence[Json], before: Sequence[Json] = ()) -> Iterator[Fault]:
    """Yield the faults of the openings of a chain's seals: one that does not fit, one that is missing, one too many, or
    one that hides what everybody was to be told at once: a ruling may be sealed, and that one is taken back, which may
    be one of those ``before``."""
    seals = {statement["number"]: statement for statement in chain if statement.get("amendment") == _SEALED}
    ruled = {opening["number"] for opening in [*before, *rulings] if opening["amendment"] == "rule"}
    opened: set[int] = set()
    for opening in rulings:
        number = opening["number"]
        if number not in seals or number in opened:
            yield Fault("ruling_unsealed", {"number": number})
            continue
        opened.add(number)
        due = (seals[number]["details"]["seal"], seals[number]["run_id"])
        if (hashlib.sha256(canonical_bytes(opening)).hexdigest(), opening["run_id"]) != due:
            yield Fault("seal_differs", {"number": number})
        elif opening["amendment"] != "rule" and not (
            opening["amendment"] == "undo" and opening["details"].get("amendment") in ruled
        ):
            yield Fault("seal_hides", {"number": number})
    for number in sorted(seals.keys() - opened):
        yield Fault("seal_unopened", {"number": number})


def revealed(chain: Sequence[Json], rulings: Sequence[Json]) -> list[Json]:
    """Return the statements, each seal replaced by the content that opens it."""
    opened = {opening["number"]: {name: opening[name] for name in _CONTENT} for opening in rulings}
    return [
        {**statement, **opened.get(statement["number"], {})} if statement.get("amendment") == _SEALED else statement
        for statement in chain
    ]


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
"""Time before the opening, in milliseconds, in which a request is accepted and held until the opening."""
_REQUEST: Final[Millis] = 30_000
"""Milliseconds after which the gateway gives a request up: an answer's body came no longer before its decision."""
_CLOSING: Final[Millis] = 120_000
"""Milliseconds after a session's end in which a repeated answer is decided on; a timer closes sessions each minute."""
_ARMING: Final = ("timer", "request")
_SLOW_BODY: Final[Millis] = 1000
"""Longest time, in milliseconds, from the headers of a request to its whole body if both are sent together."""
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
"""Fields of the commitment that the record repeats."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The consequences of the commitment and the decisions; milliseconds since 1970."""

    opens: Mapping[int, Millis]
    planned: Mapping[int, Millis]
    voided: Mapping[int, int]
    stopped: Millis | None
    limits: Mapping[str, Millis]
    let_in: Mapping[str, Millis]
    """Teams admitted after the end of joining, with the moment from which each may open its session."""
    ruled: Mapping[tuple[str, int], tuple[str, int]]
    """Causes that the commission gave, with the ruling's number, by team and file; the latest one counts."""
    promised: int = 0
    """Number of files in the commitment; a session may have ended before those that a replacement appends."""
    in_turns: bool = False
    """True if answers may have turns: the record has the slowest turn's body time and the last turn's decision time."""

    @classmethod
    def of(cls, chain: Sequence[Json]) -> Rules:
        """Compute the rules from the signed statements in their order: seals opened, withdrawn statements left out."""
        numbers = range(1, total_files(chain) + 1)
        decided = in_effect(chain)
        stops = [_ms(amendment["effective_at"]) for amendment in decided if amendment["amendment"] == "stop"]
        admissions = [amendment for amendment in decided if amendment["amendment"] == "admit"]
        rulings = [
            (amendment["details"], amendment["number"]) for amendment in decided if amendment["amendment"] == "rule"
        ]
        return cls(
            opens={number: round(moment * 1000) for number, moment in openings(chain, numbers).items()},
            planned={number: round(moment * 1000) for number, moment in openings(chain, numbers, paused=False).items()},
            voided=voided_for_all(chain),
            stopped=min(stops, default=None),
            limits=chain[0]["limits"],
            let_in={admission["details"]["team_id"]: _ms(admission["effective_at"]) for admission in admissions},
            ruled={(details["team_id"], details["number"]): (details["cause"], number) for details, number in rulings},
            promised=chain[0]["files"],
            in_turns=chain[0].get("track") == "diagnosis",
        )

    @property
    def opened(self) -> list[int]:
        """Return the numbers of the files that opened: all, or those before the stop."""
        return [number for number, at in self.opens.items() if self.stopped is None or at < self.stopped]

    @property
    def join_until(self) -> Millis:
        """Return the last moment in which a session may be opened."""
        return min(self.opens[1] + self.limits["join_ms"], max(self.opens.values()) + self.limits["total_ms"])

    def may_join(self, team: str, moment: Millis) -> bool:
        """Return whether a team might open its session at a moment: in the joining time, or later where it was
        admitted."""
        return moment <= self.join_until or self.let_in.get(team, moment + 1) <= moment

    def request_by(self, number: int) -> Millis:
        """Return the last moment in which a file may be asked for."""
        return self.opens[number] + self.limits["request_ms"]

    def answer_by(self, number: int, asked_at: Millis, handed_out: Millis) -> Millis:
        """Return the deadline of an answer; the time that the platform took to hand the file out is added."""
        own = max(0, handed_out - max(asked_at, self.opens[number]))
        return min(handed_out + self.limits["answer_ms"], self.opens[number] + self.limits["total_ms"] + own)


# Clause: platform §3 commitment, R 7.6, R 8.3.1
def differences(chain: Sequence[Json], record: Json) -> Iterator[Fault]:
    """Yield every row of the record that is another than the rules give. ``chain``: with its seals opened."""
    rules = Rules.of(chain)
    yield from _head(chain, rules, record)
    yield from _releases(rules, record)
    yield from _sessions(rules, record)


# Clause: platform §3 commitment
def let_in_otherwise(chain: Sequence[Json], record: Json) -> Iterator[Fault]:
    """Hold the sessions that were opened in time against the roster that was sealed when joining was over."""
    last, sealed = Rules.of(chain).join_until, record["roster"]["statement"]
    joined = [session for session in record["sessions"] if _ms(session["opened_at"]) <= last]
    pairs = sorted([session["team_id"], session["session_id"]] for session in joined)
    digest = hashlib.sha256(canonical_bytes(pairs)).hexdigest()
    if (len(pairs), digest) != (sealed["sessions"], sealed["sessions_sha256"]):
        yield Fault("let_in_otherwise", {"said": len(pairs), "due": sealed["sessions"]})


# Clause: platform §3 body
def slow_bodies(record: Json) -> Iterator[Json]:
    """List answers that were there as a whole more than a second after their headers."""
    for session in record["sessions"]:
        for row in session["files"]:
            if row.get("headers_at") is None or row.get("body_at") is None:
                continue
            took = _ms(row["body_at"]) - _ms(row["headers_at"])
            if took > _SLOW_BODY:
                yield {"team": session["team_id"], "number": row["number"], "seconds": fixed(took / 1000, 1)}


def _head(chain: Sequence[Json], rules: Rules, record: Json) -> Iterator[Fault]:
    head = record["run"]
    for name in _STATED:
        if name in chain[0] and head.get(name) != chain[0][name]:
            yield Fault("head_differs", {"field": name, "said": head.get(name), "due": chain[0][name]})
    spans = [{"from": show_moment(start), "until": show_moment(until)} for start, until in pauses(chain)]
    ends = max(rules.opens.values()) + rules.limits["total_ms"]
    derived: dict[str, Json] = {"pauses": spans, "ends_at": _text(ends), "stopped_at": _text(rules.stopped)}
    for name, due in derived.items():
        if head.get(name) != due:
            yield Fault("head_differs", {"field": name, "said": head.get(name), "due": due})
    voided = {str(number): by for number, by in rules.voided.items()}
    if record["voided"] != voided:
        yield Fault("head_differs", {"field": "voided", "said": record["voided"], "due": voided})


def _releases(rules: Rules, record: Json) -> Iterator[Fault]:
    if [release["number"] for release in record["releases"]] != rules.opened:
        yield Fault("record_lacks", {"what": "releases"})
    for release in record["releases"]:
        planned = rules.planned.get(release["number"])
        if planned is None or _ms(release["planned_at"]) != planned:
            values = {"number": release["number"], "said": release["planned_at"], "due": _text(planned)}
            yield Fault("plan_moved", values)
    yield from _armed(record)


def _armed(record: Json) -> Iterator[Fault]:
    """Check that each file is handed out after its release was written."""
    armed = {release["number"]: release for release in record["releases"]}
    for session in record["sessions"]:
        for row in session["files"]:
            release, handed = armed.get(row["number"]), _ms_or_none(row["handed_out_at"])
            if release is None or handed is None:
                continue
            armed_at = _ms_or_none(release["armed_at"])
            if armed_at is None or armed_at > handed + _HELD or release["armed_by"] not in _ARMING:
                values = {"team": session["team_id"], "number": row["number"], "field": "armed_at"}
                due = f"≤ {row['handed_out_at']}"
                yield Fault("row_differs", {**values, "said": release["armed_at"], "due": due})
                break


def _sessions(rules: Rules, record: Json) -> Iterator[Fault]:
    for name in ("team_id", "session_id"):
        named = [session[name] for session in record["sessions"]]
        if len(set(named)) != len(named):
            yield Fault("record_lacks", {"what": name})
    teams = {session["team_id"] for session in record["sessions"]}
    for (team, number), (_, ruling) in rules.ruled.items():
        if team not in teams or number not in rules.opens:
            yield Fault("ruling_of_nobody", {"number": ruling, "team": team, "file": number})
    lengths: dict[int, set[Millis]] = defaultdict(set)
    for session in record["sessions"]:
        yield from _session(rules, session, lengths)
    for number, durations in lengths.items():
        if len(durations) > 1 or any(length % 1000 for length in durations):
            yield Fault("deadlines_differ", {"number": number})


def _session(rules: Rules, session: Json, lengths: dict[int, set[Millis]]) -> Iterator[Fault]:
    team = session["team_id"]
    if not rules.may_join(team, _ms(session["opened_at"])):
        yield Fault("joined_late", {"team": team, "due": _text(rules.join_until)})
    if session["state"] not in _ENDED:
        yield Fault("never_closed", {"team": team})
    if session["closed_at"] is None or _ms(session["closed_at"]) < _ms(session["opened_at"]):
        yield Fault("never_closed", {"team": team})
    if [row["number"] for row in session["files"]] != list(rules.opens):
        yield Fault("record_lacks", {"what": f"{team}: files"})
        return
    if session["state"] in _ENDED and session["closed_at"] is not None:
        yield from _end(rules, session, _ms(session["closed_at"]))
    for row in session["files"]:
        yield from (
            Fault("row_differs", {"team": team, "number": row["number"], "field": name, "said": value, "due": due})
            for name, value, due in _row(rules, session, row, lengths[row["number"]])
        )


def _end(rules: Rules, session: Json, closed: Millis) -> Iterator[Fault]:
    """Yield ends of sessions that cannot be at their moment; who ends its session has no place on the board (R 4.5).

    Void files aside, a session is finished once its last file is open, timed out once what it was handed is overdue,
    stopped with its run; a team ends it while it is open. Nothing is asked or answered afterwards.
    """
    rows, state = session["files"], session["state"]
    overdue = max([_ms(row["answer_by"]) for row in rows if row["answer_by"] is not None], default=None)
    opened = [at for number, at in rules.opens.items() if number <= rules.promised and number not in rules.voided]
    over = max(max(rules.opens.values()) + rules.limits["total_ms"], overdue or 0) + _REQUEST
    stopped = rules.stopped
    allowed = {
        _FINISHED: closed >= max(opened, default=0),
        _TIMED_OUT: overdue is None or closed > overdue + _REQUEST,
        _STOPPED: stopped is not None and closed >= stopped,
        _ABORTED: closed <= (over if stopped is None else min(over, stopped)),
    }
    latest = max([_ms(row[name]) for row in rows for name in ("asked_at", "answered_at") if row[name]], default=closed)
    if not allowed[state] or latest > closed + _REQUEST:
        yield Fault("ended_otherwise", {"team": session["team_id"], "said": state, "closed": session["closed_at"]})


Difference = tuple[str, Json, Json]


def _row(rules: Rules, session: Json, row: Json, lengths: set[Millis]) -> Iterator[Difference]:
    """Yield the differences in one row: the field, the record's value, the rules' value."""
    number = row["number"]
    asked_at, handed = _ms_or_none(row["asked_at"]), _ms_or_none(row["handed_out_at"])
    answered, decided = _ms_or_none(row["answered_at"]), _ms_or_none(row["decided_at"])
    if asked_at is not None and asked_at < rules.opens[number] - _HELD:
        yield "asked_at", row["asked_at"], f"≥ {_text(rules.opens[number])}"
    if handed is None:
        for name in ("answer_by", "answered_at", "decided_at"):
            if row[name] is not None:
                yield name, row[name], None
        if row["state"] == _ANSWERED:
            yield "state", row["state"], _VOIDED
    elif asked_at is None or asked_at > rules.request_by(number):
        yield "asked_at", row["asked_at"], f"≤ {_text(rules.request_by(number))}"
    else:
        if handed < max(asked_at, rules.opens[number]):
            yield "handed_out_at", row["handed_out_at"], f"≥ {_text(max(asked_at, rules.opens[number]))}"
        yield from deadline_faults(rules, row, asked_at, handed, lengths)
    yield from _order(rules, session, row)
    if (answered is None) != (decided is None):
        yield "decided_at", row["decided_at"], row["answered_at"]
    elif answered is not None and row["state"] != _ANSWERED:  # what counts is looked at with its own words
        yield from _answer(row, answered, _ms(row["decided_at"]))
    yield from _fate(rules, session, row)


def _order(rules: Rules, session: Json, row: Json) -> Iterator[Difference]:
    """Check that an answer comes after its file, with its headers or up to 30 seconds before its whole body, and is
    decided on with the request that brings it.

    Without ``body_at`` it came once more after a failure of the platform, possible until the session is closed.
    """
    handed, answered = _ms_or_none(row["handed_out_at"]), _ms_or_none(row["answered_at"])
    decided, body = _ms_or_none(row["decided_at"]), _ms_or_none(row.get("body_at"))
    if answered is not None and handed is not None and answered < handed:
        yield "answered_at", row["answered_at"], f"≥ {row['handed_out_at']}"
    times = [moment for moment in (_ms_or_none(row.get("headers_at")), body, decided) if moment is not None]
    if times != sorted(times) or (answered is None and times and not rules.in_turns):
        yield "body_at", row.get("body_at"), f"{row.get('headers_at')} ≤ … ≤ {row['decided_at']}"
    headers = _ms_or_none(row.get("headers_at"))
    if answered is not None and headers is not None and body is not None and not rules.in_turns:
        earliest = max(headers, body - _REQUEST)
        if answered < earliest:
            yield "answered_at", row["answered_at"], f"≥ {_text(earliest)}"
    latest = (_ms_or_none(session["closed_at"]) or 0) + _CLOSING if body is None or rules.in_turns else body + _REQUEST
    if decided is not None and decided > latest:
        yield "decided_at", row["decided_at"], f"≤ {_text(latest)}"


def _answer(row: Json, answered: Millis, decided: Millis) -> Iterator[Difference]:
    """Yield the faults of the times of an answer, whether it counts or not."""
    due = _ms_or_none(row["answer_by"])
    if due is None or answered > due:
        yield "answered_at", row["answered_at"], f"≤ {row['answer_by']}"
    if decided < answered:
        yield "decided_at", row["decided_at"], f"≥ {row['answered_at']}"


def deadline_faults(
    rules: Rules, row: Json, asked_at: Millis, handed: Millis, lengths: set[Millis]
) -> Iterator[Difference]:
    """Check the deadline against the rules, or a shorter time that all teams share: a step of an item may have
    one of its own, which is known when the item is published. By the rules no time may be left after a hand-out at the
    last moment."""
    due = rules.answer_by(row["number"], asked_at, handed)
    answer_by = _ms_or_none(row["answer_by"])
    if answer_by == due:
        return
    if answer_by is None or not handed < answer_by < due:
        yield "answer_by", row["answer_by"], _text(due)
    else:
        lengths.add(answer_by - handed)


def _fate(rules: Rules, session: Json, row: Json) -> Iterator[Difference]:
    """Check a row's state and cause against its times and its evidence."""
    number, state, cause = row["number"], row["state"], row["cause"]
    evidence = row.get("evidence") or {}
    yield from _evidence(session, row, (evidence.get("automatic") or {}).get("evidence") or evidence)
    due = _VOIDED if number in rules.voided or row["answered_at"] is None else _ANSWERED
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
    allowed = _causes(rules, session, row, evidence)
    if cause not in allowed:
        yield "cause", cause, " | ".join(sorted(allowed))
    if number in rules.voided and evidence.get("amendment") != rules.voided[number]:
        yield "evidence", evidence, {"amendment": rules.voided[number]}


def _evidence(session: Json, row: Json, evidence: Mapping[str, Json]) -> Iterator[Difference]:
    """Yield evidence that the row itself contradicts: an arrival before the file, an absence before the session."""
    for name, earliest in (("arrived_at", row["handed_out_at"]), ("disconnected_at", session["opened_at"])):
        moment = evidence.get(name)
        if moment is not None and earliest is not None and _ms(moment) < _ms(earliest):
            yield f"evidence.{name}", moment, f"≥ {earliest}"
    if "pushed" in evidence and row["asked_at"] is not None:
        yield "evidence.pushed", evidence["pushed"], None


def _causes(rules: Rules, session: Json, row: Json, evidence: Mapping[str, Json]) -> frozenset[str]:
    """Return the causes that the rules allow a void file, without the commission's rulings."""
    number, asked_at = row["number"], _ms_or_none(row["asked_at"])
    lost_after = _ms_or_none(row["answer_by"]) or rules.request_by(number)
    if number in rules.voided or (rules.stopped is not None and lost_after > rules.stopped):
        return frozenset({_DECIDED})
    if row["handed_out_at"] is not None:  # the platform's fault where an answer came in time
        arrived = _ms_or_none(evidence.get("arrived_at"))
        invalid = _INVALID if evidence.get("refusals") else _LATE
        return frozenset({invalid if arrived is None else _PLATFORM if arrived <= lost_after else _LATE})
    if asked_at is None:  # its client was away, or was there and nobody pushed it
        away = _ms_or_none(evidence.get("disconnected_at"))
        unpushed = _PLATFORM if evidence.get("pushed") is False else _LATE
        in_time = away is not None and away <= rules.request_by(number)
        return frozenset({unpushed if away is None else _NETWORK if in_time else _LATE})
    if asked_at > rules.request_by(number):
        return frozenset({_LATE})
    return frozenset({_PLATFORM, _LATE} if session["state"] == _ABORTED else {_PLATFORM})


def _ms(text: str) -> Millis:
    return round(parse_moment(text) * 1000)


def _ms_or_none(text: str | None) -> Millis | None:
    return None if text is None else _ms(text)


def _text(moment: Millis | None) -> str | None:
    return None if moment is None else show_moment(moment / 1000)
