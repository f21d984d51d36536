"""The settlement of a final reads in proportion to its teams, counted in objects and bytes."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from contest.results import publishing, settling
from tests.contest.run.played_runs import ANSWERED, planned

FILES = 2
TEAMS = (3, 6, 12)


class Counted(dict[str, bytes]):
    """Objects by name that count what is read of them."""

    def __init__(self, objects: dict[str, bytes]) -> None:
        super().__init__(objects)
        self.read: Counter[str] = Counter()

    def __getitem__(self, name: str) -> bytes:
        content = super().__getitem__(name)
        self.read.update(objects=1, bytes=len(content))
        return content

    def get(self, name: str, _default: Any = None) -> Any:
        return self[name] if name in self else None  # noqa: SIM401 -- the reading is counted there


def read_by_settlement(teams: int) -> Counter[str]:
    """Count what record, board, recomputation, publication and archive of a final read."""
    played = planned(files=FILES, reserve=0)
    platform = played.platform
    played.join(*(f"team-{number}" for number in range(teams - len(played.sessions))))
    for number in range(1, FILES + 1):
        played.open(number, **dict.fromkeys(played.sessions, ANSWERED))
    platform.blobs.objects = counted = Counted(platform.blobs.objects)
    played.finish()
    publishing.publish(platform, "organizer", played.run_id)
    played.settle()
    assert settling.look(platform, played.run).is_clean
    return counted.read


@pytest.mark.clause("platform §4 settlement")
def test_a_settlement_reads_in_proportion_to_the_teams() -> None:
    few, more, most = map(read_by_settlement, TEAMS)
    assert most["objects"] - more["objects"] == 2 * (more["objects"] - few["objects"]) > 0
    assert most["bytes"] - more["bytes"] < 2.05 * (more["bytes"] - few["bytes"])
