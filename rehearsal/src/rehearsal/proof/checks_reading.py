"""Check every answer that was read: against the readers of its route, and against the model of the contest."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from markup_core.reading.validation import dump, load
from markup_core.receipt import canonical_bytes, sha256_hex
from rehearsal.history import READING, SECOND, Call, Story, to_text
from rehearsal.proof import readable
from rehearsal.proof.case import EVERY_STAGE, NOWHERE, PROGRAMS_ALONE, Case, Check, receipt_text, tries, value_at
from rehearsal.proof.checks_programs import ProgramCase
from rehearsal.proof.checks_results import leaving, moved_otherwise
from rehearsal.proof.oracle import AGAINST_TEAM, ESSAY, HITS, KINDS
from rehearsal.proof.readable import COST, DOORS, LOG, OTHER, OWN, PUBLIC, Door, Phase, doors_of
from rehearsal.proof.values import OF_A_FILE, Model
from rehearsal.proof.world import KEYS, AtLeast, Place, ProgramModel
from shadow.final import BESIDE

Json = Any
_CLOSED: Final = frozenset({403, 404})
_WITHOUT_TOKEN: Final = frozenset({401})
_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_OF_TIME: Final = re.compile(r".*_(?:at|until|from)|(?:answer|request)_by|at|now|server_time")
_FOR_PEOPLE: Final = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} UTC")
_OF_A_ROW: Final = ("opens_at", "handed_out_at", "answer_by", "answered_at")
"""Fields of a file in its row on pages and in workbooks."""
_CODES: Final = re.compile(r"[А-Яа-я]+\.[а-я]+")
"""Codes of the classifier, which are the same in every language."""
_LATIN: Final = re.compile("[a-z]{4,}", re.IGNORECASE)
_PATH: Final = re.compile(
    r"/v1/(?:(?:sessions|submissions)/(?P<session>\d{15})|teams/(?P<team>[^/?]+))(?:/files/(?P<number>\d+))?"
)
_NAMED: Final = re.compile(r"(?<=[/=])(?:\d{15}|[0-9a-z]{20})(?![^/?&.])|(?<=[?&]language=)\w+|(?<=[?&]nomination=)\w+")
"""Pattern of ids of sessions and runs, and of leaderboard parts, in a path; a downloaded file's name has them, too."""
_FINAL_BOARD: Final = "/v1/leaderboards/final"
_SESSION: Final = "/v1/sessions/{session_id}"
_WRITTEN_DOWN: Final = {
    "status/": _SESSION,
    "receipts/": f"{_SESSION}/receipts",
    "report/": f"{_SESSION}/report",
    "run": "/v1/runs/{run_id}",
    "record": "/v1/runs/{run_id}/record",
    "board_before": _FINAL_BOARD,
    "board": _FINAL_BOARD,
    "history": f"{_FINAL_BOARD}/history",
    "board/": "/v1/boards/{key}",
}
"""Routes of the answers recorded at the end, by their names; those of teams and boards once for each."""
_OF_PROGRAMS: Final = {"board/": "/v1/boards/{key}", "private": "/v1/private-test", "submissions/": "/v1/submissions"}
"""Routes of the answers recorded at the end of a contest of programs, by their names."""
_NOT_ANSWERED: Final = "not_answered"
_CODES_OF_FATES: Final = frozenset({"answered", "voided", *AGAINST_TEAM, *BESIDE})
"""States and causes of files as programs read them."""
_STATES: Final = ("waiting", "open", "answered", "voided")
_NEAR: Final = 1e-9
_WORDS: Final = {True: ("true", "yes"), False: ("false", "no")}


@tries("hidden", 250, fault="reading", stages=EVERY_STAGE)
def doors_kept(check: Check, case: Case) -> None:
    """Check that each route answers its readers alone, from its first phase on, without server errors; each refusal has
    its reason in both languages, each file its session, run or part in its name."""
    spoilt = any(injection["what"] in HITS for injection in case.story.injected)
    failed = [call for call in case.story.calls if call.what == READING and call.failed and not spoilt]
    check.faults += [f"{call.where}: {call.path} is answered {call.status} {call.code}" for call in failed]
    doors = doors_of(case.story.header.get("stage", ESSAY))
    for call in _reads(case.story):
        door = doors.get(str(call.means["route"]))
        if door is not None and call.code == _NOT_ANSWERED and not _is_answered(case, call):
            door = replace(door, since=Phase.NEVER)
        check.look(
            *(_at_the_door(call, door) if door is not None else [f"{call.where}: no model says who reads {call.path}"])
        )


def _is_answered(case: Case, call: Call) -> bool:
    """Return whether a team had an answer to a file accepted before somebody asked for it; in a dialogue the turn that
    ends it, and none before."""
    kind = KINDS.get(case.story.header.get("stage", ESSAY))
    ends = kind.ends if kind is not None else frozenset()
    match = _PATH.match(str(call.path))
    session, number = (match["session"], int(match["number"])) if match and match["number"] else ("", 0)
    lives = [life for life in case.lives.values() if (life.session_id, life.number) == (session, number)]
    receipted = [send for life in lives if (send := life.receipted()) and send.done_at <= call.sent_at]
    return any(not ends or send.said["receipt"]["kind"] in ends for send in receipted)


def _reads(story: Story) -> Sequence[Call]:
    return [call for call in story.calls if call.what == READING and not call.failed and call.status != 429]


def _at_the_door(call: Call, door: Door) -> Iterator[str]:
    role, phase = str(call.means["role"]), Phase(call.means["phase"])
    where = f"{call.where}: {call.path} is answered {call.status} to {role}"
    if role not in door.readers:
        if call.status not in (_WITHOUT_TOKEN if role == PUBLIC else _CLOSED):
            yield f"{where}, who may not read it"
    elif phase >= door.since and call.status != 200:
        yield f"{where} ({call.code}), who may read it"
    elif phase < door.since is Phase.PUBLISHED and call.status == 200:
        # A session that has ended before its run is reported of before it as well; results are not.
        yield f"{where} before it is published"
    named = str(call.said.get("named") or "")
    if (
        named
        and call.status == 200
        and (missing := [one for one in _NAMED.findall(str(call.path)) if one not in named])
    ):
        yield f"{where}, as the file {named}, which names no {', '.join(missing)}"
    if (call.status or 0) >= 400 and role != PUBLIC:  # without a token the gateway itself refuses
        error = call.said.get("error") or {}
        for texts in (error, *error.get("details", ())):
            if not {"message", "message_ru"} <= texts.keys() or any(_languages_otherwise(texts)):
                yield f"{where} without its reasons in both languages"


@tries("results", lambda size: 3 * size.over_http + 200 * size.plays("reading"))
def told_as_played(check: Check, case: Case) -> None:
    """Check that every answer equals the model of the contest in identities, teams, sessions, files, runs, values and
    times, completely, in the requested language."""
    world, answers = Model(case), case.facts.answers
    boards = [f"board/{key}" for key in (() if world.results.is_of_essays else world.results.keys)]
    reports = [f"report/{team}" for team in case.sessions if f"status/{team}" in answers]
    check.look(*(f"{call.where}: its end is answered {call.status}" for call in leaving(case) if call.status != 200))
    _look_at_answers(check, world, _WRITTEN_DOWN, ["board", "history", *boards, *reports])


@tries(
    "results", lambda size: size.lives + 5 + 90 * size.plays("reading"), stages=PROGRAMS_ALONE, name="told_as_played"
)
def told_of_programs(check: Check, case: ProgramCase) -> None:
    """Check that every answer equals the model of a contest of programs in identities, teams, submissions, states,
    values and places, in the requested language."""
    world, route = ProgramModel(case.story), "/v1/submissions/{submission_id}/report"
    _look_at_answers(check, world, _OF_PROGRAMS, [f"board/{key}" for key in KEYS])
    for call in (one for one in case.of("report") if one.status == 200):
        means = {"role": OWN, "phase": int(Phase.RUNNING), "route": route, "query": ""}
        check.look(*_read_otherwise(world, replace(call, means=means), call.said))


def _look_at_answers(
    check: Check, world: Model | ProgramModel, routes: Mapping[str, str], needed: Sequence[str]
) -> None:
    """Look at everything that readers have read, and at the answers that were recorded at the end."""
    pages: dict[str, list[Call]] = {}
    same = readable.Sameness()
    answered = (one for one in _reads(world.case.story) if one.status == 200 and one.means["route"] in DOORS)
    for call in (one for one in answered if one.said.get("read") is not None):
        content = call.said["read"]
        if "page" in call.means:
            pages.setdefault(str(call.means["route"]), []).append(call)
        check.look(*_read_otherwise(world, call, content))
        if call.means["phase"] == Phase.PUBLISHED and call.means["route"] not in LOG:
            check.look(*same.otherwise(content, f"{call.where}: {call.path}"))
    for calls in pages.values():
        check.look(*_pages_otherwise(world, calls))
    answers, sessions = world.case.facts.answers, world.case.sessions
    check.look(*(f"{name}: was not told in the end" for name in needed if name not in answers))
    last = max((call.done_at for call in world.case.story.calls), default=0)
    for name, answer in answers.items():
        what, separator, subject = name.partition("/")
        route = routes.get(f"{what}{separator}")
        if route is None or ("{session_id}" in route and subject not in sessions):
            continue
        path = route.replace("{session_id}", sessions.get(subject, "")).replace("{run_id}", world.run_id)
        is_own, phase = PUBLIC not in DOORS[route].readers, Phase.CLOSED if name == "board_before" else Phase.PUBLISHED
        means = {"role": OWN if is_own else PUBLIC, "phase": int(phase), "route": route, "query": ""}
        path, reader = path.replace("{key}", f"{subject}?"), subject if is_own else name
        call = Call(0, reader, READING, None, last, last, status=200, path=path, means=means)
        check.look(*_read_otherwise(world, call, {"record": answer} if name == "record" else answer))


def _read_otherwise(world: Model | ProgramModel, call: Call, content: Json) -> Iterator[str]:
    """Yield at most five faults of one answer."""
    at = _place(world, call)
    where = f"{call.where}: {call.path} tells {call.means['role']}"
    faults = [
        *_lists_otherwise(world, at, content),
        *_otherwise(world, at, content, ""),
        *_cells_otherwise(world, at, content),
        *_echoed_otherwise(call, content),
        *_log_otherwise(world.case.story, at, content),
        *(_drawn_otherwise(world, at, content) if isinstance(world, Model) and "cells" in content else ()),
        *(readable.costs_otherwise(content, world.played(at)) if at.call.means["route"] == COST else ()),
    ]
    for fault in faults[:5]:
        yield f"{where} {fault}"


def contradicted(world: Model | ProgramModel, call: Call, content: Json) -> bool:
    """Return whether a model contradicts an answer that was read."""
    try:
        return any(_read_otherwise(world, call, content))
    except (LookupError, TypeError, ValueError, AttributeError):
        return True


def _place(world: Model | ProgramModel, call: Call) -> Place:
    match = _PATH.match(str(call.path))
    team = number = None
    if match is not None:
        team = match["team"] or world.owners.get(match["session"] or "")
        number = int(match["number"]) if match["number"] else None
    elif call.means["role"] in {OWN, OTHER} and PUBLIC not in DOORS[str(call.means["route"])].readers:
        team = call.team
    return Place(call, team, number, world.run_id if world.run_id in str(call.path) else None)


def _lists_otherwise(world: Model | ProgramModel, at: Place, content: Json) -> Iterator[str]:
    for place, name in DOORS[str(at.call.means["route"])].lists.items():
        due = world.listed(name, at)
        rows = value_at(content, place)
        if due is None or "page" in at.call.means or "cells" in content:
            continue
        there = [world.key_of(name, row) for row in (() if rows is NOWHERE else rows)]
        if isinstance(due, AtLeast):
            if missing := [key for key in due if key not in there]:
                yield f"{place}: not {_shown(missing)}"
        elif sorted(there, key=repr) != sorted(due, key=repr) or (name == "places" and there != list(due)):
            yield f"{place}: {_shown(there)}, not {_shown(due)}"


def _shown(keys: Sequence[Json]) -> str:
    return f"{len(keys)} rows {list(keys)[:6]}"


def _pages_otherwise(world: Model | ProgramModel, calls: Sequence[Call]) -> Iterator[str]:
    """Yield a fault if the pages of a list together lack rows, repeat rows or have surplus ones."""
    (place, name), *_ = DOORS[str(calls[0].means["route"])].lists.items()
    due = world.listed(name, _place(world, calls[0]))
    there = [world.key_of(name, row) for call in calls for row in call.said["read"][place]]
    if due is not None and (set(due) - set(there) or (there != sorted(due) and not isinstance(due, AtLeast))):
        yield f"{calls[0].where}: the pages of {calls[0].path} have {_shown(there)}, not {_shown(due)}"


def _otherwise(world: Model | ProgramModel, at: Place, value: Json, name: str) -> Iterator[str]:
    """Yield the values in an answer, at any depth, that differ from the model's."""
    if isinstance(value, Mapping):
        yield from _object_otherwise(world, _within(world, at, value), value)
    elif isinstance(value, list):
        for one in value:
            yield from _otherwise(world, at, one, name)


def _object_otherwise(world: Model | ProgramModel, at: Place, row: Mapping[str, Json]) -> Iterator[str]:
    yield from _of_others(world, at, row)
    if isinstance(points := row.get("points"), list):
        yield from moved_otherwise(points)
    yield from _parts_otherwise(world, at, row)
    yield from _languages_otherwise(row)
    for name, value in row.items():
        if isinstance(value, str) and value and _OF_TIME.fullmatch(name) and not _MOMENT.fullmatch(value):
            yield f"{name} {value}, no moment in UTC"
        if (due := world.due(name, at, row)) is None:
            yield from _otherwise(world, at, value, name)
        elif not any(_is_same(value, one) for one in due):
            whose = " ".join(str(part) for part in (at.team, at.number) if part is not None)
            place, value_read, right = _difference(value, due[0] if len(due) == 1 else due)
            yield f"{' '.join([name, *place])} {value_read} of {whose}, not {right}"


def _difference(value: Json, due: Json) -> tuple[list[str], Json, Json]:
    """Return the first difference of two values: its place in them, and the value and the due one there."""
    names: list[Any] = []
    if isinstance(value, Mapping) and isinstance(due, Mapping):
        names = [name for name in sorted(value.keys() | due.keys()) if not _is_same(value.get(name), due.get(name))]
        sides = (value.get(names[0]), due.get(names[0])) if names else ()
    elif isinstance(value, list) and isinstance(due, list) and len(value) == len(due):
        names = [place for place, pair in enumerate(zip(value, due, strict=True)) if not _is_same(*pair)]
        sides = (value[names[0]], due[names[0]]) if names else ()
    if not names:
        return [], value, due
    place, value_read, right = _difference(*sides)
    return [str(names[0]), *place], value_read, right


def _of_others(world: Model | ProgramModel, at: Place, row: Mapping[str, Json]) -> Iterator[str]:
    """Yield another team's sessions and receipts in an answer to a program alone."""
    receipts = world.receipts(at.team) if {"receipt", "signature"} <= row.keys() else frozenset()
    if receipts and receipt_text(row) not in receipts:
        yield f"a receipt that {at.team} was not given: {row['receipt']}"
    is_result = "place" in row
    if at.role in {OWN, OTHER} and PUBLIC not in DOORS[str(at.call.means["route"])].readers and not is_result:
        owner = world.owners.get(str(row.get("session_id")), row.get("team_id") or at.call.team)
        if owner != at.call.team:
            yield f"of {owner}"


def _echoed_otherwise(call: Call, content: Json) -> Iterator[str]:
    """Yield the names in an answer that are not those of the request's path."""
    parts = zip(str(call.means["route"]).split("/"), str(call.path).partition("?")[0].split("/"), strict=False)
    path = {name[1:-1]: value for name, value in parts if name.startswith("{")}
    for name in sorted(path.keys() & (content.keys() if isinstance(content, Mapping) else ())):
        if isinstance(content[name], str | int) and str(content[name]) != path[name]:
            yield f"{name} {content[name]}, asked for {path[name]}"


def _log_otherwise(story: Story, at: Place, content: Json) -> Iterator[str]:
    """Yield the faults of the audit log, and of its part that a commission's report has of a run."""
    if str(at.call.means["route"]) in LOG:
        rows = content["changes"] if "changes" in content else content["rows"]
        yield from readable.log_otherwise(rows, readable.acts(story), readable.people_of(story), at.call.sent_at)
    elif isinstance(content, Mapping) and "log" in content:
        of_run = [act for act in readable.acts(story) if act.subject == at.run]
        yield from readable.log_otherwise(content["log"], of_run, readable.people_of(story), at.call.sent_at)


def _drawn_otherwise(world: Model, at: Place, content: Json) -> Iterator[str]:
    """Yield the fault of a timeline whose bars are not the files of its session, or of all sessions of its run: when
    each opened, was handed out and answered, and whether it was missed."""
    if not str(at.call.means["route"]).endswith("/timeline"):
        return
    teams = [at.team] if at.team else sorted(world.case.sessions)
    due: Counter[tuple[str, ...]] = Counter()
    for team in teams:
        times = world.times(replace(at, team=team))
        if times is None:
            return
        for number, spent in times.items():
            opening = to_text(world.schedule(at).opens_at(number))[11:19].split(":")
            delay, processing = spent["delay_ms"], spent["processing_ms"]
            answered = None if delay is None or processing is None else delay + processing
            missed = world.case.fate(team, number) != "answered"
            due[str(number), *opening, str(delay), str(answered), str(missed)] += 1
    bars = [row for row in content["cells"] if row and row[0].isdigit()]
    drawn = Counter(
        (*row[:4], *(_span(row, word) for word in ("hand-out", "answer")), str(row[-1] != "s")) for row in bars
    )
    if drawn != due:
        yield f"bars {[*(drawn - due)][:3]}, not {[*(due - drawn)][:3]}"


def _span(row: Sequence[str], word: str) -> str:
    """Return the milliseconds that a bar names after a word."""
    place = row.index(word) if word in row else None
    return str(None) if place is None else str(int(row[place + 1]) * SECOND + int(row[place + 2]))


def _parts_otherwise(world: Model | ProgramModel, at: Place, row: Mapping[str, Json]) -> Iterator[str]:
    """Yield wrong file lists of a session's object, and wrong letters of files on the live page."""
    files = row.get("files")
    if isinstance(files, list) and "session_id" in row and at.team is not None and isinstance(world, Model):
        numbers = [file["number"] for file in files]
        if numbers != list(world.schedule(at).numbers):
            yield f"files {numbers} of {at.team}"
    yield from _counted_otherwise(row)
    letters = world.letters(at) if isinstance(row.get("cells"), str) else ()
    if any(cell not in right for cell, right in zip(row.get("cells", ""), letters, strict=False)):
        yield f"cells {row['cells']} of {at.team}, not {''.join(min(right) for right in letters)}"


def _counted_otherwise(row: Mapping[str, Json]) -> Iterator[str]:
    """Yield the counts that differ from the values beside them: files by their states, letters of the live page."""
    files = next((row[name] for name in ("deliveries", "files") if isinstance(row.get(name), list)), None)
    if files and isinstance(row.get("counts"), Mapping):
        states = Counter(file["state"] for file in files)
        wrong = {state: count for state, count in row["counts"].items() if state in _STATES and count != states[state]}
        if wrong:
            yield f"counts {wrong}, by its files {dict(states)}"
    letters = row["cells"] if isinstance(row.get("cells"), str) else ""
    for name, letter in (("answered", "a"), ("open", "o")):
        if letters and name in row and row[name] != letters.count(letter):
            yield f"{row[name]} files {name} of the cells {letters}"
    if isinstance(row.get("answer"), Mapping) and {"content_sha256", "text"} <= {*row, *row["answer"]}:
        digest = sha256_hex(canonical_bytes(dump(load(row["answer"]))))
        if digest != row["content_sha256"]:
            yield f"an answer with the hash {digest[:12]} as {row['content_sha256'][:12]}"


def _within(world: Model | ProgramModel, at: Place, row: Mapping[str, Json]) -> Place:
    """Return the place of an object's own fields: run, team and file."""
    if row.get("run_id") is not None:
        at = replace(at, run=row["run_id"])
    owner = row.get("team_id") or world.owners.get(str(row.get("session_id")))
    if owner is not None:
        at = replace(at, team=owner)
    if row.get("session_id") and world.case.sessions.get(at.team or "") != row["session_id"]:
        at = replace(at, team=None, number=None)  # a session beside the run
    number = row.get("number")
    if OF_A_FILE & row.keys() and number is not None:
        at = replace(at, number=int(number))
    return at


def _is_same(value: Json, due: Json) -> bool:
    """Return whether a value equals the model's, as JSON and CSV write it."""
    if value is None or due is None or value == "" or due == "":
        return value in ("", None) and due in ("", None)
    if isinstance(due, Mapping):
        names = due.keys() | value.keys() if isinstance(value, Mapping) else ()
        return (bool(names) and all(_is_same(value.get(name), due.get(name)) for name in names)) or value == due
    if isinstance(due, (list, tuple)):
        is_list = isinstance(value, list) and len(value) == len(due)
        return is_list and all(_is_same(*pair) for pair in zip(value, due, strict=True))
    if isinstance(due, bool):
        return str(value).lower() in _WORDS[due]
    if isinstance(due, (int, float)):
        return isinstance(value, (int, float, str)) and _is_near(value, due)
    return bool(value == due)


def _languages_otherwise(row: Mapping[str, Json]) -> Iterator[str]:
    """Yield the texts that are not in their language."""
    both = {"en", "ru"} == row.keys() and row["en"] != row["ru"]  # a name may be the same in both
    pairs = [(row["en"], row["ru"])] if both else []
    pairs += [(row[name], row[f"{name}_ru"]) for name in row if f"{name}_ru" in row]
    for english, russian in pairs:
        if not (isinstance(english, str) and isinstance(russian, str)):
            continue
        if readable.CYRILLIC.search(_CODES.sub("", english)):
            yield f"in English «{english[:60]}»"
        if _LATIN.search(english) and russian and not readable.CYRILLIC.search(russian):
            yield f"in Russian «{russian[:60]}»"


def _cells_otherwise(world: Model | ProgramModel, at: Place, content: Json) -> Iterator[str]:
    """Yield the faults of a page or a workbook: another language than requested, rows that differ from the model.

    A row names a file or a team, and the other cells of the row are about it.
    """
    rows = content.get("cells") if isinstance(content, Mapping) else None
    if not isinstance(rows, list):
        return
    asked_language = at.query.get("lang")
    if asked_language and content.get("lang", asked_language) != asked_language:
        yield f"a page in {content['lang']}, not {asked_language}"
    headings = " ".join(rows[0]) if rows else ""
    if asked_language and bool(readable.CYRILLIC.search(headings)) != (asked_language == "ru"):
        yield f"headings «{headings[:60]}», asked for {asked_language}"
    if asked_language == "ru" and (codes := {cell for row in rows[1:] for cell in row} & _CODES_OF_FATES):
        yield f"a page in Russian with {', '.join(sorted(codes))}"
    route = str(at.call.means["route"])
    on_board = "places" in DOORS[route].lists.values()
    yield from _rows_missing(world, at, route, rows)
    for row in rows:
        # Pages write moments for people, workbooks as programs read them.
        plain = [f"{cell[:10]}T{cell[11:-4]}Z" if _FOR_PEOPLE.fullmatch(cell) else cell for cell in row]
        yield from _row_otherwise(world, at, plain, on_board=on_board)
    if on_board:
        teams = [(row[0], next((cell for cell in row if cell in world.entered), None)) for row in rows[1:]]
        there = [(int(place), team) for place, team in teams if team is not None]
        due = world.listed("places", at)
        if due is not None and there != list(due):
            yield f"{_shown(there)}, not {_shown(due)}"


def _rows_missing(world: Model | ProgramModel, at: Place, route: str, rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the files that a page or a workbook lacks, by the list of the same route as JSON."""
    beside = DOORS.get(route.rpartition(".")[0]) if route.endswith((".xlsx", ".html")) else None
    lists = beside.lists if beside is not None else {}
    missing: set[Any] = set()
    if "cells" in lists.values():
        due = {tuple(map(str, key)) for key in world.listed("cells", at) or ()}
        missing = due - {(team, cell) for row in rows for team in row[:1] for cell in row[1:4]}
    elif lists.get("files") == "numbers":
        missing = {(str(one),) for one in world.listed("numbers", at) or ()} - {(row[0],) for row in rows if row}
    if missing:
        yield f"no rows of {sorted(missing)[:6]}"


def _row_otherwise(world: Model | ProgramModel, at: Place, row: Sequence[str], *, on_board: bool) -> Iterator[str]:
    teams = {cell for cell in row if cell in world.entered} | {
        world.owners[cell] for cell in row if cell in world.owners
    }
    if len(teams) > 1:
        yield f"a row of several teams, {', '.join(sorted(teams))}"
    of_row = replace(at, team=min(teams, default=at.team))
    files = [cell for cell in row if cell in world.numbers]
    if files:
        numbers = world.numbers[files[0]]
        of_row = replace(
            of_row, number=next((number for number in numbers if str(number) in row[: row.index(files[0])]), numbers[0])
        )
        due = {name: world.due(name, of_row, {}) or () for name in _OF_A_ROW}
        missing = [name for name, moments in due.items() if len(moments) == 1 and not {*map(str, moments)} & set(row)]
        if missing:
            yield f"a row of {of_row.team}, file {of_row.number}, without its {', '.join(missing)}: {list(row)[:12]}"
    value = world.due("value", of_row, {"place": 1, "team_id": of_row.team}) if on_board and teams else None
    if value and value[0] is not None and not any(_is_near(cell, value[0]) for cell in row):
        yield f"a row of {of_row.team} without its result {value[0]}: {list(row)[:9]}"


def _is_near(cell: str | float, value: float) -> bool:
    try:
        return math.isclose(float(cell), value, rel_tol=_NEAR)
    except ValueError:
        return False
