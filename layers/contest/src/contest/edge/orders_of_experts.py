"""What organizers say about experts, as the use cases take it."""

from __future__ import annotations

from contest.contracts.experts import MarkingRequest, ProfileRequest
from contest.services.experts import assigning
from contest.services.experts.assigning import MarkingOrder, Plan
from contest.services.experts.pool import Profile
from contest.services.platform import Platform


def profile(said: ProfileRequest) -> Profile:
    """A profile."""
    return Profile(frozenset(said.subjects), frozenset(said.languages), frozenset(said.groups), said.active)


def assigned(platform: Platform, who: str, said: MarkingRequest) -> Plan:
    """Who gets which essay, or would."""
    order = MarkingOrder(said.run, said.set, said.session, said.seed)
    return assigning.plan(platform, order) if said.preview else assigning.assign(platform, who, order)
