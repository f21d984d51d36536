"""A final of 20 teams and 500 essays, from its last answer to the published board and the public record.

The gate settles 40 essays of them, ``make long`` all. Storage is in memory and the clock is driven, so that what is
measured is the platform's own work. The figures are printed (``pytest -s``); the bounds are those of the functions,
with room for a slow machine.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from contest import reading, stored_names
from contest.charts import timeline
from contest.cycle.loading import load_cycle
from contest.cycle.rules.cycle import Mode
from contest.platform import signed
from contest.results import boards, publishing, settling
from contest.results.rules import leaderboard
from contest.results.rules.jobs import Job, ShadowTask
from contest.results.scoring import key_of
from contest.results.wire.boards import board_row
from contest.run import planning, recording
from contest.run.planning import RunOrder
from contest.session import following
from contest.session.rules import delivery
from contest.session.rules.delivery import Answer, Decision, Delivery, Heard, Receipt, Status
from contest.session.rules.session import IN_FLIGHT, Session
from contest.values import MINUTE, SECOND, canonical, sha256_hex
from tests.contest.run.played_runs import Played
from tests.fakes import FakePlatform, FakeQueue, FakeShadows
from tests.toys import FolderInMemory
from tracks import registry

pytestmark = pytest.mark.slow

TEAMS, FILES = 20, 500
WORKER_S, REQUEST_S = 300, 29
DEMONSTRATION = Path(__file__).parents[3] / "local" / "demonstration"


def folder(final: int = FILES) -> dict[str, Any]:
    """Return the demonstration's essays: the training ones in two sets, copies of the test ones as a final."""
    cycle = json.loads((DEMONSTRATION / "cycle.json").read_text("utf-8"))
    kinds = {"train": "training", "test": "test", "final": "final"}
    cycle["sets"] = {name: {"folder": name, "kind": kind} for name, kind in kinds.items()}
    files: dict[str, Any] = {"cycle.json": cycle}
    for number, path in enumerate(essays("train")):
        files |= copied(path, "train" if number % 2 else "test", path.stem)
    sources = essays("test")
    for number in range(final):
        files |= copied(sources[number % len(sources)], "final", f"essay-{number:03d}")
    return files


def essays(name: str) -> list[Path]:
    return sorted(each for each in (DEMONSTRATION / name).glob("*.json") if "_exp" not in each.name)


def copied(path: Path, place: str, name: str) -> dict[str, Any]:
    found = {}
    for each in (path, *sorted(path.parent.glob(f"{path.stem}_exp*.json"))):
        content = json.loads(each.read_text("utf-8"))
        content["meta"] |= {"id": name, "name": f"{name}.txt"}
        found[f"{place}/{name}{each.stem.removeprefix(path.stem)}.json"] = content
    return found


def answered(teams: int = TEAMS, files: int = FILES, final: dict[str, Any] | None = None) -> Played:
    """Every team has answered every file with what one of the experts says of it, and all of it is scored."""
    platform = FakePlatform(registry.get)
    platform.shadows = FakeQueue[ShadowTask]()
    load_cycle(platform, "tests", "demo", FolderInMemory(final or folder(files)), lambda _: None)
    start = platform.clock.now() + MINUTE
    run = planning.plan_run(platform, "tests", RunOrder(Mode.FINAL, "final", start, MINUTE, files=files))
    played = Played(platform, run.run_id)
    played.join(*(f"team-{number:02d}" for number in range(teams)))
    known: dict[str, bytes] = {}
    for team in played.sessions:
        session = played.session(team)
        for number in range(1, files + 1):
            opened = start + (number - 1) * MINUTE
            played.arm(team, number, opened)
            item = reading.item_of(platform, session, reading.planned_file(platform, session, number))
            digest = answer(platform, session, number, opened + 9 * SECOND, reading.references(platform, session, item))
            sent = Answer(1, opened + 9 * SECOND, digest, opened + 9 * SECOND, opened + 9 * SECOND)
            platform.store.asked[session.session_id, number] = opened
            platform.store.deliveries[session.session_id, number] = Delivery(
                number, opened, opened + 50 * SECOND, 1, sent.content_sha256, sent, version=1
            )
            kind = item.references[0]
            if kind not in known:
                known[kind] = scored(platform, session, item, Job(session.session_id, number, sent.content_sha256))
            key = key_of(platform, session, number, sent.content_sha256)
            platform.scores.put(session.session_id, key, known[kind])
    return played


def answer(platform: FakePlatform, session: Session, number: int, at: int, experts: list[Any]) -> str:
    """Store the last expert's markup as an answer, with its receipt; its hash."""
    content = canonical(experts[-1])
    digest = sha256_hex(content)
    platform.blobs.put(stored_names.answer_name(session.session_id, number, digest), content)
    decision = Decision(Status.ACCEPTED, 1, None, Delivery(number, at, at), at)
    file_id, heard = reading.planned_file(platform, session, number).file_id, Heard("answer", digest, at, False, at)
    promise = delivery.content(session, file_id, heard, decision, platform.signer.key_id)
    body = signed(platform, "receipt", promise).decode()
    platform.store.receipts[session.session_id, f"{number:04d}#01"] = Receipt(number, 1, "accepted", digest, body)
    return digest


def scored(platform: FakePlatform, session: Any, item: Any, job: Job) -> bytes:
    track, rules = reading.track_of(platform, session), reading.parameters(platform, session.parameters_version).track
    experts = reading.references(platform, session, item)
    record = track.score(reading.content(platform, session, item), experts[-1], experts, rules)
    return json.dumps(record, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


@pytest.mark.parametrize("files", [8, pytest.param(FILES, marks=pytest.mark.long)])
def test_no_step_and_no_request_of_a_large_final_takes_longer_than_its_function_has(files: int) -> None:
    played = answered(files=files)
    platform = played.platform
    played.at(recording.over_at(played.schedule) + IN_FLIGHT)
    for team in played.sessions:
        following.by_time(platform, played.session(team), platform.clock.now(), unseen=IN_FLIGHT)
    longest: Counter[str] = Counter()

    def measured(what: str, work: Any) -> Any:
        before = process_time()
        done = work()
        longest[what] = max(longest[what], round(1000 * (process_time() - before)))
        return done

    def settle(what: str) -> None:
        measured("timer", lambda: settling.send(platform, played.run_id))
        while platform.settling.jobs:
            step = platform.settling.jobs.pop(0)
            part = "of a team" if step.session_id else "as a whole"
            measured(f"{what} {part}", lambda step=step: settling.settle(platform, step))

    settle("record")
    assert played.run.closed_at is not None
    settle("board")
    recomputation = FakeShadows(platform)
    for task in platform.shadows.jobs:
        measured("recomputation of a team", lambda task=task: recomputation.send([task]))
    publishing.publish(platform, "organizer", played.run_id)
    platform.memory = type(platform.memory)()
    platform.clock.advance(10)
    board = measured("request for the board", lambda: boards.final_board(platform, played.run_id))
    place = measured(
        "request for the record",
        lambda: recording.place(platform, played.run_id, recording.RECORD, platform.clock.now()),
    )
    ahead = leaderboard.ahead(board.rows)
    rows = [
        board_row(row, board.names[row.entry.team_id], by, board.tables[row.entry.team_id])
        for row, by in zip(board.rows, ahead, strict=True)
    ]
    shown = sum(len(row.model_dump_json()) for row in rows)
    record = platform.blobs.get(place.removeprefix("/"))
    chart = timeline.chart_of_record(json.loads(record)["record"])
    found = settling.look(platform, played.run).result
    assert found is not None
    assert found["checked"] == {"sessions": TEAMS, **dict.fromkeys(("files", "receipts", "scores"), TEAMS * files)}
    print(f"\n{TEAMS} teams, {files} files; longest CPU, ms: {dict(longest)}")
    print(f"bytes: board {shown}, record {len(record)}, chart {len(chart)}")
    assert len(rows) == TEAMS
    assert max(value for what, value in longest.items() if "request" not in what) < WORKER_S * 1000 / 4
    assert max(value for what, value in longest.items() if "request" in what) < REQUEST_S * 1000 / 10
    assert shown < 6_000_000
