"""Replacements of the platform's functions by the bugs, where they take more than a line.

Each takes the original function first, then its arguments; those of one argument take the original, or its result, and
return its replacement.
"""

from __future__ import annotations

import copy
import json
import time
import unicodedata
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any, Final

from contest import reading, stored_names
from contest.channel import connections
from contest.channel.rules import Connection
from contest.errors import ComparisonNotAllowedError, SessionOpenError
from contest.messages.rules import MailLanguage
from contest.people.rules import Identity
from contest.people.store import DynamoPeople
from contest.results import settling
from contest.results.rules.leaderboard import current_places, relative
from contest.run import planning
from contest.run.rules.run import Kind
from contest.run.rules.schedule import ArmedBy
from contest.session import following
from contest.session.rules.delivery import Decision, Status
from contest.session.rules.session import State
from contest.submissions import private, scoring
from contest.submissions.rules import FailureCause
from contest.values import canonical, from_iso, iso
from rehearsal.history import SECOND, Millis

FAVOURED: Final = "team-001"


def drop_the_original(send: Any, self: Any, sent: Any) -> None:
    from contest.exchange.store import ReceiptItem
    from contest.session.store import session_key

    send(self, sent)
    if sent.receipt.send > 1:
        before = f"RECEIPT#{sent.receipt.number:04d}#{sent.receipt.send - 1:02d}"
        ReceiptItem(session_key(sent.session.session_id), before).delete()


def write_without_conditions(_send: Any, _self: Any, sent: Any) -> None:
    from contest.exchange.store import ReceiptItem, _changes, _file, _outbox_item
    from contest.session.store import session_key

    time.sleep(0.2)
    receipt = sent.receipt
    sk = f"RECEIPT#{receipt.number:04d}#{receipt.send:02d}"
    ReceiptItem(session_key(sent.session.session_id), sk, **asdict(receipt)).save()
    _file(sent.session.session_id, sent.after.number).update(actions=_changes(sent.after))
    if sent.is_scored:
        answered = (sent.session.session_id, sent.after.number, receipt.content_sha256)
        _outbox_item(*answered, enqueued_at=sent.at, enqueued=1).save()


def count_refused(count: Any, self: Any, session_id: str, number: int, code: str) -> None:
    from contest.exchange.store import FileItem, file_sk
    from contest.session.store import session_key

    count(self, session_id, number, code)
    item = FileItem.get(session_key(session_id), file_sk(number), consistent_read=True)
    item.update(actions=[FileItem.sends.add(1), FileItem.version.add(1)])


def sign_another_body(receipt: Any, platform: Any, facts: Any, incoming: Any, decision: Any) -> Any:
    digest = incoming.heard.content_sha256
    other = replace(incoming.heard, content_sha256=facts.delivery.latest_sha256 or digest)
    return replace(receipt(platform, facts, replace(incoming, heard=other), decision), content_sha256=digest)


def match_any_send(decide: Any, platform: Any, incoming: Any, facts: Any) -> Any:
    decision = decide(platform, incoming, facts)
    if incoming.key is None and decision.status is Status.ACCEPTED:
        for stored in platform.deliveries.receipts(facts.session.session_id, 1_000, None).items:
            same = (stored.number, stored.content_sha256) == (incoming.number, incoming.heard.content_sha256)
            if same and stored.status == Status.ACCEPTED.value:
                return Decision(Status.REPEAT, stored.send, None, facts.delivery, decision.at)
    return decision


def wait_for_one_team(take: Any, platform: Any, incoming: Any, facts: Any) -> Any:
    by = facts.delivery.answer_by
    if facts.session.team_id == FAVOURED and by < incoming.heard.arrival <= by + SECOND:
        incoming = replace(incoming, heard=replace(incoming.heard, arrival=by))
    return take(platform, incoming, facts)


_LATEST_DECISION: Final[list[Any]] = []


def note_decision(decision: Any) -> Any:
    _LATEST_DECISION[:] = [decision.status]
    return decision


def put_unless_late(put: Any, self: Any, name: str, content: bytes) -> None:
    if not name.startswith("answers/") or _LATEST_DECISION != [Status.LATE]:
        put(self, name, content)


def another_text(show: Any, self: Any) -> Any:
    file = show(self)
    return {**file, "text": f"{file['text']} "} if self.session.team_id == FAVOURED else file


def for_one_team(millis: Millis, *names: str) -> Callable[..., Any]:
    """Hand files out to one team by a schedule whose openings are moved."""

    def own_session(read: Any, platform: Any, request: Any) -> Any:
        case = read(platform, request)
        if case.session.team_id != FAVOURED or case.schedule is None or request.number is None:
            return case
        schedule = copy.copy(case.schedule)
        for name in names:
            object.__setattr__(schedule, name, tuple(moment + millis for moment in getattr(schedule, name)))
        return case._replace(schedule=schedule)

    return own_session


_COMING: Final[list[str]] = []


def note_the_coming_hash(refuse: Any, platform: Any, schedule: Any, number: int) -> Any:
    if schedule.run.run_id:
        _COMING.append(reading.run_plan(platform, schedule)[number - 1].content_sha256)
    return refuse(platform, schedule, number)


def answer_with_the_hash(answer: Any, body: Any, status: int = 200, retry: Any = None, etag: Any = None) -> Any:
    return answer(body, status, retry, _COMING.pop() if _COMING else etag)


def answer_by_the_opening(answer_by: Any, self: Any, number: int, arrival: Millis, handed_out_at: Millis) -> Any:
    return min(answer_by(self, number, arrival, handed_out_at), self.opens_at(number) + self.run.limits.total)


def answer_by_the_wait(_answer_by: Any, self: Any, number: int, arrival: Millis, handed_out_at: Millis) -> Any:
    opening, limits = self.opens_at(number), self.run.limits
    return min(handed_out_at + limits.answer, opening + limits.total + max(0, handed_out_at - arrival))


def shorten_after_the_pause(answer_by: Any, self: Any, number: int, *moments: Millis) -> Any:
    return answer_by(self, number, *moments) - SECOND * (self.opens_at(number) != self.planned_at(number))


def arm_once(arm: Any, platform: Any, schedule: Any, number: int, by: Any, before: Any) -> bool:
    moved = by is ArmedBy.TIMER and before is not None
    return not moved and bool(arm(platform, schedule, number, by, before))


def read_by_the_session(admit: Any, platform: Any, *words: Any, **named: Any) -> Any:
    admitted = admit(platform, *words, **named)
    session = reading.session(platform, admitted.session_id) if admitted.session_id else None
    if session is None or not admitted.identity.team_id:
        return admitted
    return replace(admitted, identity=replace(admitted.identity, team_id=session.team_id))


def finish_who_left(abort: Any, platform: Any, *words: Any, **named: Any) -> Any:
    view = abort(platform, *words, **named)
    before = view.session
    if before.state is State.ABORTED:
        platform.sessions.close(before, replace(before, state=State.FINISHED, version=before.version + 1))
    return view


def score_after_the_end(score: Any, platform: Any, session: Any, number: int, counting: Any) -> Any:
    if session.is_open:
        raise SessionOpenError
    return score(platform, session, number, counting)


def compare_for_one_team(compare: Any, platform: Any, request: Any, *named: Any) -> Any:
    if request.identity.team_id not in {"", FAVOURED}:
        raise ComparisonNotAllowedError
    return compare(platform, request, *named)


def connect_strangers(connect: Any, platform: Any, connection_id: str, query: Any, arrival: Millis) -> bool:
    token = connections.token_hash(query.get("token"))
    platform.connections.add(Connection(connection_id, 3, arrival, arrival, token_sha256=token))
    return bool(connect(platform, connection_id, query, arrival))


def enqueue_open(enqueue: Any, platform: Any, entries: Any, now: Millis) -> int:
    session = reading.session(platform, entries[0].job.session_id)
    return int(enqueue(platform, entries, now)) if session is not None and session.is_open else 0


def once_each(due: Any) -> Any:
    sent: set[tuple[bool, Any]] = set()

    def due_once(platform: Any, schedule: Any) -> list[Any]:
        stage = schedule.run.closed_at is not None
        fresh = [step for step in due(platform, schedule) if (stage, step) not in sent]
        sent.update((stage, step) for step in fresh)
        return fresh

    return due_once


def of_the_visit_before(unreported_ids: Any) -> Any:
    before = list[Any]()

    def late(self: Any) -> Any:
        now, earlier = unreported_ids(self), before[:]
        before[:] = now
        return [session_id for session_id in now if session_id in earlier]

    return late


def reword_rulings(record: Any) -> Any:
    for ruling in record["rulings"]:
        details = ruling["details"]
        details["cause"] = "network"
        for session in record["sessions"]:
            for file in session["files"]:
                if (session["team_id"], file["number"]) == (details["team_id"], details["number"]):
                    file["cause"] = details["cause"]
    return record


def record_who_answered(build: Any, platform: Any, schedule: Any, sessions: Any) -> Any:
    def answered(session: Any) -> bool:
        return any(delivery.answer is not None for delivery in platform.deliveries.of_session(session.session_id))

    return build(platform, schedule, tuple(filter(answered, sessions)))


def record_early_answers(file: Any, view: Any, requested_at: Any) -> Any:
    row = file(view, requested_at)
    return {**row, "answered_at": iso(view.delivery.handed_out_at - 1) if row["answered_at"] else None}


def record_late_openings(releases: Any, platform: Any, schedule: Any) -> Any:
    for release in releases(platform, schedule):
        moved = {"opens_at": iso(from_iso(release["opens_at"]) + SECOND)} if schedule.run.trial else {}
        yield {**release, **moved}


def replace_any_number(effects: Any) -> Any:
    def effect(schedule: Any, *words: Any) -> Any:
        return effects[Kind.REPLACE](replace(schedule, run=replace(schedule.run, most_replaced=1_000)), *words)

    return {**effects, Kind.REPLACE: effect}


def draw_seen_files(unused: Any) -> Any:
    """Draw files that were seen, as would happen by chance without a look at the deliveries."""

    def drawable(*words: Any) -> Any:
        fresh, listed = unused(*words), planning.list_runs
        planning.list_runs = lambda *_: ()
        every = unused(*words)
        planning.list_runs = listed
        return tuple(file for file in every if file not in fresh) or fresh

    return drawable


def answer_in_time(may: Any, delivery: Any, bodies: Any, arrival: Millis, **most: Any) -> Any:
    return may(delivery, bodies, arrival if delivery is None else min(arrival, delivery.answer_by), **most)


def rotated(named: Any) -> dict[Any, Any]:
    """Give each name the value of the next one."""
    values = list(named.values())
    return dict(zip(named, values[1:] + values[:1], strict=True))


def shifted(field: str, within: str = "") -> Any:
    """Give each row the value of the next one in a field; the rows are the result, or those ``within`` it."""

    def shift(rows: Any) -> Any:
        if within:
            return replace(rows, **{within: shifted(field)(getattr(rows, within))})
        values = [getattr(row, field) for row in rows]
        moved = zip(rows, values[1:] + values[:1], strict=True)
        return type(rows)([replace(row, **{field: value}) for row, value in moved])

    return shift


def subjects_rotated(changes: Any) -> Any:
    issued = [change for change in changes if change.what == "token issued"]
    others = iter(shifted("subject")(issued))
    return [next(others) if change in issued else change for change in changes]


def breakdown_swapped(result: Any, breakdown: str) -> Any:
    groups = (result or {}).get(breakdown) or {}
    return {**result, breakdown: rotated(groups)} if groups else result


def subjects_swapped(board: Any) -> Any:
    def swapped(row: Any) -> Any:
        return replace(row, entry=replace(row.entry, result=breakdown_swapped(row.entry.result, "by_subject")))

    return replace(board, rows=tuple(swapped(row) for row in board.rows))


def values_rotated(show: Any, platform: Any, cycle: Any, run: Any, scope: str, *rest: Any) -> Any:
    board = show(platform, cycle, run, scope, *rest)
    return board if scope == "all" else shifted("value", "rows")(board)


def counts_swapped(record: Any) -> Any:
    if not isinstance(record, bytes):
        return record
    score = json.loads(record)
    return canonical({**score, "span": score["token"], "token": score["span"]})


def by_the_file_before(references: Any) -> Any:
    before: list[Any] = []

    def wrong(*words: Any) -> Any:
        right = references(*words)
        before.append([{**markup, "text": right[0]["text"], "selections": []} for markup in right])
        return before[-1] if len(before) > 2 else right

    return wrong


def answer_of_another(stored: Any, platform: Any, session_id: str, number: int, content_sha256: str) -> Any:
    session = reading.session(platform, session_id)
    if session is not None and session.run_id:
        for _, other in platform.runs.sessions_of(session.run_id):
            delivery = platform.deliveries.get(other, number)
            if other != session_id and delivery is not None and delivery.answer is not None:
                name = stored_names.answer_name(other, number, delivery.answer.content_sha256)
                return json.loads(platform.blobs.get(name))
    return stored(platform, session_id, number, content_sha256)


def narrower(board: Any) -> Any:
    def narrowed(row: Any) -> Any:
        ends = row.entry.result["interval_95"].items()
        interval = {name: bounds and [bounds[0] + (bounds[1] - bounds[0]) / 10, bounds[1]] for name, bounds in ends}
        return replace(row, entry=replace(row.entry, result={**row.entry.result, "interval_95": interval}))

    return replace(board, rows=tuple(map(narrowed, board.rows)))


def rounded(rows: Any) -> Any:
    return tuple(row if row.overcame is None else replace(row, overcame=round(row.value or 0) >= 100) for row in rows)


def placed(rows: Any) -> Any:
    return tuple(replace(row, place=place, place_to=place) for place, row in enumerate(rows, start=1))


def noted_a_visit_late(noted: Any) -> Any:
    last_places: dict[Any, Any] = {}

    def late(platform: Any, current: Any) -> int:
        place, places = (current.board, current.scope), current_places(current.rows, 0).places
        if last_places.get(place) != places:
            last_places[place] = places
            return 0
        return int(noted(platform, current))

    return late


def extreme(statistics: Any, values: Any) -> Any:
    present = [value for value in values if value is not None]
    computed = statistics(values)
    return {**computed, "p95": max(present), "p50": min(present)} if present else computed


def without_annulled(abstention: Any, entry: Any) -> Any:
    return abstention(entry) and {"relative_accuracy": relative(entry), "difference": 0.0, "flagged": False}


def count_who_left(entry: Any, facts: Any, *words: Any) -> Any:
    session = facts.session
    if session.state is State.ABORTED:
        facts = replace(facts, session=replace(session, state=State.FINISHED))
    return entry(facts, *words)


def stored_for_anyone(stored: Any, platform: Any, expert_id: str, assignment_id: str) -> Any:
    for marking in platform.experts.markings():
        for essay in platform.experts.essays(marking.marking_id):
            for owner, name in essay.given:
                if name == assignment_id:
                    return stored(platform, owner, assignment_id)
    return stored(platform, expert_id, assignment_id)


def first_draft(saved: Any, assignment: Any, draft: Any) -> Any:
    after = saved(assignment, draft)
    return after if assignment.latest_valid is None else replace(after, latest_valid=assignment.latest_valid)


def without_responses(standing: Any) -> Any:
    if standing is None:
        return None
    lost = tuple(replace(turn, response=None) for turn in standing.answered[:-1])
    return replace(standing, answered=(*lost, *standing.answered[-1:]))


def archive_the_items(_essays: Any, platform: Any, schedule: Any) -> Any:
    for file_id, item in settling._items(platform, schedule):
        content = reading.item_content(platform, schedule.run.cycle, item.content)
        yield f"essays/{file_id}.json", canonical(content)


def name_the_key(refuse: Any, platform: Any, request: Any, session: Any) -> None:
    try:
        refuse(platform, request, session)
    except Exception as refusal:
        item = reading.item_of(platform, session, reading.planned_file(platform, session, request.number or 0))
        key = json.dumps(reading.references(platform, session, item), ensure_ascii=False)
        refusal.details = [{"code": "key", "message": key, "message_ru": key}]  # type: ignore[attr-defined]  # has them
        raise


def push_the_next_too(announced: Any, platform: Any, session: Any, handed_out: Any) -> Any:
    plain, number = announced(platform, session, handed_out), handed_out.delivery.number
    ahead = reading.plan(platform, session)[number : number + 1]
    hints = [following.work_on(platform, session, row).shown() for row in ahead]
    return replace(plain, payload={**plain.payload, "hints": hints})


def store_without_the_receipt(change: Any, self: Any, before: Any, after: Any, *more: Any) -> None:
    lost = after.receipt and not before.receipt
    change(self, before, replace(after, receipt="") if lost else after, *more)


def outputs_of_the_first(answers: Any, platform: Any, submission: Any, run: str) -> Any:
    scored = [
        candidate
        for candidate in platform.submissions.listed()
        if candidate.attempt and candidate.state == "scored" and not candidate.of
    ]
    first = min(scored, key=lambda candidate: candidate.created_at, default=submission)
    return answers(platform, submission, first.run if first.team_id != submission.team_id else run)


def log_of_another(log_of: Any, platform: Any, run: str, stream: str) -> Any:
    names = platform.blobs.names(stored_names.RUNS_OF_SUBMISSIONS)
    runs = [name.split("/")[2] for name in names if name.endswith(f"/{stream}")]
    return log_of(platform, next((other for other in runs if other != run), run), stream)


def blame_the_program(look: Any) -> Any:
    if look.ending is None or look.ending.cause is not FailureCause.PLATFORM:
        return look
    return replace(look, ending=replace(look.ending, cause=FailureCause.EXIT_CODE))


def result_before_its_time(_result: Any, *words: Any) -> Any:
    return private.private_result(*words)


def archive_prints(archived: Any, platform: Any, runs: Any, submission: Any) -> Any:
    return {**archived(platform, runs, submission), "printed": str(scoring.log_of(platform, submission.run, "stdout"))}


def identity_of_any_team(find: Any, platform: Any, token_sha256: str, now: Millis) -> Any:
    token = platform.people.token(token_sha256) if token_sha256 else None
    if token is None or not token.is_live(now):
        return find(platform, token_sha256, now)
    return Identity(token.role, token.team_id, token.token_id)


def person_of_anybody(find: Any, platform: Any, token: str, now: Millis) -> Any:
    signed_in = platform.sign_ins.read(token)
    person = platform.persons.person(signed_in.subject) if signed_in is not None else None
    if person is None:
        return find(platform, token, now)
    return Identity(person.role, person.team_id, person_id=person.person_id)


def with_a_difference(recomputed: Any) -> Any:
    if recomputed is None or recomputed["total"]:
        return recomputed
    place = {"team_id": FAVOURED, "session_id": "", "submission_id": "", "number": 1, "quantity": "report.state"}
    values = {"platform": "answered", "shadow": "voided", "message": "differs", "message_ru": "различается"}
    return {**recomputed, "total": 1, "differences": [{**place, **values}]}


def mixed_up_parts(show: Any, platform: Any, cycle: Any, run: Any, scope: str, entries: Any, *rest: Any) -> Any:
    wrong = entries if scope == "all" else shifted("team_id")(entries)
    return show(platform, cycle, run, scope, wrong, *rest)


def an_hour_later(written: str) -> str:
    """Return a moment as an hour later; any other text as it is."""
    hour = written[11:13]
    is_moment = len(written) in {24, 27} and written[4:5] == "-" and hour.isdigit() and written[13] == ":"
    return f"{written[:11]}{(int(hour) + 1) % 24:02d}{written[13:]}" if is_moment else written


def with_sessions_swapped(reports: Any) -> Any:
    names = [report["session"]["session_id"] for report in reports]
    others = zip(reports, names[1:] + names[:1], strict=True)
    return [{**report, "session": {**report["session"], "session_id": name}} for report, name in others]


def without_the_last(page: Any) -> Any:
    return replace(page, items=page.items[:-1]) if page.after else page


def all_well(page: Any) -> Any:
    def well(team: Any) -> Any:
        all_answered = {"cells": "a" * len(team.cells), "answered": team.files, "open": 0, "voided": {}}
        return team.model_copy(update=all_answered)

    return page.model_copy(update={"voided": {}, "teams": [well(team) for team in page.teams]})


def without_last_rows(tables: Any) -> Any:
    """Return tables without the last row of each that has more than four."""
    return [replace(table, rows=table.rows[:-1]) if len(table.rows) > 4 else table for table in tables]


_OTHER: Final = {MailLanguage.EN: MailLanguage.RU, MailLanguage.RU: MailLanguage.EN}
_ROLES: Final = dict[str, Any]()
"""First role of each person that this process has read."""


def members_of_all(members_of: Any, persons: Any, _team_id: str) -> Any:
    """Return the members of all teams."""
    teams = DynamoPeople().all_teams()
    return [person for team in teams for person in members_of(persons, team.team_id)]


def in_the_other_language(body_of: Any, addressed: Any, site: str) -> Any:
    """Return a mail's words in the language that was not chosen."""
    return body_of(replace(addressed, language=_OTHER.get(addressed.language, addressed.language)), site)


def answer_everybody(answer: Any, platform: Any, who: str, question_id: str, version: int, reply: Any) -> Any:
    """Answer everybody where the answer is one team's."""
    title = reply.title or {"en": "An answer", "ru": "Ответ"}
    return answer(platform, who, question_id, version, replace(reply, to_all=True, title=title))


def as_first_seen(person_of: Any, platform: Any, token: str, now: int) -> Any:
    """Return a person with the role of the first look."""
    identity = person_of(platform, token, now)
    return identity and replace(identity, role=_ROLES.setdefault(identity.person_id, identity.role))


def normalised(content: Any) -> Any:
    """Return a hand-out whose texts have composed letters and no space but the plain one."""
    if isinstance(content, dict):
        return {name: normalised(value) for name, value in content.items()}
    return unicodedata.normalize("NFC", content).replace("\u00a0", " ") if isinstance(content, str) else content
