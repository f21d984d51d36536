"""The experts there are: their profiles, kept by the organizers (platform §5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from contest.domain.experts.expert import Expert
from contest.domain.people.rights import Role
from contest.domain.people.teams import Change
from contest.errors.people import NoExpertsAccountError
from contest.refusals import RefusedError
from contest.services import reading
from contest.services.platform import Platform
from contest.services.races import decide_until_written


@dataclass(frozen=True, slots=True)
class Profile:
    """What an organizer says of an expert."""

    subjects: frozenset[str]
    languages: frozenset[str]
    groups: frozenset[str] = frozenset()
    active: bool = True


def experts(platform: Platform) -> Sequence[Expert]:
    """All experts, inactive ones too, by id."""
    return platform.experts.all()


def put_expert(platform: Platform, who: str, expert_id: str, profile: Profile) -> Expert:
    """Add an expert or change the profile; saying what is said already changes nothing.

    Essays that were given before stay with the expert, whatever the profile becomes.

    Clause: platform §5 assignment
    """
    _check(platform, profile)
    if profile.active and not _is_expert(platform, expert_id):
        raise NoExpertsAccountError

    def written(before: Expert | None) -> Expert:
        after = _after(platform, before, expert_id, profile)
        if after == before:
            return after
        after = replace(after, version=after.version + 1)
        what = "expert changed" if before else "expert added"
        states = (None if before is None else _described(before), _described(after))
        platform.experts.put(after, Change(platform.clock.now(), who, what, expert_id, *states))
        return after

    def read() -> Expert | None:
        return platform.experts.get(expert_id)

    return decide_until_written(read(), written, read)


def _is_expert(platform: Platform, person_id: str) -> bool:
    """Whether somebody of this id can sign in as an expert: a profile of nobody would be given essays."""
    person = platform.persons.person(person_id)
    return person is not None and person.is_active and person.role is Role.EXPERT


def _after(platform: Platform, before: Expert | None, expert_id: str, profile: Profile) -> Expert:
    said = {name: getattr(profile, name) for name in ("subjects", "languages", "groups", "active")}
    if before is not None:
        return replace(before, **said)
    taken = {each.pseudonym for each in platform.experts.all()}
    pseudonym = platform.randomness.pseudonym()
    while pseudonym in taken:
        pseudonym = platform.randomness.pseudonym()
    return Expert(expert_id, pseudonym, **said)


def _check(platform: Platform, profile: Profile) -> None:
    known = reading.cycle_now(platform).languages
    subjects = {subject for found in known.values() for subject in found}
    strange = sorted((profile.languages - set(known)) | (profile.subjects - subjects))
    if strange:
        names = ", ".join(strange)
        raise RefusedError(
            "unknown_competence",
            f"the cycle has no language or subject {names}",
            f"в цикле нет языка или предмета {names}",
            unknown=strange,
        )


def _described(of: Expert) -> dict[str, Any]:
    sets = {name: sorted(getattr(of, name)) for name in ("subjects", "languages", "groups")}
    return {**sets, "active": of.active, "pseudonym": of.pseudonym}
