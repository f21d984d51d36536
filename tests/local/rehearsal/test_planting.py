"""How a bug comes into a copy of the platform."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from local.rehearsal.harm.planting import by_name, put_in


def test_a_bug_has_its_functions_name_with_hyphens() -> None:
    def lose_a_word() -> None: ...

    assert by_name(lose_a_word) == {"lose-a-word": lose_a_word}


def test_what_is_put_in_stands_there() -> None:
    owner = SimpleNamespace(known=1)
    put_in(owner, "known", 2)
    assert owner.known == 2


def test_a_bug_that_changes_nothing_is_refused() -> None:
    owner = SimpleNamespace(known=1)
    with pytest.raises(AttributeError, match="renamed"):
        put_in(owner, "renamed", 2)
    assert vars(owner) == {"known": 1}
