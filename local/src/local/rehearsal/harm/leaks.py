"""Bugs of what is told of hidden sets: pairs, hashes, finer numbers, totals of an item, the references themselves; and
of what is pushed before its time."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Final

from local.rehearsal.harm.planting import by_name, put_in


def tell_pairs_of_hidden_files() -> None:
    """A hidden file's score is told as it is stored: with each expert's pairs and values, grades and hashes."""
    from contest.domain.results import session_report

    put_in(session_report, "measures_of", lambda _track, score: score)


def tell_hashes_of_references() -> None:
    """A report of a session names the hashes of the experts' markups, so that a guess of one can be tried."""
    from contest.services.results import reporting

    original = vars(reporting)["build"]

    def build(facts: Any, *words: Any, **named: Any) -> Any:
        hashes = [each["fingerprint"]["inputs"] for each in facts.scores.values() if "fingerprint" in each]
        return {**original(facts, *words, **named), "scored": hashes}

    put_in(reporting, "build", build)


def tell_finer_than_per_cents() -> None:
    """A hidden file's measures are told to a tenth of a per cent, so that smaller steps can be climbed."""
    from tracks.essay.track import EssayTrack

    original = EssayTrack.measures

    def measures(self: Any, score: Any) -> Any:
        return {**original(self, score), "algorithm_accuracy": round(score["algorithm_accuracy"], 1) + 0.05}

    put_in(EssayTrack, "measures", measures)


def compare_on_tests() -> None:
    """A closed session over a test set is taken for one over a training set by who shows its files."""
    from contest.domain.cycle.cycle import SetKind
    from contest.services.results import one_file

    original = vars(one_file)["own_session"]

    def own_session(platform: Any, asked: Any) -> Any:
        found: Any = original(platform, asked)
        if found.session.set_kind is not SetKind.TEST:
            return found
        return found._replace(session=replace(found.session, set_kind=SetKind.TRAINING))

    put_in(one_file, "own_session", own_session)


def tell_totals_of_one_item() -> None:
    """Totals are told of however few answers, and of however few that differ."""
    from contest.domain.results import hidden_sets

    put_in(hidden_sets, "withheld", lambda *_: None)


def forget_what_was_told() -> None:
    """Nothing that a team was told earlier is looked at: only the number of answers is."""
    from contest.domain.results import hidden_sets

    original = hidden_sets.withheld
    put_in(hidden_sets, "withheld", lambda answers, _earlier, least: original(answers, (), least))


def tell_the_key_in_errors() -> None:
    """A test that refuses its details names the right answer beside the refusal."""
    from contest.services import reading
    from contest.services.results import one_file

    original = one_file._refuse_details

    def refuse(platform: Any, request: Any, session: Any) -> None:
        try:
            original(platform, request, session)
        except Exception as refusal:
            item = reading.item_of(platform, session, reading.planned_file(platform, session, request.number or 0))
            key = json.dumps(reading.references(platform, session, item), ensure_ascii=False)
            said = {"code": "key", "message": key, "message_ru": key}
            refusal.details = [said]  # type: ignore[attr-defined]  # a refusal has details
            raise

    put_in(one_file, "_refuse_details", refuse)


def push_the_next_file_too() -> None:
    """With each file of a run that is pushed over the event channel comes the next one, which has not opened yet."""
    from contest.services import reading
    from contest.services.channel import pushing
    from contest.services.session import dialogues

    original = vars(pushing)["_announced"]

    def announced(platform: Any, session: Any, found: Any) -> Any:
        plain = original(platform, session, found)
        number = found.delivery.number
        ahead = reading.plan(platform, session)[number : number + 1]
        hints = [dialogues.work_on(platform, session, each).shown() for each in ahead]
        return replace(plain, payload={**plain.payload, "hints": hints})

    put_in(pushing, "_announced", announced)


BUGS: Final = by_name(
    tell_pairs_of_hidden_files,
    tell_hashes_of_references,
    tell_finer_than_per_cents,
    compare_on_tests,
    push_the_next_file_too,
)
OF_CONTESTS: Final = by_name(
    tell_totals_of_one_item,
    forget_what_was_told,
    tell_the_key_in_errors,
    push_the_next_file_too,
)
"""Those that show in contests of which totals alone are told."""
