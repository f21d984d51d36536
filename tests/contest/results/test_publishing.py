"""Publishing and withdrawing a final's results: each once, each a new version of the run."""

from __future__ import annotations

import pytest

from contest.results import publishing
from contest.run.planning import RefusedError
from tests.contest.run.played_runs import Played, planned


@pytest.fixture
def played() -> Played:
    made = planned()
    made.play()
    made.finish()
    return made


def test_results_are_published_once_and_hidden_once_and_published_again(played: Played) -> None:
    platform, run_id = played.platform, played.run_id
    before = played.run.version
    versions = []
    for change in (publishing.publish, publishing.hide, publishing.publish):
        versions.append(change(platform, "anna", run_id).version)
        with pytest.raises(RefusedError):
            (publishing.hide if played.run.published_at is None else publishing.publish)(platform, "anna", run_id)
    assert versions == [before + 1, before + 2, before + 3]
    assert played.run.published_at == platform.clock.now()


def test_who_published_and_withdrew_is_in_the_log(played: Played) -> None:
    publishing.publish(played.platform, "anna", played.run_id)
    publishing.hide(played.platform, "boris", played.run_id)
    day = "2026-09-21"
    published, hidden = [each for each in played.platform.audit_log.on(day) if each.what.startswith("run results")]
    assert (published.who, published.what, published.subject) == ("anna", "run results published", played.run_id)
    assert (hidden.who, hidden.what) == ("boris", "run results hidden")
    assert published.after == hidden.before
    assert published.before == hidden.after
    assert published.before != published.after
