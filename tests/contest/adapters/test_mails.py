"""Mails and choices: the promises of their ports, kept by adapters and fakes."""

from __future__ import annotations

from dataclasses import replace

from contest.mails.rules import Choices, Mail, MailKind, MailLanguage, Position, Stop
from contest.platform import Platform
from tests.losing import loses
from tracks.protocol import Text

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


def test_the_position_moves_from_where_it_was_read(platform: Platform) -> None:
    assert platform.mails.position() is None
    first, second = Position("0000000001000-"), Position("0000000002000-x", 1)
    platform.mails.move(None, first)
    loses(lambda: platform.mails.move(None, first))
    platform.mails.move(first, second)
    loses(lambda: platform.mails.move(first, second))
    assert platform.mails.position() == second


def test_a_link_stops_what_it_was_written_for(platform: Platform) -> None:
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
