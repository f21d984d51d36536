"""The audit, parts of sets and archives as bytes, readiness, statistics and leaderboards."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.cycle.loading import load_cycle
from contest.cycle.rules.cycle import Item, SetKind
from contest.errors import NoPackError
from contest.exchange.store import DynamoSessionReads
from contest.people.rules import Identity, Role
from contest.ports import SessionFacts
from contest.results import audit, boards, downloading, publishing
from contest.results.rules import jobs, leaderboard, qualification, reports, set_access
from contest.results.rules.jobs import AuditJob, Job, OutboxEntry
from contest.results.rules.leaderboard import Entry
from contest.results.rules.reports import Facts
from contest.results.rules.set_access import PACK, PART, View, archive, files_of, next_part, pseudonyms
from contest.run import under_way
from contest.session.rules.delivery import Delivery
from contest.session.rules.session import Plan, PlannedFile, State
from contest.submissions import worker
from contest.values import MINUTE, canonical
from tests.contest.session.test_session import PARAMETERS, SESSION, handed_out
from tests.fakes import FakePlatform
from tests.run_stage import RunOnStage, run_cycle
from tests.stage import Program, Stage
from tests.toys import FolderInMemory, ToyTrack, toy_cycle

NOTHING = {"sessions": 0, "scores": 0, "reports": 0, "remembered": 0, "differences": (), "missing": ()}
NOTHING |= {"off_board": None}


def test_sessions_of_today_and_yesterday_are_audited_when_they_have_ended(stage: Stage, red: Program) -> None:
    assert stage.audit() == NOTHING
    red.open(files=1)
    assert stage.audit() == NOTHING
    red.play()
    stage.score_all()
    red.get("next")
    stage.tick()
    audited = []
    for _ in range(3):
        audited.append(stage.audit()["sessions"])
        stage.advance(86_400)
    assert audited == [1, 1, 0]


def test_files_without_an_answer_are_passed_over(stage: Stage, red: Program) -> None:
    red.open(files=3)
    red.get("files/1")
    red.answer(1, {"letters": "abcd"})
    red.get("files/2")
    red.ask("POST", f"/v1/sessions/{red.session_id}/abort")
    stage.report_all()
    assert stage.audit() == {**NOTHING, "sessions": 1, "scores": 1, "reports": 1}


def ended(stage: Stage, red: Program) -> str:
    """Play a session of one answer and make its report."""
    red.open(files=1)
    red.play()
    stage.report_all()
    return f"reports/{red.session_id}/1.json"


def test_what_was_audited_is_remembered_until_a_stored_byte_changes(stage: Stage, red: Program) -> None:
    report = ended(stage, red)
    once = {**NOTHING, "sessions": 1, "scores": 1, "reports": 1}
    assert stage.audit() == once
    assert stage.audit() == {**NOTHING, "sessions": 1, "remembered": 1}
    good = stage.platform.blobs.get(report)
    stage.platform.blobs.put(report, good + b" ")
    for _ in range(2):
        assert stage.audit()["differences"] == (f"report {red.session_id}",)
    stage.platform.blobs.put(report, good)
    assert stage.audit()["remembered"] == 1
    ((key, record),) = stage.platform.scores.of_session(red.session_id).items()
    stage.delete_scores()
    stage.platform.scores.put(red.session_id, key, record.replace(b"100", b"101"))
    assert stage.audit()["differences"] == (f"score {red.session_id} 1", f"report {red.session_id}")


def test_other_facts_other_code_and_what_differs_are_not_remembered(stage: Stage, red: Program) -> None:
    """A restored table may hold another moment; no score and no hash of an answer shows it."""
    ended(stage, red)
    stage.audit()
    (delivery,) = stage.platform.deliveries.of_session(red.session_id)
    assert delivery.answer is not None
    later = replace(delivery.answer, received_at=delivery.answer.received_at + 1)
    with patch.object(type(stage.platform.session_reads), "facts", restored(replace(delivery, answer=later))):
        assert stage.audit()["differences"] == (f"report {red.session_id}",)
    assert stage.audit()["remembered"] == 1
    with patch.object(stage.platform, "code", "of tomorrow"):
        assert stage.audit()["remembered"] == 0
        assert stage.audit()["remembered"] == 1
    assert stage.audit()["remembered"] == 1
    stage.delete_scores()
    for _ in range(2):
        assert stage.audit()["missing"] == (f"score {red.session_id} 1",)


def restored(delivery: Delivery) -> Callable[..., SessionFacts]:
    """Return a reader of a session's facts with another delivery in the place of the only one."""
    really = DynamoSessionReads.facts
    return lambda reads, session_id: replace(really(reads, session_id), deliveries=(delivery,))


def test_what_is_being_scored_or_reported_is_not_missing(stage: Stage, red: Program) -> None:
    red.open(files=1)
    red.play()
    red.get("next")
    assert stage.audit() == {**NOTHING, "sessions": 1}
    stage.score_all()
    assert stage.audit() == {**NOTHING, "sessions": 1, "scores": 1}
    stage.tick()
    assert stage.audit() == {**NOTHING, "sessions": 1, "scores": 1, "reports": 1}
    stage.platform.blobs.delete(f"reports/{red.session_id}/1.json")
    assert stage.audit()["missing"] == (f"report {red.session_id}",)


@pytest.mark.clause("platform §4 audit")
def test_a_final_that_is_marked_weeks_later_is_audited_before_it_is_published(stage: Stage) -> None:
    played = RunOnStage(stage, 2, "red", "blue", marked=False).play()
    played.at(under_way.over_at(played.schedule) + 60_000)
    stage.report_all()
    stage.advance(14 * 86_400)
    assert (stage.audit()["scores"], stage.audit()["remembered"]) == (0, 2)
    stage.load(run_cycle(2))
    publishing.mark(stage.platform, "organizer", played.run_id)
    stage.settle()
    stage.report_all()
    found = stage.audit()
    assert (found["sessions"], found["scores"], found["differences"], found["missing"]) == (2, 4, (), ())
    assert found["reports"] == 2 * 2 + 1  # a report and an entry each, and the board
    assert stage.audit()["remembered"] == 2
    red = played.programs["red"].session_id
    entry = boards.entry_name(played.run, red)
    stage.platform.blobs.put(entry, stage.platform.blobs.get(entry).replace(b"100.0", b"10.0"))
    assert set(stage.audit()["differences"]) == {f"entry {red}", f"board {played.run_id}"}


def test_every_round_has_one_job_more_than_sessions(stage: Stage, red: Program) -> None:
    assert audit.send_audits(stage.platform) == 1
    ended(stage, red)
    assert audit.send_audits(stage.platform) == 2
    assert audit.audit(stage.platform, AuditJob(), worker.rebuild) == audit.add_up([])
    assert audit.audit(stage.platform, AuditJob("nobody"), worker.rebuild).missing == ("session nobody",)


OLGA = Identity(Role.ORGANIZER, person_id="olga")


def platform_with(train: int) -> FakePlatform:
    platform = FakePlatform()
    load_cycle(platform, "me", "toy-1", FolderInMemory(toy_cycle(train=train)), lambda _: None)
    return platform


def pack_in_small_parts(monkeypatch: pytest.MonkeyPatch, part: int = 2_000) -> None:
    for module in (set_access, downloading):
        monkeypatch.setattr(module, "PART", part)


def visits(platform: FakePlatform) -> list[int]:
    """List the number of packed files after each visit, until all are packed."""
    seen = []
    while True:
        parts = downloading.parts_or_progress(platform, downloading.offer(platform, OLGA, "train"))
        seen.append(parts.done)
        if parts.is_ready:
            return seen


def parts(platform: FakePlatform) -> dict[str, bytes]:
    return {name: content for name, content in platform.blobs.objects.items() if name.startswith("downloads/")}


@pytest.mark.clause("TS T12")
def test_a_part_has_whole_files_to_the_byte_and_ends_before_it_is_too_large() -> None:
    half = [("a.json", b'"' * (PART // 4)), ("b.json", b"b" * (PART // 3)), ("c.json", b"c" * (PART // 3))]
    count, content = next_part(half)
    assert (count, len(content) <= PART + 100) == (2, True)
    count, content = next_part([("a.json", b'"' * (2 * 1024 * 1024)), *half])
    assert (count, len(content) < 4_500_000) == (1, True)
    count, content = next_part([(f"{index}.json", b"1") for index in range(5_000)])
    assert count == set_access.FILES_OF_PART
    (first, *_) = json.loads(content)["files"]
    assert first == {"name": "0.json", "sha256": hashlib.sha256(b"1").hexdigest(), "text": "1"}
    content = canonical({"text": 'Он "сказал" \\ и ушёл\n😀'})
    assert json.loads(next_part([("a.json", content)])[1])["files"][0]["text"].encode() == content


def test_many_visits_make_the_same_parts_which_can_be_had_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    once, often = platform_with(40), platform_with(40)
    pack_in_small_parts(monkeypatch)
    assert visits(once) == [80, 80], "the second one makes the one file"
    for name, value in (("_PER_REQUEST", 5), ("_AT_A_TIME", 3)):
        monkeypatch.setattr(downloading, name, value)
    seen = visits(often)
    assert (len(seen) > 5, seen[:-1] == sorted(set(seen)), seen[-2:]) == (True, True, [80, 80])
    assert parts(once) == parts(often)
    assert len(parts(once)) > 6
    platform = platform_with(40)
    pack_in_small_parts(monkeypatch, 700)
    chosen = downloading.offer(platform, OLGA, "train")
    first = downloading.part(platform, chosen, 1)
    assert isinstance(first, bytes)
    late: Any = downloading.part(platform, chosen, 20)
    assert (isinstance(late, downloading.Packed), late.is_whole) == (True, False)


def test_what_is_given_has_a_name_of_its_own_for_every_content_and_view() -> None:
    items = (Item("a", "rus", "letters", "1" * 64, ("2" * 64,)), Item("b", "rus", "letters", "3" * 64, ()))
    whole, questions = files_of(items, View.WHOLE), files_of(items, View.QUESTIONS)
    assert [each.name for each in whole] == ["a.json", "a_exp01.json", "b.json"]
    assert [each.name for each in questions] == ["a.json", "b.json"]
    names = [
        set_access.fingerprint_of(whole, View.WHOLE, "toy 1"),
        set_access.fingerprint_of(questions, View.QUESTIONS, "toy 1"),
        set_access.fingerprint_of(questions, View.WHOLE, "toy 1"),
        set_access.fingerprint_of(questions, View.QUESTIONS, "toy 2"),
        set_access.fingerprint_of(questions[:1], View.QUESTIONS, "toy 1"),
    ]
    assert len(set(names)) == len(names)


def packs(platform: FakePlatform) -> dict[str, bytes]:
    return {name: content for name, content in platform.blobs.objects.items() if name.startswith("packs/")}


@pytest.mark.clause("TS T12")
def test_a_set_of_several_parts_is_one_file_too_the_same_whoever_makes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(downloading, "_PARTS_AT_A_TIME", 2)
    pack_in_small_parts(monkeypatch)
    one, other = platform_with(40), platform_with(40)
    assert visits(one)[-1] == visits(other)[-1] == 80
    ((name, content),) = packs(one).items()
    assert packs(other) == {name: content}
    chosen = downloading.offer(one, OLGA, "train")
    place = downloading.address_or_progress(one, chosen)
    assert isinstance(place, downloading.PackPlace)
    assert (place.pack.size, place.pack.sha256) == (len(content), hashlib.sha256(content).hexdigest())
    assert name == f"packs/toy-1/{chosen.fingerprint}/{place.pack.sha256}.zip"
    assert place.address == f"/{name}?get&until={place.until // 1000}"
    assert 59_000 < place.until - one.clock.now() <= 60_000
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        held = {each: archive.read(each) for each in archive.namelist()}
    files = [each for part in parts(one).values() for each in json.loads(part).get("files", ())]
    assert held == {each["name"]: each["text"].encode() for each in files}
    assert len(held) == 80


def test_a_set_of_one_part_or_one_that_is_too_large_is_given_in_parts_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for sizes, result in (((), False), ((PACK,), False), ((1, PACK - 1), True), ((1, PACK), False)):
        assert set_access.is_given_as_one([set_access.Part(1, size, "") for size in sizes]) is result
    small = platform_with(2)
    assert visits(small) == [4]
    with pytest.raises(NoPackError):
        downloading.address_or_progress(small, downloading.offer(small, OLGA, "train"))
    pack_in_small_parts(monkeypatch)
    large = platform_with(40)
    monkeypatch.setattr(set_access, "PACK", 0)
    assert visits(large) == [80]
    assert (packs(small), packs(large)) == ({}, {})


def test_whoever_asks_for_the_one_file_before_it_is_there_has_it_made(monkeypatch: pytest.MonkeyPatch) -> None:
    pack_in_small_parts(monkeypatch)
    platform = platform_with(40)
    chosen = downloading.offer(platform, OLGA, "train")
    first = downloading.address_or_progress(platform, chosen)
    assert isinstance(first, downloading.Packed)
    assert isinstance(downloading.address_or_progress(platform, chosen), downloading.PackPlace)


FILES = {"b.json": b"{}", "a/ё.json": "ё".encode(), "README.md": b"read me"}


@pytest.mark.clause("R 7.14", "platform §7 exports")
def test_the_same_files_make_the_same_bytes_stored_as_they_are_with_a_date_of_nobodys() -> None:
    first, second = archived(FILES), archived(dict(FILES))
    assert first == second
    assert archived({**FILES, "b.json": b"[]"}) != first
    with zipfile.ZipFile(io.BytesIO(archived(FILES))) as archive:
        assert archive.namelist() == ["manifest.json", "README.md", "a/ё.json", "b.json"]
        assert {name: archive.read(name) for name in FILES} == FILES
        assert {(info.compress_type, info.date_time, info.create_system) for info in archive.infolist()} == {
            (zipfile.ZIP_STORED, (1980, 1, 1, 0, 0, 0), 3)
        }
        listed = json.loads(archive.read("manifest.json"))["files"]
    assert {file["name"]: file["sha256"] for file in listed} == {
        name: hashlib.sha256(content).hexdigest() for name, content in FILES.items()
    }


def test_every_piece_is_a_file_of_the_archive_and_none_is_held() -> None:
    counts, pieces = [], []
    for piece in archive({}, lambda: ((name, content * 10_000) for name, content in sorted(FILES.items()))):
        pieces.append(piece)
        counts.append(len(piece))
    assert len(counts) == 1 + len(FILES) + 1  # the manifest, the files, the directory
    with zipfile.ZipFile(io.BytesIO(b"".join(pieces))) as result:
        assert result.testzip() is None
        sizes = [member.compress_size for member in result.infolist()]
    assert all(size <= count < size + 100 for size, count in zip(sizes, counts, strict=False))


def archived(files: dict[str, bytes]) -> bytes:
    return b"".join(archive({"run_id": "r"}, lambda: sorted(files.items())))


def test_pseudonyms_follow_the_first_appearance_and_nothing_of_a_name_is_in_them() -> None:
    assert pseudonyms(["Иванов", "", "Петров", "Иванов"]) == {
        "Иванов": "expert-1",
        "": "expert-2",
        "Петров": "expert-3",
    }


TRACK = ToyTrack()


@pytest.mark.parametrize(
    ("files", "answered", "state", "codes"),
    [
        (30, 29, State.FINISHED, []),  # 29/30 = 96.7 %
        (40, 38, State.FINISHED, []),  # 38/40 = 95 %, exactly enough
        (40, 37, State.FINISHED, ["too_few_answers"]),
        (29, 29, State.FINISHED, ["too_few_files"]),
        (30, 30, State.TIMED_OUT, []),
        (30, 30, State.ABORTED, ["session_aborted"]),
        (1, 0, State.ABORTED, ["too_few_files", "too_few_answers", "session_aborted"]),
    ],
)
def test_readiness_needs_files_answers_and_an_end(files: int, answered: int, state: State, codes: list[str]) -> None:
    conclusion = qualification.conclude(files, answered, state, PARAMETERS)
    assert [each.code for each in conclusion.reasons] == codes
    assert conclusion.ready is (codes == [])
    assert all(each.message.en and each.message.ru for each in conclusion.reasons)


def test_percentiles_are_the_smallest_value_with_enough_at_or_below_it() -> None:
    found = reports.statistics([*range(100, 0, -1), None])
    assert found == {"count": 100, "mean": 50.5, "max": 100, "p50": 50, "p95": 95}
    assert reports.statistics([7])["p95"] == 7
    assert reports.statistics([None, None]) == {"count": 0, "mean": None, "max": None, "p50": None, "p95": None}


def facts(
    answered: tuple[bool, ...], languages: str, state: State = State.FINISHED, set_kind: SetKind = SetKind.TEST
) -> Facts:
    """Return the facts of a closed session; ``languages`` has a letter per file: r or e."""
    plan: Plan = tuple(
        PlannedFile(f"f{n}", f"i{n}", {"r": "rus", "e": "eng"}[letter], "g") for n, letter in enumerate(languages)
    )
    session = replace(SESSION, files=len(plan), set_kind=set_kind, state=state, closed_at=99, version=1)
    deliveries = [handed_out(n, answered=each) for n, each in enumerate(answered, start=1)]
    scores = {n: {"points": 50.0} for n, each in enumerate(answered, start=1) if each}
    return Facts(session, plan, deliveries, scores, PARAMETERS)


@pytest.mark.parametrize(
    ("made", "whole", "entered"),
    [
        (facts((True,) * 4, "rree"), {"rus": 2, "eng": 2}, {"all": (4, 4), "eng": (2, 2), "rus": (2, 2)}),
        # 19 of 20 Russian files are exactly 95 %, 19 of 21 files altogether are 90 %
        (facts((True,) * 19 + (False,) * 2, "r" * 20 + "e"), {"rus": 20, "eng": 1}, {"rus": (19, 20)}),
        (facts((True,) * 2, "rr"), {"rus": 20, "eng": 20}, {}),  # of a part of the set, however well it did
        (facts((True,), "r"), {"rus": 1, "eng": 0}, {"all": (1, 1), "rus": (1, 1)}),
        (facts((True,) * 2, "rr", State.ABORTED), {"rus": 2}, {}),
        (facts((True,) * 2, "rr", set_kind=SetKind.TRAINING), {"rus": 2}, {}),
    ],
)
def test_sessions_stand_on_boards(made: Facts, whole: dict[str, int], entered: dict[str, tuple[int, int]]) -> None:
    entries = leaderboard.entries(made, whole, TRACK)
    assert {each.language: (each.answered, each.whole) for each in entries} == entered


def entry(team: str, session: str, value: float | None, closed_at: int = 1) -> Entry:
    result: Any = {"relative_accuracy": value}
    return Entry("all", team, session, closed_at, 1, 10, 10, result)


def places(*found: Entry) -> list[tuple[int, str, str]]:
    return [(row.place, row.entry.team_id, row.entry.session_id) for row in leaderboard.board(found, TRACK)]


@given(st.lists(st.sampled_from([None, 10.0, 70.0, 90.0]), max_size=9))
def test_the_places_that_equal_results_share_are_all_places_once(values: list[float | None]) -> None:
    rows = leaderboard.board([entry(f"t{at}", f"s{at}", value) for at, value in enumerate(values)], TRACK)
    groups: dict[float | None, set[tuple[int, int]]] = {}
    for row in rows:
        groups.setdefault(leaderboard.relative(row.entry.result), set()).add((row.place, row.place_to))
    assert all(len(found) == 1 for found in groups.values())
    taken = [place for ((first, last),) in groups.values() for place in range(first, last + 1)]
    assert sorted(taken) == list(range(1, len(values) + 1))


def test_undefined_results_stand_last_and_of_equal_sessions_of_a_team_the_earliest_stands() -> None:
    assert places(entry("red", "r1", None), entry("blue", "b1", 0.0)) == [(1, "blue", "b1"), (2, "red", "r1")]
    found = [entry("red", "r2", 50.0, closed_at=5), entry("red", "r1", 50.0, closed_at=9)]
    assert places(*found) == [(1, "red", "r2")]
    assert places(*found[::-1]) == [(1, "red", "r2")]
    assert [leaderboard.place_text(*shared) for shared in ((3, 3), (1, 2))] == ["3", "1–2"]


def test_abstention_is_flagged_beyond_five_points_of_a_result_that_is_defined_and_told() -> None:
    for audited, flagged in ((85.0, False), (84.9, True)):
        outcome = leaderboard.abstention({"relative_accuracy": 90.0, "missed_as_zero": {"relative_accuracy": audited}})
        assert outcome is not None
        assert outcome["flagged"] is flagged
    assert leaderboard.abstention({"relative_accuracy": None, "missed_as_zero": {"relative_accuracy": None}}) is None
    assert leaderboard.abstention({"relative_accuracy": 1.0}) is None


def test_everything_a_score_depends_on_is_in_its_key() -> None:
    base = jobs.conditions(["a", "b"], 1, "toy", "1")
    others = [
        jobs.conditions(["b", "a"], 1, "toy", "1"),
        jobs.conditions(["a"], 1, "toy", "1"),
        jobs.conditions(["a", "b"], 2, "toy", "1"),
        jobs.conditions(["a", "b"], 1, "essay", "1"),
        jobs.conditions(["a", "b"], 1, "toy", "2"),
    ]
    assert len({base, *others}) == 6
    assert jobs.conditions(("a", "b"), 1, "toy", "1") == base


@pytest.mark.parametrize(
    ("enqueued", "pause_s"), [(1, 60), (2, 120), (3, 240), (4, 480), (5, 960), (6, 1920), (7, 3600), (60, 3600)]
)
def test_an_unscored_answer_is_enqueued_again_after_a_minute_and_then_ever_later(enqueued: int, pause_s: int) -> None:
    waiting = OutboxEntry(Job("s", 1, "a"), enqueued_at=1000, enqueued=enqueued)
    assert not jobs.due_again(waiting, 1000 + pause_s * 1000 - 1)
    assert jobs.due_again(waiting, 1000 + pause_s * 1000)


@pytest.mark.parametrize(("enqueued", "paused"), [(1, 0), (2, 1), (3, 3), (7, 63), (8, 123)])
def test_an_entry_has_waited_since_it_was_queued_last_and_the_pauses_before(enqueued: int, paused: int) -> None:
    entry = OutboxEntry(Job("s", 1, "a"), enqueued_at=1000, enqueued=enqueued)
    assert jobs.unscored_for([entry], 1500) == paused * MINUTE + 500
