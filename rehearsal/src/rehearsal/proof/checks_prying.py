"""Checks that nobody receives a secret: teams before openings, strangers without a token, an attacker of a hidden set.

Chance hits on references are measured: beside the places of references stand as many decoys, the same places moved. An
attacker without information hits both alike.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise, zip_longest
from typing import Any, Final

from markup_core.receipt import sha256_hex
from rehearsal.history import ATTACKING, MARKED_CODES, PUSHES, SECOND, STRANGERS, Call, Millis, from_text
from rehearsal.proof.case import ESSAYS_ALONE, PROGRAMS_ALONE, SCORES, Case, Check, tries
from rehearsal.proof.checks_programs import ProgramCase
from rehearsal.proof.checks_results import Results
from rehearsal.proof.oracle import ESSAY, HITS, LEAST_TOLD

Json = Any
OWN_EARLY, OWN_SHOWN = "own_early", "own_shown"
"""Names of the calls with which a team looks at its own results, before they are out and afterwards."""
_OPEN: Final = "train-"
"""Prefix of the marks that everybody may see."""


@tries("hidden", lambda size: 2 * size.answered + 2 * size.over_http * size.plays("prying"), stages=ESSAYS_ALONE)
def markups_kept(check: Check, case: Case) -> None:
    """Check that experts' comments stay secret in time. Each has a mark of its own, which is searched for in all that
    anybody receives: before the publication there is none of the final or the reserve, and no score of one's own file;
    afterwards a team sees beside each answer of its own, by its receipts, the marks of that very file's experts (R
    7.11)."""
    published_at = case.facts.answers["published_at"]
    for call in case.story.calls:
        secret = [mark for mark in call.marks if not mark.startswith(_OPEN)]
        if call.n <= published_at:
            check.that(not secret, f"{call.where}: tells of the markups {', '.join(secret)}")
    early, later = (
        [call for call in case.story.calls if call.what == name and not call.failed and call.status != 429]
        for name in (OWN_EARLY, OWN_SHOWN)
    )
    for call in early:
        was_answered = call.status == 200
        check.that(not was_answered, f"{call.where}: {call.path} is answered {call.status} before the publication")
    looks = [call for call in case.story.calls if call.what == OWN_SHOWN]
    accepted = [call for call in looks if case.accepted(call.team, call.number or 0)]
    if early and (accepted or not looks):
        anybody = any(call.status == 200 for call in looks)
        check.that(anybody, "nobody was shown its own comparison after the publication")
    for call in later:
        own = Results.of(case).own(call.number or 0) if call.status == 200 else None
        if own is not None:
            due = {f"{own['item']['meta']['id']}-{number}" for number in range(1, len(own["experts"]) + 1)}
            other = f"file {call.number} is shown with the markups {sorted(call.marks)}, not {sorted(due)}"
            check.that(set(call.marks) == due, f"{call.where}: {other}")
        elif call.status != 200 and call in accepted:
            check.look(f"{call.where}: {call.path} is answered {call.status} after the publication")


_UNFORESEEN = "internal"
"""Error code of a handler's answer to an unforeseen problem."""
_BELIEVED: Final[Millis] = 2 * SECOND
"""Longest time, in milliseconds, for which a process may not know of a decision."""


@tries("opened", lambda size: size.early, fault="prying", outside=True)
def not_yet_told(check: Check, case: Case) -> None:
    """Check that a request before an opening is told its time, by the announced schedule and the decisions, whether the
    run is paused, and nothing else."""
    for call in case.story.calls:
        if (call.what == "pry_early" and call.status != 429) or (call.what == "file" and call.status == 425):
            where = f"{call.where}: file {call.number}, {case.schedule.opens_at(call.number or 0) - call.sent_at} ms"
            fault = "is told of it" if call.texts or call.file_ids else _answered_early(case, call)
            check.look(f"{where} before its opening, {fault}" if fault else None)


def _answered_early(case: Case, call: Call) -> str | None:
    number, schedule = call.number or 0, case.schedule
    if call.status is None or call.failed:
        return None
    if call.status != 425:
        return f"is answered {call.status} {call.code}"
    details = (call.said["error"].get("details") or [{}])[0]
    opens_at, now, again = details.get("opens_at"), details.get("server_time"), call.said.get("retry_after")
    decisions = [schedule.known_at(moment) for moment in (call.sent_at, call.sent_at - _BELIEVED)]
    if not opens_at or from_text(opens_at) not in {one.opens_at(number) for one in decisions if number in one.numbers}:
        return f"is told that it opens at {opens_at}"
    in_pause = any(start <= call.sent_at < end for start, end in schedule.decided.pauses)
    if in_pause and details.get("run_state") != "paused":
        return f"is told in a pause that the run is {details.get('run_state')}"
    if now is None or not call.sent_at <= from_text(now) <= call.done_at:
        return f"is told that it is {now}"
    due = -(-(from_text(opens_at) - from_text(now)) // SECOND)
    return None if again == str(max(1, due)) else f"is told to come again after {again} s, not {due}"


@tries("hidden", lambda size: 50 * (size.over_http > 1) + size.over_http, fault="prying", outside=True)
def others_kept(check: Check, case: Case) -> None:
    """Check that nobody reads, answers or ends another team's session, and that no program has people's routes; such a
    request is refused, and breaks nothing."""
    spoilt = any(injection["what"] in HITS for injection in case.story.injected)
    for call in case.story.calls:
        where = f"{call.where}: {call.path}"
        if call.what not in {"pry_others", "pry_staff"} or call.status in {None, 429}:
            continue
        if call.failed:
            # What is the staff's is refused before anything is written, so that no write that was spoilt explains it.
            broken = not spoilt or (call.what == "pry_staff" and call.code == _UNFORESEEN)
            check.that(not broken, f"{where} is answered {call.status} {call.code}")
            continue
        right = {404} if call.what == "pry_others" else {401, 403}
        check.look(
            None if call.status in right else f"{where} is answered {call.status}",
            f"{where} tells of files {', '.join(call.file_ids)}" if call.file_ids else None,
            f"{where} tells an essay's text" if call.texts else None,
        )


@tries(
    "limits", lambda size: size.over_http + (size.over_http + size.over_http // 2) * size.plays("prying"), outside=True
)
def joined_once(check: Check, case: Case) -> None:
    """Check that a second session is refused, and one after the last moment; all other teams take part."""
    for call in case.story.calls:
        if call.what in {"join_again", "join_late"} and call.status != 429 and not call.failed:
            let_in = call.status is not None and call.status < 400
            check.that(not let_in, f"{call.where} ({call.what}): is answered {call.status}")
    opened: dict[str, set[str]] = {}
    for call in case.story.calls:
        if call.what == "open" and call.status is not None:
            due = call.sent_at <= case.schedule.join_until
            if call.status == 201:
                opened.setdefault(call.team, set()).add(str(call.said["session_id"]))
                check.that(due, f"{call.where}: joined after the last moment")
            elif due and not call.failed and call.status != 429:
                check.look(f"{call.where}: came in time and is answered {call.status} {call.code}")
    for team, sessions in opened.items():
        check.that(len(sessions) <= 1, f"{team}: has {len(sessions)} sessions")


_FAREWELL: Final = frozenset({"connection-auth-error", "connection_auth_error"})
"""Names of the event that tells a stranger why it may not stay, as the clients of either namespace spell it."""
_WORD: Final = re.compile(r"[\w=+/-]{8,}")
_CONNECTIONS: Final = "CONNECTIONS"


@tries("hidden", lambda size: size.files * ("crowd" in size.faults), needs="the fault «crowd» was not injected")
def strangers_kept_out(check: Check, case: Case) -> None:
    """Check that every stranger was refused, over the channel in every namespace with a reason, and that no item,
    neither in the end nor ever of a connection, names one."""
    marks: dict[str, str] = {}
    for call in case.story.calls:
        if call.team == STRANGERS:
            check.look(_let_in(call))
            token, connection = call.said.get("token") or "", call.said.get("connection")
            named = filter(None, (token, token and sha256_hex(token.encode()), connection))
            marks |= dict.fromkeys(named, f"the stranger of call {call.n}")
    written = [write["sk"] for write in case.facts.written if write["what"] == _CONNECTIONS]
    stored = [("a connection that was stored", sk) for sk in written]
    for table, partitions in case.facts.items.items():
        for pk, sk, item in ((pk, sk, item) for pk, items in partitions.items() for sk, item in items.items()):
            stored.append((f"{table} {pk} {sk}", json.dumps([pk, sk, item], default=str)))
            if pk == _CONNECTIONS and not item["token_sha256"]:  # a stranger's, whichever it is
                check.faults.append(f"{pk} {sk} is a connection without a token")
    for where, text in stored:
        words = sorted(marks.keys() & set(_WORD.findall(text)))
        check.faults += [f"{where} speaks of {marks[mark]}" for mark in words]


def _let_in(call: Call) -> str | None:
    """Return the fault of an answer to a stranger; None without an answer."""
    where = f"stranger, call {call.n} ({call.what})"
    if call.file_ids:
        return f"{where}: is told of the files {', '.join(call.file_ids)}"
    if call.status == 101:
        more = sorted(set(call.said["told"]) - _FAREWELL)
        if more:
            return f"{where}: is told {', '.join(more)}"
        namespaces = sorted(set(call.said["spoken_in"]) - set(call.said["parted"]))
        return f"{where}: is not parted from {', '.join(namespaces)}" if namespaces else None
    if call.status is not None and call.status < 400:
        return f"{where}: is answered {call.status}"
    return None


Places = frozenset[tuple[int, int]]
ATTACKED: Final = "attacked"
"""Name of the history's answer with the places and hashes of the references."""
_HIDDEN: Final = "test-"
"""Prefix of the marks in references of the attacked set."""
_WITH_A_TWIN: Final = 5
"""Least number of a team's programs with which one of them answers almost as another does."""
_NUMBER: Final = re.compile(r"\d+")
_DECOYS: Final = range(1, 21)
_LUCK: Final = 3
"""Number of places that may be met by chance beyond twice those of the luckiest decoys."""
_MEASURES: Final = frozenset({"algorithm_accuracy", "expert_accuracy", "relative_accuracy", "metrics"})
_PASSING: Final = frozenset({"stage", "files", "answered", "voided", "right", "passed"})
_FILE: Final = re.compile(r'"(?:fileId|taskId)":\s*"?([^",}]+)')
"""Names of files in pushes."""
_EVENT: Final = "session"
"""Word in the name of every event."""
_METRICS: Final = frozenset(f"M{number}" for number in range(1, 8))


@tries("hidden", 90, fault="prying")
def references_hidden(check: Check, case: Case) -> None:
    """Check that an attack on a hidden set learns nothing. No mark of its references is in any answer to a team or a
    stranger; no hash of one in any answer to the attacker; no more of their places than of decoys; where measures of a
    file are told, they alone, in whole per cent; totals of ten answers and more, and of no two sessions that differ in
    fewer (R 2.7, 6.5.2, 6.5.3, TS T10)."""
    attacked = case.facts.answers.get(ATTACKED, {})
    calls = [call for call in case.story.calls if call.what.startswith(ATTACKING) and not call.failed]
    for call in (call for call in case.story.calls if "@" not in call.team):
        marks = [mark for mark in call.marks if mark.startswith((_HIDDEN, MARKED_CODES))]
        check.faults += [f"{_sitting(call)}: {call.path} tells of the references {', '.join(marks)}"] if marks else []
    secret = frozenset({*attacked.get("hashes", ()), *_scored_against(case, calls)})
    for call in calls:
        hashes = sorted(secret & set(call.hashes))
        check.that(not hashes, f"{_sitting(call)}: {call.path} tells the hash of a reference, {', '.join(hashes)}")
    check.look(_places_met(calls, frozenset((first, last) for first, last in attacked.get("places", ()))))
    for call in calls:
        if call.what == f"{ATTACKING}score" and call.status == 200:
            check.look(*_measured_otherwise(call, measured=bool(attacked.get("measured"))))
    if attacked.get("passes"):
        _look_at_passing(check, calls)
    elif attacked and not attacked["measured"]:
        _look_at_totals(check, calls, attacked.get("least", LEAST_TOLD))
    if attacked:
        heard = any(_EVENT in call.said["heard"] for call in calls if call.what == f"{ATTACKING}frames")
        check.that(heard, "the event channel said nothing")
        _look_at_pushes(check, calls, attacked.get("listened", 0))
    for call in case.story.calls if case.story.header.get("stage", ESSAY) != ESSAY else ():
        if call.what == OWN_EARLY and call.status not in {None, 429}:
            is_told = call.status == 200
            check.that(not is_told, f"{_sitting(call)}: {call.path} tells of a run before its results are out")


@tries("hidden", lambda size: size.lives, stages=PROGRAMS_ALONE, name="references_hidden")
def truths_kept(check: Check, case: ProgramCase) -> None:
    """Check that no true answer of the tests of submitted programs, of those that are whole words or longer, is in any
    answer to anybody but the staff; of a submission that differs from an earlier one of its team in few requests
    nothing is told by which these could be judged (F-5, F-7, TS T10)."""
    # Short answers are words of every page: those of the document of the interface tell nothing.
    common = {text for call in case.story.calls if call.path == "/docs" for text in call.texts}
    for call in case.story.calls:
        if "@" not in call.team and call.status == 200:
            truths = set(call.texts) - common
            check.that(not truths, f"{call.where}: {call.path} tells {len(truths)} true answers")
    for name in sorted(case.withheld):
        where, body = f"{case.brought[name].team}, {name}", case.stored(name)
        report = json.loads(case.facts.objects[f"submissions/reports/{name}.json"][1] or "{}")
        totals = [body["value"], report.get("result"), report.get("barrier", {}).get("overcome")]
        check.that(totals == [None] * 3, f"{where}: tells totals by which few requests are judged")
        boards = [
            key for key, board in case.facts.answers.items() if key.startswith("board/") and name in json.dumps(board)
        ]
        check.that(not boards, f"{where}: stands on {', '.join(boards)}")
    due = case.brought and case.story.header["files"] >= _WITH_A_TWIN
    check.that(not (due and not case.withheld), "no team tried to read a request out of two submissions")


def _scored_against(case: Case, calls: list[Call]) -> Iterator[str]:
    """Return the hashes of references in the stored scores of the attacker's sessions."""
    opened = [
        call.said["told"]["session_id"] for call in calls if call.what == f"{ATTACKING}open" and call.status == 201
    ]
    for session_id in opened:
        for _, item in case.facts.of(SCORES, f"SESSION#{session_id}", "SCORE#"):
            inputs = json.loads(item["record"]).get("fingerprint", {}).get("inputs")
            yield from inputs[1:] if isinstance(inputs, list) else ()


def _sitting(call: Call) -> str:
    return f"{call.where} ({call.means.get('sitting', call.what)})"


def _places_met(calls: list[Call], places: Places) -> str | None:
    """Return the fault where neighbouring numbers are places of references more often than decoys."""
    received: set[tuple[int, int]] = set()
    sent: set[tuple[int, int]] = set()
    for call in calls:
        received |= _pairs_in(str(call.said.get("heard", "")))
        for is_sorted in (False, True):  # as it was sent, and as it is stored
            own = json.dumps(call.means.get("sent"), ensure_ascii=False, sort_keys=is_sorted)
            sent |= _pairs_in(own)
    received -= sent
    met = len(received & places)
    chance = max(len(received & {(first + by, last + by) for first, last in places}) for by in _DECOYS)
    few = met <= 2 * chance + _LUCK
    return None if few else f"{met} places of references of {len(places)} are told, of decoys {chance} at most"


def _pairs_in(text: str) -> set[tuple[int, int]]:
    """Return pairs of numbers that stand next to each other, or with one between them."""
    numbers = [int(digits) for digits in _NUMBER.findall(text) if len(digits) < 6]
    return {*pairwise(numbers), *zip(numbers, numbers[2:], strict=False)}


def _measured_otherwise(call: Call, *, measured: bool) -> Iterator[str]:
    """Yield the faults of a hidden file's score as the team received it."""
    score: Mapping[str, Json] = call.said["told"]
    if not measured:
        yield f"{_sitting(call)}: {call.path} tells a score of an item, where totals alone are told"
        return
    more = sorted(score.keys() - _MEASURES) + sorted(score.get("metrics", {}).keys() - _METRICS)
    if more:
        yield f"{_sitting(call)}: {call.path} tells {', '.join(more)} of a hidden file"
    values = [value for name, value in {**score, **score.get("metrics", {})}.items() if name not in {"metrics", *more}]
    finer = [value for value in values if value is not None and value != int(value)]
    if finer:
        yield f"{_sitting(call)}: {call.path} tells {finer[0]}, which is no whole per cent"


def _look_at_totals(check: Check, calls: list[Call], least: int) -> None:
    """Check that a session's totals are told or withheld by the rule: the answers that count in a view, and those that
    differ in it from the ones behind earlier totals, are none or the ``least`` number of the cycle and more."""
    earlier: list[tuple[str, list[Mapping[str, Json]]]] = []
    for call in calls:
        if call.what != f"{ATTACKING}report" or call.status != 200:
            continue
        answers = call.means["taken"]
        views: list[Mapping[str, Json]] = [
            {place: parts[view] for place, parts in answers.items() if parts[view] is not None}
            for view in range(max(map(len, answers.values()), default=0))
        ]
        near = [name for name, other in earlier if any(0 < number < least for number in _differing(views, other))]
        few = len(answers) < least or any(0 < len(view) < least for view in views)
        allowed = not few and not near
        has_totals = call.said["told"].get("result") is not None
        if has_totals and not allowed:
            check.look(
                f"{_sitting(call)}: totals of {len(answers)} answers are told beside those of {near or 'nothing'}"
            )
        else:
            check.that(has_totals is allowed, f"{_sitting(call)}: no totals of {len(answers)} answers are told")
        earlier += [(call.means["sitting"], views)] if has_totals else []


def _look_at_passing(check: Check, calls: list[Call]) -> None:
    """Check each session of one item: no answer was right, and that is all that is told."""
    for call in calls:
        if call.what == f"{ATTACKING}report" and call.status == 200:
            result: Mapping[str, Json] = call.said["told"].get("result") or {}
            wrong = {**result, "passed": False, "right": 0}
            more = sorted(result.keys() - _PASSING)
            check.look(
                None if result == wrong else f"{_sitting(call)}: a wrong answer has the result {result}",
                f"{_sitting(call)}: {', '.join(more)} is told of one item" if more else None,
            )


def _look_at_pushes(check: Check, calls: list[Call], files: int) -> None:
    """Check that a run's files are pushed as they open: none before its opening, by name or text, each afterwards."""
    looks = [call for call in calls if call.what == f"{ATTACKING}{PUSHES}"]
    if len(looks) != 2 * files:
        check.faults.append(f"{len(looks)} times the pushes of a run were looked at, of {2 * files}")
    names: set[str] = set()
    for call in looks:
        opened, texts = call.means["opened"], call.means["texts"]
        names.update(_FILE.findall(call.said["heard"]))
        check.look(
            None if len(names) == opened else f"{_sitting(call)}: {len(names)} files were pushed of {opened} open ones",
            f"{_sitting(call)}: texts of {texts} files came, {opened} were open" if texts > opened else None,
        )


def _differing(one: list[Mapping[str, Json]], other: list[Mapping[str, Json]]) -> Iterator[int]:
    """Yield for each view the number of items with other answers in two sessions."""
    nothing: Mapping[str, Json] = {}
    for first, second in zip_longest(one, other, fillvalue=nothing):
        yield sum(first.get(place) != second.get(place) for place in first.keys() | second.keys())
