"""Which places of a source are changed, and what a seed draws of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.mutants.rooms import Source
from tools.mutants.sites import Mutant, draw, mutants

CODE = '''
from dataclasses import dataclass

Either = int | None
LIMIT = 10


@dataclass(frozen=True)
class Value:
    number: int | None = 3


def share(of: int | str, *, whole: int = 4) -> float | None:
    """Add 1."""
    if isinstance(of, int | float) and not whole == 0:
        return of / whole
    return None
'''


@pytest.fixture
def source(tmp_path: Path) -> Source:
    path = tmp_path / "share.py"
    path.write_text(CODE, "utf-8")
    return Source(path, "share")


def lines(found: list[Mutant]) -> set[str]:
    return {mutant.line for mutant in found}


def test_constants_conditions_and_operators_are_changed_and_types_are_not(source: Source) -> None:
    found = mutants(source)
    assert lines(found) == {
        "LIMIT = 10",
        "number: int | None = 3",
        "def share(of: int | str, *, whole: int = 4) -> float | None:",
        "if isinstance(of, int | float) and not whole == 0:",
        "return of / whole",
    }
    assert {each.kind for each in found} == {"constant", "condition", "comparison", "operator"}
    assert not [each for each in found if each.operator.startswith("ReplaceBinaryOperator_BitOr")]


def test_every_mutant_can_be_read_and_changes_one_line(source: Source) -> None:
    for mutant in mutants(source):
        text = mutant.text()
        compile(text, "share.py", "exec")
        changed = [one for one, other in zip(CODE.splitlines(), text.splitlines(), strict=True) if one != other]
        assert [each.strip() for each in changed] == [mutant.line]


def test_a_seed_draws_the_same_places_and_another_seed_others(source: Source) -> None:
    every = mutants(source)
    assert draw(every, 1, 4) == draw(every, 1, 4)
    assert draw(every, 1, 4) == draw(every, 1, 5)[:4]
    assert len({draw(every, seed, 1)[0].line for seed in range(20)}) > 1


def test_each_place_is_drawn_once(source: Source) -> None:
    every = mutants(source)
    drawn = draw(every, 1, 1000)
    assert len(drawn) == len({(each.kind, each.place) for each in every}) < len(every)


def test_lines_that_come_before_change_no_draw(source: Source) -> None:
    before = [(each.line, each.operator) for each in draw(mutants(source), 7, 5)]
    source.path.write_text("import os\n\nFIRST = os.sep\n" + CODE, "utf-8")
    assert [(each.line, each.operator) for each in draw(mutants(source), 7, 5)] == before
