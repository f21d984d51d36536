"""Announcements, mails, letters, connections and decisions: promises kept by adapters and fakes alike."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contest.channel.rules import Attachment, Connection, attachment_after_loss, attachment_after_return, cut_off
from contest.cycle.rules.notices import Announcement, AnnouncementKind, AnnouncementState, published
from contest.messages.rules import Choices, Mail, MailKind, MailLanguage, Position, Stop
from contest.operations.rules import DeadLetter, LetterState, letter_after_decision
from contest.people.rules import Change
from contest.platform import Platform
from contest.results.rules.leaderboard import Entry
from contest.results.rules.qualification import (
    Admission,
    Annulled,
    Annulment,
    Claim,
    Conclusion,
    QualificationKind,
    Ruling,
    Standing,
    Step,
    with_ruling,
)
from contest.room_ports import Connections
from contest.stored_names import LetterQueue
from contest.values import utc_day
from tests.contest.adapters.test_adapters import PARAMETERS, cycle_of
from tests.losing import loses
from tracks.protocol import Text

pytestmark = pytest.mark.integration
NOW = 1_000
ANNOUNCED = Change(NOW, "me", "announced", "first", None, None)
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


def test_an_announcement_is_added_once_and_replaced_as_it_was_read_and_subscribers_told_of_a_version(
    platform: Platform,
) -> None:
    assert platform.announcements.get("first") is None
    platform.announcements.add(DRAFT, ANNOUNCED)
    assert platform.announcements.get("first") == DRAFT
    loses(lambda: platform.announcements.add(replace(DRAFT, reason="other"), replace(ANNOUNCED, what="added again")))
    platform.announcements.add(replace(DRAFT, announcement_id="another"), None)
    assert [each.announcement_id for each in platform.announcements.all()] == ["another", "first"]
    assert told(platform) == ["announced"]
    after, new = published(DRAFT, NOW + 5), replace(DRAFT, announcement_id="second", corrects="first")
    platform.announcements.replace(DRAFT, after, replace(ANNOUNCED, what="published", at=NOW + 1), new)
    assert platform.announcements.get("first") == after
    assert after.state is AnnouncementState.PUBLISHED
    assert platform.announcements.get("second") == new
    loses(lambda: platform.announcements.replace(DRAFT, after, ANNOUNCED))
    third = replace(after, version=after.version + 1, reason="why")
    loses(lambda: platform.announcements.replace(after, third, ANNOUNCED, new))
    assert platform.announcements.get("first") == after
    assert told(platform) == ["announced", "published"]
    loses(lambda: platform.announcements.told(replace(DRAFT, told=DRAFT.state)))
    platform.announcements.told(replace(after, told=after.state))
    assert platform.announcements.get("first") == replace(after, told=AnnouncementState.PUBLISHED)
    platform.announcements.replace(after, replace(after, version=after.version + 1), replace(ANNOUNCED, at=NOW + 2))


def test_a_cycle_is_published_with_what_is_announced_of_it_or_not_at_all(platform: Platform) -> None:
    platform.catalogue.publish(cycle_of(0), PARAMETERS, ANNOUNCED, [(None, DRAFT)])
    assert platform.announcements.get("first") == DRAFT
    loses(lambda: platform.catalogue.publish(cycle_of(1), None, ANNOUNCED, [(None, DRAFT)]))
    assert platform.catalogue.cycle() == cycle_of(1)
    second = replace(DRAFT, announcement_id="second")
    loses(lambda: platform.catalogue.publish(cycle_of(0), None, ANNOUNCED, [(None, second)]))
    assert platform.announcements.get("second") is None
    after = published(DRAFT, NOW + 5)
    platform.catalogue.publish(cycle_of(1), None, ANNOUNCED, [(DRAFT, after)])
    assert platform.announcements.get("first") == after
    loses(lambda: platform.catalogue.publish(cycle_of(2), None, ANNOUNCED, [(DRAFT, after)]))
    assert platform.catalogue.cycle() == cycle_of(2)


AT = 1_790_000_000_000
OF_SET = Annulment(Annulled.SET, "train", "", "a leak", AT)
OF_RESULT = Annulment(Annulled.RESULT, "red", "qualification", "a copy", AT)
CLAIMED = Entry("all", "red", "294017735586120", AT, 1, 5, 5, {"relative_accuracy": 50.0})


def annulling(what: str) -> Change:
    return Change(AT, "person:olga", what, "train", None, None)


def test_an_annulment_is_decided_on_condition_that_nobody_has_meanwhile(platform: Platform) -> None:
    for each in (OF_SET, OF_RESULT):
        platform.annulments.decide("toy-1", None, each, annulling("annulled"))
    loses(lambda: platform.annulments.decide("toy-1", None, OF_SET, annulling("lost")))
    back = replace(OF_SET, holds=False, version=2)
    platform.annulments.decide("toy-1", OF_SET, back, annulling("restored"))
    loses(lambda: platform.annulments.decide("toy-1", OF_SET, back, annulling("lost")))
    assert sorted(platform.annulments.all("toy-1"), key=lambda each: each.key) == [OF_RESULT, back]
    assert list(platform.annulments.all("toy-2")) == []
    logged = sorted(each.what for each in platform.audit_log.on("2026-09-21"))
    assert logged == ["annulled", "annulled", "restored"]


def test_claims_are_kept_by_session_and_the_same_again_changes_nothing(platform: Platform) -> None:
    other = replace(CLAIMED, session_id="705521943360817", answered=4)
    for item in (CLAIMED, other, CLAIMED, replace(CLAIMED, language="rus"), replace(CLAIMED, team_id="blue")):
        platform.scores.claim("toy-1", item)
    assert list(platform.scores.claims("toy-1", "all", "red")) == [CLAIMED, other]
    assert list(platform.scores.claims("toy-1", "eng", "red")) == []
    assert list(platform.scores.entries("toy-1", "all")) == [], "a claim is no place"


CHANGE = Change(1_000, "me", "something", "x", None, {"a": 1})
LETTER = DeadLetter("scoring-a", LetterQueue.SCORING, "{}", "", 1, 2, 3, 1, 5, ("m1", "m2"))


def test_a_letter_changes_if_it_is_still_as_it_was_read_and_the_log_tells_of_it(platform: Platform) -> None:
    port = platform.dead_letters
    assert port.get("scoring-a") is None
    port.put(None, LETTER, None)
    loses(lambda: port.put(None, LETTER, CHANGE))
    done = letter_after_decision(LETTER, LetterState.DROPPED, 9, "почему")
    loses(lambda: port.put(done, replace(done, version=3), CHANGE))
    assert list(platform.audit_log.on("1970-01-01")) == []
    port.put(LETTER, done, CHANGE)
    assert port.get("scoring-a") == done
    assert list(platform.audit_log.on("1970-01-01")) == [CHANGE]
    loses(lambda: port.put(LETTER, done, CHANGE))


def test_open_letters_are_found_by_queue_in_pages_and_counted(platform: Platform) -> None:
    port = platform.dead_letters
    assert (port.open(None, 5, None).items, dict(port.counts())) == ((), {})
    for name in ("a", "b", "c"):
        port.put(None, replace(LETTER, letter_id=f"scoring-{name}"), None)
    port.put(None, replace(LETTER, letter_id="pushes-a", queue=LetterQueue.PUSHES), None)
    names = ["pushes-a", *(f"scoring-{name}" for name in "abc")]
    assert [each.letter_id for each in port.open(None, 5, None).items] == names
    first = port.open(LetterQueue.SCORING, 2, None)
    assert ([each.letter_id for each in first.items], first.after) == (["scoring-a", "scoring-b"], "scoring-b")
    rest = port.open(LetterQueue.SCORING, 2, first.after)
    assert ([each.letter_id for each in rest.items], rest.after) == (["scoring-c"], None)
    assert port.counts() == {LetterQueue.SCORING: 3, LetterQueue.PUSHES: 1}
    again = replace(letter_after_decision(LETTER, LetterState.REDRIVEN, 9), version=2)
    port.put(LETTER, again, CHANGE)
    assert port.counts()[LetterQueue.SCORING] == 2
    assert [each.letter_id for each in port.open(LetterQueue.SCORING, 5, None).items] == ["scoring-b", "scoring-c"]
    port.put(again, replace(LETTER, version=3), None)
    assert port.counts()[LetterQueue.SCORING] == 3


def test_the_log_is_read_over_days_from_a_cursor_on(platform: Platform) -> None:
    day = 86_400_000
    moments = (day - 1, day, day, day, day + 5, 3 * day)
    changes = [Change(at, "me", f"change {place}", "x", None, None) for place, at in enumerate(moments)]
    for change in changes:
        platform.upkeep.note_mending(change)

    def read(first: str, last: str, after: str | None = None) -> list[Change]:
        return [each for _, each in platform.audit_log.between(first, last, after)]

    assert read("1970-01-01", "1970-01-04") == changes
    assert read("1970-01-02", "1970-01-03") == changes[1:5]
    assert read("1970-01-03", "1970-01-02") == []
    cursors = [cursor for cursor, _ in platform.audit_log.between("1970-01-01", "1970-01-04", None)]
    for place, cursor in enumerate(cursors):
        assert read("1970-01-01", "1970-01-04", cursor) == changes[place + 1 :]
    assert read("1970-01-03", "1970-01-04", cursors[0]) == changes[5:]


MAIL = Mail("a-1", "anna", MailKind.RUN, Text("A run", "Прогон"), "/runs", 5_000)


def test_a_mail_is_made_once_even_when_it_has_been_sent(platform: Platform) -> None:
    platform.mails.add(MAIL)
    platform.mails.add(replace(MAIL, path="/other"))
    assert platform.mails.waiting() == [MAIL]
    assert platform.mails.get("a-1") == MAIL
    platform.mails.done(MAIL)
    platform.mails.done(MAIL)
    platform.mails.add(MAIL)
    assert (list(platform.mails.waiting()), platform.mails.get("a-1")) == ([], None)


def test_a_mail_is_claimed_by_one_and_not_after_it_was_sent(platform: Platform) -> None:
    platform.mails.add(MAIL)
    claimed = MAIL.claimed(9_000)
    platform.mails.claim(MAIL, claimed)
    assert platform.mails.get("a-1") == claimed
    loses(lambda: platform.mails.claim(MAIL, claimed))
    platform.mails.done(claimed)
    loses(lambda: platform.mails.claim(claimed, claimed.claimed(9_000)))


def test_a_mails_position_moves_as_it_was_read_and_a_link_stops_what_it_was_written_for(platform: Platform) -> None:
    assert platform.mails.position() is None
    first, second = Position("0000000001000-"), Position("0000000002000-x", 1)
    platform.mails.move(None, first)
    loses(lambda: platform.mails.move(None, first))
    platform.mails.move(first, second)
    loses(lambda: platform.mails.move(first, second))
    assert platform.mails.position() == second
    platform.mails.note_link("0" * 64, Stop("anna", MailKind.RUN), 5_000)
    assert platform.mails.stopped_by("0" * 64) == Stop("anna", MailKind.RUN)
    assert platform.mails.stopped_by("1" * 64) is None


def test_choices_are_written_as_they_were_read(platform: Platform) -> None:
    assert platform.mail_choices.get("anna") == Choices()
    chosen = Choices(frozenset({MailKind.RUN, MailKind.ANSWER}), MailLanguage.RU, 1)
    platform.mail_choices.put("anna", Choices(), chosen)
    loses(lambda: platform.mail_choices.put("anna", Choices(), chosen))
    platform.mail_choices.put("anna", chosen, chosen.without(MailKind.RESULTS))
    assert platform.mail_choices.get("anna") == chosen.without(MailKind.RESULTS)
    assert platform.mail_choices.get("boris") == Choices()


CONCLUSION = Conclusion("s1", "red", "toy", QualificationKind.ALGORITHMIC, "report", True, 4)
CLAIM = Claim("red", QualificationKind.ALGORITHMIC, "s1", Standing.AWAITS_JUDGES)
CONFIRMED = with_ruling(CONCLUSION, Ruling(Step.JUDGEMENT, True, "jan", "протокол", 5, "report"))
ADMISSION = Admission("red", True, "qualified", "olga", 7, True)


@pytest.mark.parametrize("platform", ["real"], indirect=True)
def test_a_conclusion_and_its_claim_are_written_together_if_both_are_as_they_were(platform: Platform) -> None:
    port = platform.qualification
    port.conclude(None, CONCLUSION, None, CLAIM, None)
    assert port.conclusion("toy", "red", QualificationKind.ALGORITHMIC, "s1") == CONCLUSION
    assert port.conclusion("toy", "red", QualificationKind.TECHNICAL, "s1") is None
    assert list(port.claims("toy")) == [CLAIM]
    assert list(port.claims("other")) == []
    claimed = replace(CLAIM, standing=Standing.AWAITS_COMMISSION, version=2)
    loses(lambda: port.conclude(None, CONFIRMED, CLAIM, claimed, CHANGE))
    loses(lambda: port.conclude(CONCLUSION, CONFIRMED, None, claimed, CHANGE))
    loses(lambda: port.conclude(CONCLUSION, CONFIRMED, claimed, claimed, CHANGE))
    assert list(platform.audit_log.on("1970-01-01")) == []
    port.conclude(CONCLUSION, CONFIRMED, CLAIM, claimed, CHANGE)
    assert list(port.conclusions_of("toy", "red", QualificationKind.ALGORITHMIC)) == [CONFIRMED]
    assert list(port.claims_of("toy", "red")) == [claimed]
    assert list(platform.audit_log.on("1970-01-01")) == [CHANGE]


@pytest.mark.parametrize("platform", ["real"], indirect=True)
def test_a_team_has_its_own_claims_and_conclusions_by_kind(platform: Platform) -> None:
    port = platform.qualification
    technical = replace(CONCLUSION, kind=QualificationKind.TECHNICAL, session_id="s2")
    claimed = replace(CLAIM, kind=QualificationKind.TECHNICAL, session_id="s2")
    for conclusion, claim in ((CONCLUSION, CLAIM), (technical, claimed)):
        port.conclude(None, conclusion, None, claim, None)
    other = replace(CONCLUSION, team_id="red-2")
    port.conclude(None, other, None, replace(CLAIM, team_id="red-2"), None)
    assert list(port.claims_of("toy", "red")) == [CLAIM, claimed]
    assert list(port.conclusions_of("toy", "red", QualificationKind.TECHNICAL)) == [technical]
    assert [each.team_id for each in port.claims("toy")] == ["red", "red", "red-2"]


def test_an_admission_changes_if_it_is_still_as_it_was_read(platform: Platform) -> None:
    port = platform.qualification
    assert port.admission("toy", "red") is None
    port.admit("toy", None, ADMISSION, CHANGE)
    loses(lambda: port.admit("toy", None, ADMISSION, CHANGE))
    later = replace(ADMISSION, admitted=False, version=2)
    port.admit("toy", ADMISSION, later, CHANGE)
    loses(lambda: port.admit("toy", ADMISSION, later, CHANGE))
    assert port.admission("toy", "red") == later
    assert list(port.admissions("toy")) == [later]


CONNECTION = Connection("connection-1=", 4, 1_000, 1_000, token_sha256="0" * 64)
CHANNEL_SESSION = "1" * 15


@pytest.fixture
def connections(platform: Platform) -> Connections:
    return platform.connections


def test_all_that_is_noted_of_a_connection_is_kept_until_it_is_removed_and_it_stays_gone(
    connections: Connections,
) -> None:
    connections.add(CONNECTION)
    assert connections.get(CONNECTION.connection_id) == CONNECTION
    assert list(connections.all()) == [CONNECTION]
    # The timer's sign of life must not take back the session that the client's event has just begun.
    connections.note(replace(CONNECTION, session_id=CHANNEL_SESSION, namespace="/pku"), "session_id", "namespace")
    connections.note(replace(CONNECTION, pinged_at=9_000), "pinged_at")
    answer = connections.get(CONNECTION.connection_id)
    assert answer == replace(CONNECTION, session_id=CHANNEL_SESSION, namespace="/pku", pinged_at=9_000)
    for _ in range(2):
        connections.remove(CONNECTION.connection_id)
    assert connections.get(CONNECTION.connection_id) is None
    assert list(connections.all()) == []
    connections.note(replace(CONNECTION, pinged_at=9_000), "pinged_at")
    assert connections.get(CONNECTION.connection_id) is None


def test_many_connections_are_removed_at_once_and_the_others_stay(connections: Connections) -> None:
    """More than one batch of the storage's; some are gone already."""
    for number in range(32):
        connections.add(replace(CONNECTION, connection_id=f"c{number}"))
    connections.remove_all([f"c{number}" for number in range(2, 40)])
    assert {each.connection_id for each in connections.all()} == {"c0", "c1"}
    connections.remove_all([])


def test_of_two_attachments_in_the_same_instant_one_is_written(connections: Connections) -> None:
    first = attachment_after_return(Attachment(CHANNEL_SESSION), "c1", 1_000)
    connections.attach(None, first)
    loses(lambda: connections.attach(None, attachment_after_return(Attachment(CHANNEL_SESSION), "c2", 1_000)))
    away = attachment_after_loss(first, "c1", 2_000)
    connections.attach(first, away)
    loses(lambda: connections.attach(first, attachment_after_return(first, "c2", 2_000)))
    assert connections.attachment(CHANNEL_SESSION) == away
    connections.attach(away, cut_off(away))
    assert connections.attachment(CHANNEL_SESSION) == cut_off(away)


def test_a_push_is_claimed_once_and_where_it_went_last_is_known(connections: Connections) -> None:
    claims = [(1, 1_000, "c1"), (1, 1_000, "c1"), (1, 2_000, "c1"), (2, 1_000, "c1"), (1, 1_000, "c2")]
    assert [connections.claim(CHANNEL_SESSION, *each) for each in claims] == [True, False, True, True, True]
    assert connections.pushed_to(CHANNEL_SESSION, 1) is None
    connections.mark_pushed(CHANNEL_SESSION, 1, "c1")
    connections.mark_pushed(CHANNEL_SESSION, 1, "c2")
    assert connections.pushed_to(CHANNEL_SESSION, 1) == "c2"
    assert connections.pushed_to(CHANNEL_SESSION, 2) is None
