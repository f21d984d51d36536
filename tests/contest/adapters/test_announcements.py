"""Announcements: the promises of their port, kept by adapter and fake."""

from __future__ import annotations

from dataclasses import replace

from contest.cycle.rules.notices import Announcement, AnnouncementKind, AnnouncementState, published
from contest.people.rules import Change
from contest.platform import Platform
from contest.values import utc_day
from tests.contest.adapters.test_adapters import PARAMETERS, cycle_of
from tests.losing import loses
from tracks.protocol import Text

NOW = 1_000
CHANGE = Change(NOW, "me", "announced", "first", None, None)
DRAFT = Announcement(
    "first",
    AnnouncementKind.SETS,
    Text("Sets", "Выборки"),
    Text("Larger ones", "Больше"),
    NOW,
    {"sets": ["train"], "size": 5},
    effective_at=2_000,
)


def told(platform: Platform) -> list[str]:
    return [each.what for each in platform.audit_log.on(utc_day(NOW))]


def test_an_announcement_is_added_once_with_its_entry_in_the_log(platform: Platform) -> None:
    assert platform.announcements.get("first") is None
    platform.announcements.add(DRAFT, CHANGE)
    assert platform.announcements.get("first") == DRAFT
    loses(lambda: platform.announcements.add(replace(DRAFT, reason="other"), replace(CHANGE, what="added again")))
    platform.announcements.add(replace(DRAFT, announcement_id="another"), None)
    assert [each.announcement_id for each in platform.announcements.all()] == ["another", "first"]
    assert told(platform) == ["announced"]


def test_an_announcement_is_replaced_as_it_was_read_together_with_a_new_one(platform: Platform) -> None:
    platform.announcements.add(DRAFT, CHANGE)
    after, new = published(DRAFT, NOW + 5), replace(DRAFT, announcement_id="second", corrects="first")
    platform.announcements.replace(DRAFT, after, replace(CHANGE, what="published", at=NOW + 1), new)
    assert platform.announcements.get("first") == after
    assert after.state is AnnouncementState.PUBLISHED
    assert platform.announcements.get("second") == new
    loses(lambda: platform.announcements.replace(DRAFT, after, CHANGE))
    third = replace(after, version=after.version + 1, reason="why")
    loses(lambda: platform.announcements.replace(after, third, CHANGE, new))
    assert platform.announcements.get("first") == after
    assert told(platform) == ["announced", "published"]


def test_a_cycle_is_published_with_what_is_announced_of_it_or_not_at_all(platform: Platform) -> None:
    platform.catalogue.publish(cycle_of(0), PARAMETERS, CHANGE, [(None, DRAFT)])
    assert platform.announcements.get("first") == DRAFT
    loses(lambda: platform.catalogue.publish(cycle_of(1), None, CHANGE, [(None, DRAFT)]))
    assert platform.catalogue.cycle() == cycle_of(1)
    loses(
        lambda: platform.catalogue.publish(
            cycle_of(0), None, CHANGE, [(None, replace(DRAFT, announcement_id="second"))]
        )
    )
    assert platform.announcements.get("second") is None
    after = published(DRAFT, NOW + 5)
    platform.catalogue.publish(cycle_of(1), None, CHANGE, [(DRAFT, after)])
    assert platform.announcements.get("first") == after
    loses(lambda: platform.catalogue.publish(cycle_of(2), None, CHANGE, [(DRAFT, after)]))
    assert platform.catalogue.cycle() == cycle_of(2)


def test_what_subscribers_were_told_is_noted_of_the_version_that_they_were_told_of(platform: Platform) -> None:
    platform.announcements.add(DRAFT, CHANGE)
    after = published(DRAFT, NOW + 5)
    platform.announcements.replace(DRAFT, after, replace(CHANGE, at=NOW + 1))
    loses(lambda: platform.announcements.told(replace(DRAFT, told=DRAFT.state)))
    platform.announcements.told(replace(after, told=after.state))
    found = platform.announcements.get("first")
    assert found == replace(after, told=AnnouncementState.PUBLISHED)
    platform.announcements.replace(after, replace(after, version=after.version + 1), replace(CHANGE, at=NOW + 2))
