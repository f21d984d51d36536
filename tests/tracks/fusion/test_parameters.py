"""What a cycle gets when it says nothing of resources: the contest's own (F, "Ограничения")."""

from __future__ import annotations

from tracks.fusion.items import RESOURCES


def test_the_contests_own_resources() -> None:
    contest = {"memory_gb": 100, "vcpus": 3, "gpus": 1, "gpu_memory_gb": 32, "minutes": 30, "packed_gb": 10}
    ours = {"unpacked_gb": 10, "members": 100_000, "image_gb": 15, "answer_mb": 64}
    assert contest | ours == RESOURCES
