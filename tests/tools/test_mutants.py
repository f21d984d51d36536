"""Mutants are drawn by a seed, a place once, and each module has a room of tests."""

from __future__ import annotations

import shlex
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from cosmic_ray.config import load_config  # type: ignore[import-untyped]

from tools import mutants

TEXT = """
def late(at: int | None, due: int) -> bool:
    return at is not None and at == due + 1 << 2
"""


@pytest.fixture
def places(tmp_path: Path) -> dict[Any, list[Any]]:
    (tmp_path / "late.py").write_text(TEXT, "utf-8")
    return mutants._places([tmp_path], load_config(mutants.CONFIG), tmp_path)


def test_changes_that_any_run_notices_are_left_out(places: dict[Any, list[Any]]) -> None:
    operators = Counter(item.mutations[0].operator_name for each in places.values() for item in each)
    assert {name: count for name, count in operators.items() if "Operator_" in name} == {
        "core/ReplaceComparisonOperator_IsNot_Is": 1,
        **{f"core/ReplaceComparisonOperator_Eq_{other}": 1 for other in ("NotEq", "Lt", "LtE", "Gt", "GtE")},
        "core/ReplaceBinaryOperator_Add_Sub": 1,
        "core/ReplaceBinaryOperator_LShift_RShift": 1,
    }
    assert {"core/ReplaceAndWithOr", "core/NumberReplacer"} <= operators.keys()


def test_a_seed_draws_each_place_once(places: dict[Any, list[Any]]) -> None:
    def drawn(seed: int, count: int) -> list[tuple[str, Any, int]]:
        chosen = [item.mutations[0] for item in mutants._drawn(places, seed, count)]
        return [(each.operator_name, each.start_pos, each.occurrence) for each in chosen]

    assert drawn(1, 3) == drawn(1, 3)
    assert len({drawn(seed, 1)[0] for seed in range(20)}) > 1
    assert len({place for _, place, _ in drawn(1, 100)}) == len(drawn(1, 100)) == len(places)


@pytest.mark.parametrize("package", ["markup_core", "tracks", "contest", "shadow"])
def test_every_module_has_a_room_of_tests(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(mutants.ROOT)
    modules = sorted(Path("layers", package, "src").rglob("*.py"))
    assert modules
    for module in modules:
        rooms = [Path(each) for each in shlex.split(mutants._room_tests(module)) if each.startswith("tests/")]
        assert rooms, module
        assert all(list(each.rglob("test_*.py")) if each.is_dir() else each.is_file() for each in rooms), module
