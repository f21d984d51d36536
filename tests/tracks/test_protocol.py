"""The Track Protocol's own rules, and that the registered tracks keep to its form."""

from __future__ import annotations

import pytest

from tracks import registry
from tracks.capabilities import Archived, ArchivesAnswers, ArchivesReferences, QualifiesByResult
from tracks.protocol import Step, step_after

DIALOGUE = (Step("first", {"guess": "second"}, limit_s=60), Step("second", {"ask": "second", "end": None}))


def test_an_answer_leads_to_the_step_that_the_machine_names() -> None:
    assert step_after(DIALOGUE, "first", "guess") == "second"
    assert step_after(DIALOGUE, "second", "ask") == "second"


def test_the_last_answer_ends_the_dialogue() -> None:
    assert step_after(DIALOGUE, "second", "end") is None


@pytest.mark.parametrize(("step", "kind"), [("third", "guess"), ("first", "end")])
def test_an_unknown_step_or_kind_is_an_error(step: str, kind: str) -> None:
    with pytest.raises(LookupError, match=step):
        step_after(DIALOGUE, step, kind)


@pytest.mark.clause("TS T11")
@pytest.mark.parametrize("name", registry.names())
def test_t11_the_essays_alone_conclude_on_readiness_by_what_was_answered(name: str) -> None:
    """Diagnoses conclude by a session's result, the others conclude nothing."""
    track = registry.get(name)
    modes = {*(each.name for each in track.modes()), "algorithmic", "technical", "final"}
    assert {track.policies(mode).readiness for mode in modes} == {name == "essay"}
    assert isinstance(track, QualifiesByResult) is (name == "diagnosis")


def test_every_contest_says_what_its_archive_holds_and_the_essays_alone_publish_items_and_references() -> None:
    """What is not in an archive is said in it, in both languages."""
    tracks = {name: registry.get(name) for name in registry.names()}
    assert [name for name, track in tracks.items() if not isinstance(track, Archived)] == []
    assert [name for name, track in tracks.items() if isinstance(track, ArchivesReferences)] == ["essay"]
    assert [name for name, track in tracks.items() if not isinstance(track, ArchivesAnswers)] == ["fusion"]
    for track in tracks.values():
        assert isinstance(track, Archived)
        assert track.archive_rules.left_out
        for said in (track.archive_rules.about, *track.archive_rules.left_out):
            assert (said.en[-1], said.ru[-1]) == (".", ".")
