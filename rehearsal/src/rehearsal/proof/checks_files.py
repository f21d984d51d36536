"""Checks of files and their causes, over HTTP and the event channel: none early, none stuck, none lost unfairly."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from markup_core.receipt import sha256_hex
from rehearsal.history import AROUND, MINUTE, NOT_PUBLISHED, QUALIFYING, SECOND, Millis, from_text
from rehearsal.proof.case import ESSAYS_ALONE, EXCHANGE, SURELY, Case, Check, contents_of, receipt_text, tries
from rehearsal.proof.checks_staff import released_otherwise
from rehearsal.proof.oracle import AGAINST_TEAM, ARMED_AHEAD, HARMLESS, HITS, TIMER, causes

_SETTLED: Final = frozenset({"answered", "voided"})
SCORED_WITHIN: Final[Millis] = 2 * MINUTE
"""Longest wait for an answer's score, or for the repetition of a lost step (platform §4)."""
_VISITS: Final = frozenset({"tick_missed", "tick_late", "tick_failed"})
_LETTERS: Final = "LETTERS#OPEN"
_UNREPORTED: Final = "SESSIONS#UNREPORTED"
_LOST: Final = ("scoring-", "relay-")
"""Prefixes of dead letters' names, which are their sources, that stand for answers without a score."""
_AGAIN: Final[Millis] = 2 * SECOND
"""Delay of a message that a queue delivers again after its worker failed."""
_UNDER_WAY: Final[Millis] = MINUTE
"""Longest time after a session's end during which an earlier answer may be under way."""
_ENDED: Final = frozenset({"finished", "timed_out", "aborted", "stopped"})


@tries("opened", lambda size: 3 * size.answered, outside=True)
def nothing_early(check: Check, case: Case) -> None:
    """Check that nothing of a file was in any answer before its opening: neither its name or text, nor a hash of it,
    headers among it; that everybody has the same text of it; and that it was released at its time."""
    heard = _told_of_files(check, case)
    for call in case.story.calls:
        names = () if call.what.startswith(AROUND) else call.file_ids
        texts, hashes = ((), ()) if call.what.startswith(QUALIFYING) else (call.texts, call.hashes)
        fields = [("name", name) for name in names] + [("text", text) for text in texts]
        for place in [*fields, *(("hash", digest) for digest in hashes if ("hash", digest) in heard)]:
            opening = case.schedule.opens_at(heard[place]) if place in heard else call.done_at + 1
            early = f"the {' '.join(map(str, place))} of file {heard.get(place)}, {opening - call.done_at} ms"
            check.that(opening <= call.done_at, f"{call.where} ({call.what}): {early} before its opening")
    for life in case.lives.values():
        handed_out_at = (case.item(life.team, f"FILE#{life.number:04d}") or {}).get("handed_out_at")
        early_by = case.schedule.opens_at(life.number) - int(handed_out_at) if handed_out_at is not None else 0
        check.that(early_by <= 0, f"{life.where}: stored as handed out {early_by} ms before its opening")
    opens_at = {number: case.schedule.opens_at(number) for number in case.schedule.numbers}
    check.look(*(released_otherwise(release, opens_at) for release in case.record["releases"]))
    check.look(*_stored_releases(case))


def _told_of_files(check: Check, case: Case) -> Mapping[tuple[str, str | int], int]:
    """Return the number of the file whose name, text or hash something is; look whether all have the same texts."""
    first_heard: dict[tuple[str, str | int], int] = {}
    for number, (file_id, digest) in sorted(contents_of(case.record).items()):
        # Several files of one item have one name, which is known from the first one's opening on.
        first_heard.setdefault(("name", file_id), number)
        first_heard.setdefault(("hash", digest), number)
    handed = (call for call in case.story.calls if call.what == "file" and call.status == 200)
    for call in sorted(handed, key=lambda one: one.n):
        number = call.number or 0
        same = all(first_heard.setdefault(("text", text), number) == number for text in call.texts)
        check.that(same, f"{call.where}: file {number} has the text of another file")
        # Texts are unknown from outside, and of a participant's own program, which the history does not follow.
        known_one = len(call.texts) == 1 or call.path is None or case.is_outside
        check.that(known_one, f"{call.where}: {len(call.texts)} texts of ours")
        for item in (case.story.own[text - 1]["item"] for text in call.texts if not case.is_outside):
            if "text" in item:
                first_heard.setdefault(("hash", sha256_hex(str(item["text"]).encode())), number)
    return first_heard


def _stored_releases(case: Case) -> Iterator[str]:
    """Yield the faulty release records: those that plan another opening than the schedule, were made more than three
    minutes before it or after the file was handed out, not by the timer's visits before it, or of another file; and
    files that were handed out without one."""
    stored = {int(item["number"]) for _, item in case.facts.of(EXCHANGE, f"RUN#{case.schedule.run_id}", "RELEASE#")}
    lives = case.lives.values()
    first = _first((life.number, call.done_at) for life in lives if (call := life.handed_out()) is not None)
    for number in sorted(first.keys() - stored):
        yield f"RELEASE#{number:04d}: was never armed, and its file was handed out"
    contents = contents_of(case.record)
    for sk, item in case.facts.of(EXCHANGE, f"RUN#{case.schedule.run_id}", "RELEASE#"):
        number = int(item["number"])
        planned, due = case.schedule.planned_at(number), case.schedule.opens_at(number)
        if (int(item["planned_at"]), int(item["opens_at"])) != (planned, due):
            yield f"{sk}: is stored as opening at {item['opens_at']}, planned for {item['planned_at']}, due at {due}"
        armed_at = int(item["armed_at"])
        ahead = case.schedule.known_at(armed_at).opens_at(number) - armed_at
        if ahead > ARMED_AHEAD:
            yield f"{sk}: was armed {ahead} ms before its opening"
        visit = _armed_by(case, number, due)
        if visit is not None and armed_at > visit:
            yield f"{sk}: was armed {armed_at - visit} ms after a visit of the timer that had to arm it"
        if (after := armed_at - first.get(number, armed_at)) > 0:
            yield f"{sk}: was armed {after} ms after its file was handed out"
        if item["file_id"] != contents.get(number, ("",))[0]:
            yield f"{sk}: is stored of another file"


def _armed_by(case: Case, number: int, due: Millis) -> Millis | None:
    """Return the timer's first visit that had to arm a file; None where at none its opening was known for good."""

    def known(moment: Millis) -> Millis | None:
        schedule = case.schedule.known_at(moment)
        return schedule.opens_at(number) if number in schedule.numbers else None

    decided = [decision.at for decision in case.schedule.decided.decisions]
    since = max((at for at in decided if known(at - 1) != due), default=0)
    return case.visits.arming(since, due)


@tries("results", lambda size: size.lives + size.heard)
def nothing_stuck(check: Check, case: Case) -> None:
    """Check that in the end every session is over, every file answered or annulled with a cause, no message waiting."""
    for team in case.sessions:
        state = case.facts.answers[f"status/{team}"]["state"]
        check.that(state in _ENDED, f"{team}: the session is {state}")
    for (team, number), status in case.statuses.items():
        where, state = f"{team}, file {number}", status["state"]
        check.look(
            None if state in _SETTLED else f"{where}: is {state}",
            f"{where}: annulled without a cause" if state == "voided" and not status["cause"] else None,
        )
    check.look(*_waited(case), *_steps_waited(case), *_reported_later(case))
    refusal = case.facts.answers.get(NOT_PUBLISHED)
    for name in ("record", "board"):
        why = f": {refusal}" if refusal and name == "board" else ""
        check.that(name in case.facts.answers, f"the run has no {name}{why}")
    for pk in case.facts.items.get(EXCHANGE, {}):
        if pk.startswith("OUTBOX#"):
            check.look(f"{pk} waits in the outbox")
    waiting = case.facts.items.get(EXCHANGE, {}).get(_UNREPORTED, {})
    for team, session_id in case.sessions.items():
        check.that(session_id not in waiting, f"{team}: the timer comes to its session's report for ever")
    for letter in case.facts.items.get(EXCHANGE, {}).get(_LETTERS, {}):
        check.that(not letter.startswith(_LOST), f"{letter} is a dead letter")
    for queue, messages in case.facts.left.items():
        check.that(not messages, f"{messages} messages are left in {queue}")


def _first(moments: Iterable[tuple[Any, Millis]]) -> dict[Any, Millis]:
    """Return the earliest moment of each thing."""
    first: dict[Any, Millis] = {}
    for thing, at in moments:
        first[thing] = min(at, first.get(thing, at))
    return first


def _scored_at(case: Case) -> Mapping[tuple[str, str, str], Millis]:
    """Return when scores were written, as far as that is known, by session, file's number and the answer's hash."""
    scores = [write for write in case.facts.written if write["what"] == "SCORE" and "at" in write]
    sessions = [write["pk"].removeprefix("SESSION#") for write in scores]
    return _first(
        ((session, *write["sk"].split("#")[1:3]), write["at"]) for session, write in zip(sessions, scores, strict=True)
    )


def _waited(case: Case) -> Iterator[str]:
    """Yield the answers whose score took longer than two minutes of the run's time. What was injected into the timer
    and the workers meanwhile puts the score off."""
    scored_at = _scored_at(case)
    for team, session_id in case.sessions.items():
        for sk, item in case.receipts(team):
            place = (session_id, sk.split("#")[1], item["content_sha256"])
            if item["status"] == "accepted" and place in scored_at:
                received_at = from_text(json.loads(item["body"])["receipt"]["received_at"])
                took = scored_at[place] - received_at
                if took > SCORED_WITHIN + put_off(case, received_at, scored_at[place]):
                    yield f"{team}, file {int(place[1])}: scored after {took / SECOND:.0f} s"


def _reported_later(case: Case) -> Iterator[str]:
    """Yield the sessions whose report was made later than by the timer's first visit after their end, and after the
    last of their scores was there."""
    reports = _first(
        (one["pk"].split("/")[1], one["at"]) for one in case.facts.written if one["what"] == "reports" and "at" in one
    )
    scored_at = _scored_at(case)
    for pk, items in case.facts.items.get(EXCHANGE, {}).items():
        closed_at, session_id = items.get("STATE", {}).get("closed_at"), pk.removeprefix("SESSION#")
        if closed_at and session_id in reports:
            # The visit that has ended a session finds it over; others do once no answer that came before its end can be
            # under way.
            end = int(closed_at)
            by_request = any(call.sent_at == end and session_id in (call.path or "") for call in case.story.calls)
            by_timer = not by_request and end in case.visits.sure(end, end)
            over = end if by_timer else end + _UNDER_WAY + 1
            since = max([over, *(at + 1 for (session, *_), at in scored_at.items() if session == session_id)])
            visit = next(case.visits.sure(since, reports[session_id] - 1), None)
            if visit is not None:
                late = reports[session_id] - visit
                yield f"session {session_id}: its report was made {late} ms after a visit of the timer that had to"


def put_off(case: Case, since: Millis, until: Millis) -> Millis:
    """Return the delay of the timer's next visit, or of a worker's next try, by injected faults: a minute for a visit
    that was missed, late or failed. The death of a process at a visit is noted at the next moment with requests."""
    bad = {injection["at"] for injection in case.story.injected if injection["what"] in _VISITS}
    delay = MINUTE * sum(since <= from_text(hindered_at) <= until for hindered_at in bad)
    for injection in case.story.injected:
        if injection["what"] in HITS and since <= injection["now"] <= until + MINUTE:
            delay += MINUTE if injection["handler"] == TIMER else _AGAIN
    return delay


def _steps_waited(case: Case) -> Iterator[str]:
    """Yield the steps towards record and board that were lost, and not done within two minutes of their due time.

    A session's part of the board waits for the session's scores, and the whole for its parts: a loss among these delays
    the step, and is judged separately.
    """
    objects = [(write["pk"], write["at"]) for write in case.facts.written if write["what"] in {"runs", "reports"}]
    for lost in (injection for injection in case.story.injected if injection["what"] == "step_lost"):
        lost_at, session = lost["now"], lost["session"]
        wholes = rf"runs/{lost['run']}/record\.json|reports/final/{lost['run']}/[^/]*"
        wanted = re.compile(rf".*/{re.escape(session)}\.json" if session else wholes)
        after = [(at, name) for name, at in objects if at >= lost_at and wanted.fullmatch(name)]
        done_at, name = min(after, default=(lost_at, ""))
        if not session:
            parts = re.compile(rf"{re.escape(name.removesuffix('.json'))}(-\d+)?/\d+\.json")
            needed = [*_first(place for place in objects if parts.fullmatch(place[0])).values()]
        else:
            # Also those by markups that came later, of which a file has another score.
            written = (write for write in case.facts.written if write["what"] == "SCORE" and "at" in write)
            scores = [write["at"] for write in written if write["pk"] == f"SESSION#{session}"]
            needed = scores if name.startswith("reports/final/") else []
        took = done_at - max([lost_at, *(at for at in needed if at <= done_at)])
        if took > SCORED_WITHIN + put_off(case, lost_at, done_at):
            yield f"a step of {session or 'the whole run'} that was lost: done after {took / SECOND:.0f} s"


@tries("no_cost", lambda size: size.lives, outside=True)
def causes_by_the_rules(check: Check, case: Case) -> None:
    """Check that every file's fate is one that the rules allow, no platform fault counting against a team.

    A file is lost by an organizers' decision only where the rehearsal's own organizers decided so, by a fault of the
    platform only where they ruled so or one was injected that may cost a file.
    """
    is_quiet = not set(case.story.header.get("faults", ())) - HARMLESS
    for place, life in case.lives.items():
        if place not in case.statuses:
            check.look(f"{life.where}: the session's status does not name it")
            continue
        fate = case.fate(*place)
        is_harmed = not is_quiet or place in case.schedule.decided.ruled
        allowed = causes(life, case.schedule, case.facts) - (set() if is_harmed else {"platform"})
        if fate in allowed:
            check.look(None)
        elif fate in AGAINST_TEAM and "platform" in allowed:
            check.look(f"{life.where}: a fault of the platform is counted as {fate}")
        else:
            check.look(f"{life.where}: is {fate}, by the rules {' or '.join(sorted(allowed))}")


@tries("committed", lambda size: size.answered, outside=True)
def files_as_committed(check: Check, case: Case) -> None:
    """Check that every file is, byte by byte, the one that was committed to before the run."""
    promised = contents_of(case.record)  # by number: several files of one item have one name
    for life in case.lives.values():
        for call in life.asks:
            if call.status == 200:
                same = promised.get(life.number) == (call.said["file_id"], call.said["content_sha256"])
                check.that(same, f"{life.where}, call {call.n}: another content than was committed to")


def fates(case: Case) -> Counter[str]:
    """Count the files by fate, for the summary."""
    return Counter(case.fate(*place) for place in case.statuses)


def processing(case: Case) -> list[int]:
    """Return the milliseconds from each file's opening to its hand-out."""
    return sorted(
        from_text(handed.said["handed_out_at"]) - case.schedule.opens_at(life.number)
        for life in case.lives.values()
        if (handed := life.handed_out()) is not None
    )


Json = Any
_OPEN: Final = "channel_open"
_NOBODY_LISTENS: Final = "no team is on the event channel: fewer than five teams, or the clock runs by itself"
_BY_CHANCE: Final = 8
"""Number of files of which one may be lost because both of its pushes were dropped, or come twice because nobody noted
the first: a dropped push comes again too late, and processes die."""
_LOSING: Final = frozenset({"losses", "disconnects"})
_UNPUSHED: Final = 3
_OF_THE_CHANNEL: Final = frozenset({"dispatch.push", "dispatch.socket", "submit.submissions"})
_BEFORE, _AFTER = 5 * SECOND, MINUTE
"""Margins of a file's request time within which a fault may have hit its push: faults are noted when met."""
_LIFE: Final = "life_"
"""Prefix of the names of calls by clients that play nothing."""
_ENTERED_BY: Final[Millis] = MINUTE
_SIGN_DUE, _SIGN_BY = 3 * MINUTE, 4 * MINUTE
_TIME_TO_PUSH: Final[Millis] = 4 * SECOND
"""Presence in a file's request time with which a client surely gets its push: the second comes after three seconds."""


@tries("kept", lambda size: size.heard + -(-size.heard // SURELY), stages=ESSAYS_ALONE, needs=_NOBODY_LISTENS)
def channel_kept(check: Check, case: Case) -> None:
    """Check that every receipt that came over the channel is signed and stored. A file's fate is its answer where its
    client was there, the platform's fault where something was spoilt for it, and the network's where the client was
    away; no client that was there is late."""
    unexplained = list[str]()
    away: dict[str, list[tuple[Millis, Millis]]] = defaultdict(list)
    for injection in case.story.injected:
        if injection["what"] == "channel_away":
            away[injection["team"]].append((from_text(injection["since"]), from_text(injection["until"])))
    for call in case.story.calls:
        if call.what == "channel_answer" and call.status == 200:
            answer, where = call.said, f"{call.team}, file {call.said['receipt']['number']}"
            is_stored = receipt_text(answer) in case.stored_receipts(call.team)
            check.look(
                None
                if case.keys.signed(answer["receipt"], answer["signature"])
                else f"{where}: the signature is not good",
                None if is_stored else f"{where}: the receipt is not stored",
            )
        if call.what == "channel_open" and call.status == 201:
            for number in case.schedule.numbers:
                check.look(_wrong_fate(case, call.team, number, call.done_at, away[call.team]))
                if case.statuses[call.team, number]["cause"] == "platform" and not _spoilt(case, call.team, number):
                    unexplained.append(f"{call.team}, file {number}: is the platform's fault, and nothing was spoilt")
    header = case.story.header
    is_played = header.get("driven", False) and header.get("listening", 0) > 0 and header["files"] >= _UNPUSHED
    if is_played and set(header.get("faults", ())) >= _LOSING:  # an injection that meets nothing proves nothing
        lost = any(injection["what"] == "push_lost" for injection in case.story.injected)
        check.that(lost, "no push was lost for good")
    is_quiet = not set(header.get("faults", ())) - HARMLESS
    few = 0 if is_quiet else len(case.schedule.numbers) // _BY_CHANCE
    check.faults += unexplained if len(unexplained) > few else []
    twice = [
        f"{call.where}: its file was pushed {call.said['pushed']} times over one connection"
        for call in case.story.calls
        if call.what == "channel_answer" and call.said.get("pushed", 0) > 1
    ]
    check.faults += twice if len(twice) > few else []


@tries("kept", 3, fault="qualifying", stages=ESSAYS_ALONE)
def channel_alive(check: Check, case: Case) -> None:
    """Check that a client of Engine.IO 4 that plays nothing is let in and sent a sign of life every three or four
    minutes; one that enters nothing within a minute is closed by the timer's next visit."""
    done = [call for call in case.story.calls if call.what.startswith(_LIFE) and call.status == 200]
    calls = {call.what: call for call in done}
    for call in done:
        if call.what == f"{_LIFE}entered":
            check.that(call.said["entered"], f"{call.where}: is not let in")
        if call.what == f"{_LIFE}let_go" and f"{_LIFE}idle" in calls:
            since = calls[f"{_LIFE}idle"].done_at + _ENTERED_BY
            is_visited = any(case.visits.on_time(since, call.sent_at))
            due = is_visited if case.visits.known else call.sent_at - since > MINUTE
            overdue = due and not call.said["let_go"]
            check.that(not overdue, f"{call.where}: is kept though it has entered nothing")
        if call.what == f"{_LIFE}heard" and f"{_LIFE}entered" in calls:
            least, most = _signs_due(case, calls[f"{_LIFE}entered"].done_at, call.sent_at)
            heard = call.said["signs"]
            problem = f"{call.where}: has heard {heard} signs of life, by the rules {least} to {most}"
            check.that(least <= heard <= most, problem)


def _signs_due(case: Case, since: Millis, until: Millis) -> tuple[int, int]:
    """Return the fewest and the most signs of life due to a client that entered at a moment: one at the timer's first
    visit three minutes after the one before. In real time, where the visits are not known, that is after three to four
    minutes."""
    if not case.visits.known:
        return (until - since) // _SIGN_BY, (until - since) // _SIGN_DUE
    signs, last = 0, since
    for visit in case.visits.on_time(since, until):
        if visit >= last + _SIGN_DUE:
            signs, last = signs + 1, visit
    return signs, signs


def _spoilt(case: Case, team: str, number: int) -> bool:
    """Return whether every push of a file was lost for good, or a channel process died or was refused around it."""
    since, until = case.schedule.opens_at(number) - _BEFORE, case.schedule.request_by(number) + _AFTER
    opened = (call for call in case.story.calls if call.team == team and call.what == _OPEN)
    sessions = {call.said.get("session_id") for call in opened}
    return any(
        (one["session"] in sessions and one["number"] == number)
        if one["what"] == "push_lost"
        else one["what"] in HITS and one["handler"] in _OF_THE_CHANNEL and since <= one["now"] <= until
        for one in case.story.injected
    )


def _wrong_fate(case: Case, team: str, number: int, joined_at: Millis, away: list[tuple[Millis, Millis]]) -> str | None:
    opens_at, request_by = case.schedule.opens_at(number), case.schedule.request_by(number)
    if opens_at < joined_at:
        return None
    fate = case.fate(team, number)
    there = [(opens_at, request_by)]
    for since, until in away:
        there = [part for start, end in there for part in ((start, min(end, since)), (max(start, until), end))]
    longest = max((end - start for start, end in there), default=0)
    if number not in case.schedule.decided.voided and 0 < longest < _TIME_TO_PUSH:
        return None
    allowed = {"answered", "platform"} if longest > 0 else {"network"}
    allowed = {"organizer_decision"} if number in case.schedule.decided.voided else allowed
    return None if fate in allowed else f"{team}, file {number}: is {fate}, by the rules {' or '.join(sorted(allowed))}"
