"""In which language somebody reads; that every code of the platform has its words."""

from __future__ import annotations

import pytest

from contest.cycle.rules.cycle import Mode
from contest.edge.files import WORDS, code_in_words, language_of
from contest.results.rules.qualification import Step
from contest.run.rules.run import Kind
from contest.session.rules.delivery import Cause, FileState
from contest.session.rules.session import State


@pytest.mark.clause("R 2.18")
@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        (None, "ru"),
        ("", "ru"),
        ("en", "en"),
        ("en-GB,en;q=0.9", "en"),
        ("de, en;q=0.5, ru;q=0.4", "en"),
        ("en;q=0.4, ru;q=0.5", "ru"),
        ("en, ru", "en"),
        ("en;q=0", "ru"),
        ("de", "ru"),
        ("*;;;,=", "ru"),
    ],
)
def test_the_preferred_one_of_our_languages_is_taken(accepted: str | None, language: str) -> None:
    assert language_of(None, accepted) == language
    assert language_of("ru", accepted) == "ru"


@pytest.mark.clause("R 2.18")
def test_every_state_and_cause_has_words_in_both_languages() -> None:
    kinds = (Cause, FileState, Kind, Step, Mode)
    named = {each.value for kind in kinds for each in kind} | {each.value for each in State}
    assert named - set(WORDS) == set()
    assert all(words.en and any("а" <= letter <= "я" for letter in words.ru) for words in WORDS.values())
    assert (code_in_words("team_late", "ru"), code_in_words("unheard_of", "ru")) == ("опоздание команды", "unheard_of")
