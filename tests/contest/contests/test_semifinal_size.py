"""A semifinal of the regulation's size from its last deadline to its recomputation (tracks-sessions D-2)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from contest import reading, stored_names
from contest.cycle.loading import load_cycle
from contest.cycle.rules.cycle import Mode
from contest.platform import signed
from contest.results import settling
from contest.results.reporting import called_for
from contest.results.rules.jobs import ShadowTask
from contest.results.scoring import score_answer
from contest.run import planning, under_way
from contest.run.planning import RunOrder
from contest.session import following
from contest.session.following import known_of
from contest.session.rules import delivery
from contest.session.rules.delivery import Answer, Decision, Delivery, Heard, Receipt, Status
from contest.session.rules.session import IN_FLIGHT
from contest.values import MINUTE, SECOND, canonical, sha256_hex
from tests.contest.contests.epicrises import diagnosis
from tests.contest.contests.played import Contest
from tests.contest.run.played_runs import Played
from tests.fakes import FakePlatform, FakeQueue, FakeShadows
from tests.toys import FolderInMemory
from tracks import registry


@pytest.mark.clause("TS D-2", "TS T4")
@pytest.mark.parametrize(("teams", "epicrises"), [(3, 40), pytest.param(20, 500, marks=pytest.mark.long)])
def test_d_2_every_epicrisis_is_scored_once_by_both_its_answers_and_recomputed(teams: int, epicrises: int) -> None:
    played = semifinal(teams, epicrises)
    platform = played.platform
    assert played.schedule.opens_at(2 * epicrises) - played.schedule.opens_at(1) == (2 * epicrises - 1) * 30_000
    played.at(under_way.over_at(played.schedule) + IN_FLIGHT)
    for team in played.sessions:
        following.by_time(platform, played.session(team), platform.clock.now(), unseen=IN_FLIGHT)
    over = [played.session(team) for team in played.sessions]
    jobs = [job for each in over for job in called_for(platform, each, known_of(platform, each))]
    assert len(set(jobs)) == len(jobs) == teams * epicrises
    for job in jobs:
        score_answer(platform, job)
    for _ in ("record", "entries"):
        settling.send_due_steps(platform, played.run_id)
        while platform.settling.jobs:
            settling.settle(platform, platform.settling.jobs.pop(0))
    FakeShadows(platform).send(platform.shadows.jobs)
    recomputed = settling.recomputation_state(platform, played.run)
    assert recomputed.is_clean
    assert recomputed.result is not None
    checked = json.loads(json.dumps(recomputed.result))["checked"]
    assert checked == {
        "files": 2 * teams * epicrises,
        "receipts": 2 * teams * epicrises,
        "scores": teams * epicrises,
        "sessions": teams,
    }


CONTENT = canonical(diagnosis("J44"))
"""Answer of every team to every version of an epicrisis."""


def semifinal(teams: int, epicrises: int) -> Played:
    """Play a run of so many epicrises in two versions, each answered by each team nine seconds after its opening."""
    platform = FakePlatform(registry.get)
    platform.shadows = FakeQueue[ShadowTask]()
    load_cycle(platform, "tests", "contest-1", FolderInMemory(folder(epicrises)), lambda _: None)
    order = RunOrder(Mode.FINAL, "final", platform.clock.now() + MINUTE, None, files=epicrises)
    run = planning.plan_run(platform, "tests", order)
    played = Played(platform, run.run_id)
    played.join(*(f"team-{number:02d}" for number in range(teams)))
    for team in played.sessions:
        for number in range(1, run.publications * epicrises + 1):
            answer(played, team, number, run.starts_at + (number - 1) * run.interval)
    return played


def folder(epicrises: int) -> dict[str, Any]:
    """Return a cycle whose final has copies of the sample's epicrises, each with texts of its own."""
    sample = Contest.named("diagnosis-semifinal").folder("final")
    files = {name: value for name, value in sample.items() if not name.startswith("final/")}
    items = sorted(name for name in sample if name.startswith("final/") and "_exp" not in name)
    for number in range(epicrises):
        source, name = items[number % len(items)], f"e{number:04d}"
        texts = {
            version: f"<epicrisis><text>{name} {version}</text></epicrisis>" for version in sample[source]["versions"]
        }
        files[f"final/{name}.json"] = {**sample[source], "id": name, "versions": texts}
        files[f"final/{name}_exp01.json"] = sample[f"final/{Path(source).stem}_exp01.json"]
    return files


def answer(played: Played, team: str, number: int, opened: int) -> None:
    """Store an answer with its receipt, as an accepted one is stored."""
    platform, session, at = played.platform, played.session(team), opened + 9 * SECOND
    played.arm(team, number, opened)
    digest = sha256_hex(CONTENT)
    platform.blobs.put(stored_names.answer_name(session.session_id, number, digest), CONTENT)
    decision = Decision(Status.ACCEPTED, 1, None, Delivery(number, at, at), at)
    file_id, heard = reading.planned_file(platform, session, number).file_id, Heard("diagnosis", digest, at, False, at)
    promise = delivery.receipt_content(session, file_id, heard, decision, platform.signer.public_key.key_id)
    body = signed(platform, "receipt", promise).decode()
    platform.store.receipts[session.session_id, f"{number:04d}#01"] = Receipt(number, 1, "accepted", digest, body)
    platform.store.asked[session.session_id, number] = opened
    sent = Answer(1, at, digest, at, at, kind="diagnosis")
    platform.store.deliveries[session.session_id, number] = Delivery(
        number, opened, opened + 30 * SECOND, 1, digest, sent, version=1
    )
