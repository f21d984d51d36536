"""Messages to a person while the platform does not answer: why, since when, until when, and what is at stake."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pku.answers import Order
from pku.commanding import Outages
from pku.config import Clock
from pku.errors import BRIEF, ExchangeError, Patience, Trouble, Waiting, sentence
from pku.exchange import Exchange
from tests.pku.platform import TOKEN, Platform, answering, essay_cycle, lost_before, numbered, pku, platform_of, serving

ALIVE, GONE = 1_000.0, 1_900.0


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    with platform_of(tmp_path, Clock(), essay_cycle(numbered(1))) as platform, serving(platform) as address:
        yield address


def refused_by(url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *words: str) -> str:
    monkeypatch.setenv("HURDLE_HOME", str(tmp_path))
    monkeypatch.setenv("HURDLE_URL", url)
    monkeypatch.setenv("HURDLE_TOKEN", TOKEN)
    return pku(*words, code=4).stderr


@pytest.mark.integration
@pytest.mark.parametrize("command", ["cycle", "doctor", "status"])
@pytest.mark.parametrize(
    ("language", "words"), [("en", "nothing listens there"), ("ru", "по этому адресу ничего не работает")]
)
def test_a_closed_port_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str, language: str, words: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as place:
        host = f"127.0.0.1:{place.getsockname()[1]}"
    said = refused_by(f"http://{host}", monkeypatch, tmp_path, command, "--lang", language)
    assert words in said
    assert host in said


@pytest.mark.integration
def test_https_at_a_place_that_speaks_http_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, address: str
) -> None:
    said = refused_by(address.replace("http:", "https:"), monkeypatch, tmp_path, "cycle", "--lang", "en")
    assert "no HTTPS is spoken there" in said


@pytest.mark.integration
def test_a_name_that_no_host_has_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    said = refused_by("https://contest.invalid", monkeypatch, tmp_path, "cycle", "--lang", "en")
    assert "contest.invalid cannot be reached: no host has this name" in said


def test_a_command_that_somebody_waits_for_gives_up_within_five_seconds() -> None:
    """Whatever happens to its last try, which may be a connection that nobody accepts."""
    assert BRIEF.unreachable_s + BRIEF.connect_s < 5


@pytest.mark.integration
def test_an_answer_that_takes_long_is_waited_for_in_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, address: str
) -> None:
    said = threading.Event()

    class Told(threading.Timer):
        """Timer that has run before the answer is requested."""

        def start(self) -> None:
            self.interval = 0
            super().start()
            self.join()
            said.set()

    monkeypatch.setattr("pku.commanding.threading.Timer", Told)
    monkeypatch.setenv("HURDLE_HOME", str(tmp_path))
    monkeypatch.setenv("HURDLE_URL", address)
    monkeypatch.setenv("HURDLE_TOKEN", TOKEN)
    assert f"Waiting for an answer of {address} …" in pku("cycle", "--lang", "en").stderr
    assert said.is_set()


def troubles(platform: Platform, said: list[str], patience: Patience) -> Exchange:
    return platform.exchange(waiting=Waiting(patience, Outages("en", said.append, lambda: "Two files are at stake.")))


LONG = Patience(900, 900, 1)


def test_one_line_tells_of_an_outage_and_one_of_its_end(platform: Platform) -> None:
    said = list[str]()
    platform.faults.extend([lost_before] * 6)
    troubles(platform, said, LONG).open_session(Order())
    outage, end = said
    assert "So it has been since" in outage
    assert outage.endswith("Two files are at stake.")
    assert end == "The platform answers again."


def test_a_single_failure_is_not_worth_a_line(platform: Platform) -> None:
    said = list[str]()
    platform.faults.append(answering(503, "busy"))
    troubles(platform, said, LONG).cycle()
    assert said == []


def test_what_is_given_up_at_once_is_told_by_the_error_alone(platform: Platform) -> None:
    said = list[str]()
    platform.faults.extend([lost_before] * 100)
    with pytest.raises(ExchangeError):
        troubles(platform, said, BRIEF).cycle()
    assert said == []


def test_since_when_and_until_when_are_moments_of_this_machine() -> None:
    said = list[str]()
    error = ExchangeError("busy", message="Busy.", message_ru="Занята.")
    outages = Outages("ru", said.append)
    for tries in range(1, 5):
        outages(Trouble(tries, ALIVE, GONE, error))
    outages(None)
    outages(None)
    assert said == [
        "Занята. Так с 00:16:40 UTC; попытки продолжаются до 00:31:40 UTC.",
        sentence("trouble.over", "ru"),
    ]
