"""Webhooks: only public addresses, made and sent once, tried again, switched off, and nothing secret in them."""

from __future__ import annotations

import base64
import json
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from contest.adapters.signatures import verifies
from contest.cycle import publications
from contest.cycle.publications import AnnouncementContent
from contest.cycle.rules.notices import AnnouncementKind
from contest.messages import sending
from contest.messages.errors import HookAddressError, HookOffError, TooManyHooksError, UnknownHookError
from contest.messages.rules import (
    FAILS_FOR,
    GREETED,
    LAG,
    MOST_FAILURES,
    MOST_SHOWN,
    ORGANIZERS,
    TESTED_EACH,
    NotTakenError,
    Outcome,
    is_public,
    may_be_called,
)
from contest.messages.store import FolderPoster, HttpsPoster, LoopbackPoster
from contest.people.rules import Identity, Role
from contest.platform import signing_keys
from contest.values import MINUTE, canonical
from tests.contest.messages.test_messages import SECRET, Office
from tests.fakes_mails import FakeMailer
from tracks.protocol import Text

RED = Identity(Role.PROGRAM, "red", "t1")
BLUE = Identity(Role.PARTICIPANT, "blue", person_id="boris")
OLGA = Identity(Role.ORGANIZER, person_id="olga")
URL = "https://hooks.example.org/hurdle?key=abc"


@pytest.fixture
def office() -> Office:
    return Office(None)


def visit(office: Office) -> list[Any]:
    """Let both timers come; return the events that were taken, by hook's address."""
    office.pass_time(LAG)
    sending.collect(office.platform)
    before = len(office.fake.poster.posted)
    sending.send_deliveries(office.platform)
    return [(url, json.loads(body)["event"]) for _, url, body in office.fake.poster.posted[before:]]


def settled(office: Office, who: Identity = RED, url: str = URL) -> str:
    """Add a hook, and let its first delivery and the time of greeting pass; return its id."""
    hook = sending.add_hook(office.platform, who, url)
    visit(office)
    office.pass_time(GREETED)
    return hook.hook_id


NOT_AT_443 = """
http://example.org/ https://example.org:8443/ https://user:pass@example.org/ https://@example.org/ ftp://a.example/
https://127.0.0.1/ https://[::1]/ https://2130706433/ https://0x7f.1/ https://localhost/ http://127.0.0.1:8080/
https://example.org/#part https://example.org\\@evil.example/ https://example.org:/ https://example.org:99999/
https://пример.example/ https:///path https://169.254.169.254/latest/meta-data
"""


def test_an_address_that_is_not_a_hosts_on_port_443_is_refused(office: Office) -> None:
    for url in (*NOT_AT_443.split(), "", "https://exa mple.org/", f"https://example.org/{'a' * 500}"):
        with pytest.raises(HookAddressError):
            sending.add_hook(office.platform, RED, url)
    assert office.fake.hooks.all() == []


def test_the_local_cloud_calls_this_machine_only_where_its_operator_says_so() -> None:
    for url in ("http://127.0.0.1:8080/x", "http://localhost:8080/"):
        assert may_be_called(url, to_loopback=True)
        assert not may_be_called(url, to_loopback=False)
    assert not may_be_called("http://127.0.0.1.example.org:8080/", to_loopback=True)
    assert may_be_called(URL, to_loopback=False)
    assert may_be_called("https://example.org:443/a", to_loopback=False)


def test_only_an_address_of_the_public_internet_is_called() -> None:
    private = """127.0.0.1 10.1.2.3 169.254.169.254 192.168.0.1 100.64.0.1 0.0.0.0 ::1 fe80::1%eth0 fd00::1
    ::ffff:93.184.216.34 ::ffff:127.0.0.1 2002:7f00:1:: 64:ff9b::7f00:1 224.0.0.1 ff02::1 255.255.255.255
    2001:0:53aa:64c::"""
    # Translators of one's own network, addresses of IPv4 in those of IPv6, addresses within a site, protocols.
    private += " 64:ff9b:1::a00:1 ::a00:1 fec0::1 5f00::1 192.0.0.8"
    assert [address for address in private.split() if is_public(address)] == []
    assert [is_public(address) for address in ("93.184.216.34", "2606:2800:220:1::1")] == [True, True]


def test_a_host_with_one_private_address_among_others_is_not_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    resolved = [["93.184.216.34", "10.0.0.1"], ["169.254.169.254"], []]
    connected: list[Any] = []
    monkeypatch.setattr(socket, "create_connection", lambda *where: connected.append(where))
    for addresses in resolved:
        infos = [(0, 0, 0, "", (address, 443)) for address in addresses]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, infos=infos, **__: infos)
        with pytest.raises(NotTakenError) as refused:
            HttpsPoster().post("d1", URL, b"{}")
        assert refused.value.outcome is Outcome.NOT_PUBLIC
    assert connected == []


class Host:
    """A host on this machine that answers by TLS with given bytes, slowly if asked to."""

    def __init__(self, folder: Path, answer: bytes, pause_s: float = 0.0) -> None:
        key, certificate = folder / "key.pem", folder / "certificate.pem"
        make = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        names = ["-subj", "/CN=hooks.example.org", "-addext", "subjectAltName=DNS:hooks.example.org"]
        subprocess.run([*make, *names, "-keyout", key, "-out", certificate], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.certificate, self.asked = certificate, list[bytes]()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]

        def serve() -> None:
            while True:
                try:
                    accepted, _ = self._socket.accept()
                    with context.wrap_socket(accepted, server_side=True) as connection:
                        request = b""
                        while not request.endswith(b"}"):
                            request += connection.recv(65_536)
                        self.asked.append(request)
                        for byte in answer:
                            connection.send(bytes([byte]))
                            time.sleep(pause_s)
                except OSError:
                    if self._socket.fileno() < 0:
                        return

        threading.Thread(target=serve, daemon=True).start()

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def public(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    """Return a maker of hosts that the poster takes for ones of the internet: a public address that leads here."""
    hosts: list[Host] = []
    trusted = ssl.create_default_context

    def make(answer: bytes, pause_s: float = 0.0, *, is_trusted: bool = True) -> Host:
        host = Host(tmp_path, answer, pause_s)
        hosts.append(host)
        infos = [(0, 0, 0, "", ("93.184.216.34", 443))]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: infos)

        def connect(where: tuple[str, int], timeout: float) -> socket.socket:
            assert where == ("93.184.216.34", 443), "the address that was looked at"
            assert timeout == 5, "so many seconds a host has, and all of them for its answer"
            connected = socket.socket()
            connected.settimeout(timeout)
            connected.connect(("127.0.0.1", host.port))
            return connected

        monkeypatch.setattr(socket, "create_connection", connect)
        cafile = str(host.certificate) if is_trusted else None
        monkeypatch.setattr(ssl, "create_default_context", lambda: trusted(cafile=cafile))
        return host

    yield make
    for host in hosts:
        host.close()


def test_a_request_is_made_by_tls_to_the_address_that_was_looked_at(public: Any) -> None:
    host = public(b"HTTP/1.1 204 No Content\r\n\r\n")
    assert HttpsPoster().post("d1", URL, b'{"a":1}') == 204
    (request,) = host.asked
    assert request.startswith(b"POST /hurdle?key=abc HTTP/1.1\r\nHost: hooks.example.org\r\n")
    assert b"Hurdle-Delivery: d1\r\n" in request
    assert request.endswith(b'\r\n\r\n{"a":1}')


def test_a_redirect_is_not_followed_and_a_foreign_certificate_is_not_believed(public: Any) -> None:
    host = public(b"HTTP/1.1 302 Found\r\nLocation: https://169.254.169.254/\r\n\r\n")
    with pytest.raises(NotTakenError, match="HTTP 302") as refused:
        HttpsPoster().post("d1", URL, b"{}")
    assert (refused.value.outcome, refused.value.status) == (Outcome.REFUSED, 302)
    assert len(host.asked) == 1
    host = public(b"HTTP/1.1 200 OK\r\n\r\n", is_trusted=False)
    with pytest.raises(NotTakenError, match="CERTIFICATE") as refused:
        HttpsPoster().post("d1", URL, b"{}")
    assert (refused.value.outcome, refused.value.status) == (Outcome.UNREACHABLE, None)
    assert host.asked == []


def test_a_host_that_answers_byte_by_byte_is_cut_off(public: Any) -> None:
    public(b"HTTP/1.1 200 OK\r\nX: " + b"a" * 10_000, pause_s=0.05)
    began = time.monotonic()
    with pytest.raises(NotTakenError) as refused:
        HttpsPoster(whole_s=0.4).post("d1", URL, b"{}")
    assert refused.value.outcome is Outcome.NO_ANSWER
    assert time.monotonic() - began < 2


def test_a_name_that_is_resolved_too_late_is_not_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    resolved, connected, threads = threading.Event(), list[Any](), list[threading.Thread]()

    def resolve(*_: Any, **__: Any) -> list[Any]:
        threads.append(threading.current_thread())
        resolved.wait(5)
        return [(0, 0, 0, "", ("93.184.216.34", 443))]

    def connect(*where: Any) -> None:
        connected.append(where)
        raise OSError

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(NotTakenError, match="in time"):
        HttpsPoster(whole_s=0.05).post("d1", URL, b"{}")
    resolved.set()
    threads[0].join(5)
    assert connected == []


def test_a_connection_that_is_made_too_late_sends_nothing(public: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    host, connected, threads = public(b"HTTP/1.1 200 OK\r\n\r\n"), threading.Event(), list[threading.Thread]()
    connect = socket.create_connection

    def slowly(*where: Any) -> socket.socket:
        threads.append(threading.current_thread())
        connected.wait(5)
        return connect(*where)

    monkeypatch.setattr(socket, "create_connection", slowly)
    with pytest.raises(NotTakenError, match="in time"):
        HttpsPoster(whole_s=0.05).post("d1", URL, b"{}")
    connected.set()
    threads[0].join(5)
    assert host.asked == []


def test_loopback_is_called_and_a_folder_gets_a_file(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            connection.recv(65_536)
            connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            connection.close()

        threading.Thread(target=serve, daemon=True).start()
        LoopbackPoster().post("d1", f"http://127.0.0.1:{server.getsockname()[1]}/x", b"{}")
    with pytest.raises(NotTakenError):
        LoopbackPoster().post("d1", URL, b"{}")
    FolderPoster(str(tmp_path)).post("d1", URL, b'{"event": {}}')
    (file,) = tmp_path.glob("hook-*.json")
    assert json.loads(file.read_text("utf-8")) == {"url": URL, "delivery": "d1", "body": {"event": {}}}


def test_a_hook_gets_signed_events_of_its_team_and_of_everybody_and_nothing_secret(office: Office) -> None:
    settled(office)
    settled(office, OLGA, "https://desk.example.org/")
    office.log("team suspended", "blue", {"reason": SECRET})
    office.log("question answered", "red.1", {"team_id": "red", "answer": {"texts": {"en": SECRET}}, "text": SECRET})
    office.log("conclusion verified", "s1", {"team_id": "red", "reason": SECRET})
    office.log("question asked", "red.2", {"team_id": "red", "text": SECRET})
    content = AnnouncementContent(
        AnnouncementKind.SCHEDULE, Text("Final on Monday", "Финал"), Text(SECRET, SECRET), {}, None
    )
    sending.announce(office.platform, publications.announce(office.platform, "olga", content, as_draft=False))
    events = visit(office)
    assert sorted((url, event["kind"], event["title"]["en"]) for url, event in events) == [
        ("https://desk.example.org/", "answer", "A team waits for an answer"),
        ("https://desk.example.org/", "run", "Final on Monday"),
        (URL, "answer", "Your team's question is answered"),
        (URL, "application", "A conclusion on your program is verified"),
        (URL, "run", "Final on Monday"),
    ]
    assert SECRET not in str(office.fake.poster.posted)
    keys = {key.key.key_id: key.key for key in signing_keys(office.platform)}
    for _, _, body in office.fake.poster.posted:
        content_of = json.loads(body)
        event, key = content_of["event"], keys[content_of["event"]["key_id"]]
        assert verifies(key.algorithm, key.content, base64.b64decode(content_of["signature"]), canonical(event))
        assert (event["type"], event["link"].startswith("https://contest.example/")) == ("hook", True)
    assert visit(office) == []


def test_a_new_hook_is_greeted_once_and_told_nothing_of_before(office: Office) -> None:
    office.log("team suspended", "red")
    office.pass_time(1)
    hook = sending.add_hook(office.platform, RED, URL)
    assert sending.add_hook(office.platform, RED, URL) == hook, "added again, it is the same one"
    assert [event["kind"] for _, event in visit(office)] == ["hello"]
    office.log("team approved", "red")
    assert [event["kind"] for _, event in visit(office)] == ["application"]


@pytest.mark.clause("D 6.12")
def test_an_owner_asks_for_a_test_delivery_once_a_minute_and_reads_the_last_outcomes(office: Office) -> None:
    name = settled(office, OLGA)
    with pytest.raises(UnknownHookError):
        sending.ask_hook_test(office.platform, RED, name)
    office.fake.poster.silent = {URL}
    hook = sending.ask_hook_test(office.platform, OLGA, name)
    assert sending.ask_hook_test(office.platform, OLGA, name) == hook, "within a minute it is the same one"
    assert visit(office) == []
    office.fake.poster.silent = set()
    office.pass_time(TESTED_EACH)
    ((_, event),) = visit(office)
    assert (event["kind"], event["link"]) == ("hello", "https://contest.example/desk/hooks")
    (hook,) = sending.own_hooks(office.platform, OLGA)
    delivered, failed, first = hook.attempts
    assert (delivered.event, delivered.number, delivered.next_at) == (failed.event, 2, None)
    assert (delivered.outcome, delivered.status) == (Outcome.TAKEN, 204)
    assert (failed.outcome, failed.status, failed.next_at) == (Outcome.UNREACHABLE, None, failed.at + MINUTE // 2)
    assert (first.kind, first.outcome, first.event == delivered.event) == ("hello", Outcome.TAKEN, False)
    for _ in range(MOST_SHOWN):
        sending.ask_hook_test(office.platform, OLGA, name)
        assert len(visit(office)) == 1
        office.pass_time(TESTED_EACH)
    attempts = sending.own_hooks(office.platform, OLGA)[0].attempts
    assert len(attempts) == MOST_SHOWN
    assert len({attempt.event for attempt in attempts}) == MOST_SHOWN, "each asking is a delivery of its own"


def test_an_outcome_is_noted_beside_a_test_but_of_no_removed_hook(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = settled(office)
    post = office.fake.poster.post

    def asking(delivery_id: str, url: str, body: bytes) -> int | None:
        sending.ask_hook_test(office.platform, RED, name)
        return post(delivery_id, url, body)

    def removing(delivery_id: str, url: str, body: bytes) -> int | None:
        sending.remove_hook(office.platform, RED, name)
        return post(delivery_id, url, body)

    office.log("team suspended", "red")
    monkeypatch.setattr(office.fake.poster, "post", asking)
    visit(office)
    (hook,) = sending.own_hooks(office.platform, RED)
    assert (hook.attempts[0].kind, hook.tested_at) == ("application", office.fake.clock.moment)
    monkeypatch.setattr(office.fake.poster, "post", removing)
    assert len(visit(office)) == 1
    assert sending.own_hooks(office.platform, RED) == []


def test_an_owner_has_five_hooks_and_removes_only_its_own(office: Office) -> None:
    names = [settled(office, RED, f"https://example.org/{number}") for number in range(5)]
    with pytest.raises(TooManyHooksError):
        sending.add_hook(office.platform, RED, URL)
    settled(office, BLUE)
    with pytest.raises(UnknownHookError):
        sending.remove_hook(office.platform, BLUE, names[0])
    sending.remove_hook(office.platform, RED, names[0])
    assert len(sending.own_hooks(office.platform, RED)) == 4
    office.log("team suspended", "red")
    assert "https://example.org/0" not in [url for url, _ in visit(office)]
    (added, *_) = [entry for entry in office.fake.store.changes if entry.what == "webhook added"]
    assert (added.subject, (added.after or {})["host"]) == ("red", "example.org")


def test_a_delivery_that_is_not_taken_comes_again_six_times_in_eleven_hours_and_is_dropped(office: Office) -> None:
    settled(office)
    office.fake.poster.silent = {URL}
    office.log("team suspended", "red")
    assert visit(office) == []
    attempts = [0]
    for minute in range(1, 2 * 24 * 60):
        office.pass_time(MINUTE)
        before = sending.own_hooks(office.platform, RED)[0].failures
        sending.send_deliveries(office.platform)
        if sending.own_hooks(office.platform, RED)[0].failures > before:
            attempts.append(minute)
    assert attempts == [0, 1, 3, 11, 43, 171, 683]
    office.fake.poster.silent = set()
    assert (sending.send_deliveries(office.platform), office.fake.hooks.waiting()) == (0, [])
    assert sending.own_hooks(office.platform, RED)[0].failures == 7
    office.log("team approved", "red")
    assert len(visit(office)) == 1
    assert sending.own_hooks(office.platform, RED)[0].failures == 0


def test_a_hook_that_fails_for_a_day_is_switched_off_and_its_team_told_by_mail() -> None:
    mailer = FakeMailer()
    office = Office(mailer)
    settled(office)
    office.fake.poster.silent = {URL}
    began = office.fake.clock.moment
    while (hook := sending.own_hooks(office.platform, RED)[0]).off_at is None:
        office.log("team suspended", "red")
        office.pass_time(FAILS_FOR // 10)
        visit(office)
    assert hook.failures > MOST_FAILURES, "so many failures alone do not switch it off"
    assert FAILS_FOR <= hook.off_at - began <= FAILS_FOR * 1.2
    for _ in range(2):
        office.visit()
    subjects = [subject for _, subject, _ in mailer.sent if "webhook" in subject]
    assert len(subjects) == 1
    office.log("team approved", "red")
    assert visit(office) == []
    assert sending.add_hook(office.platform, RED, URL).hook_id != hook.hook_id
    with pytest.raises(HookOffError):
        sending.ask_hook_test(office.platform, RED, hook.hook_id)


def test_hooks_that_fail_delay_nothing_and_a_visit_ends(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    settled(office)
    settled(office, OLGA, "https://desk.example.org/")
    office.fake.poster.silent = {URL}
    office.log("team suspended", "red")
    visit(office)
    assert ORGANIZERS not in {hook.owner for hook in office.fake.hooks.all() if hook.failures}
    office.pass_time(10**6)
    office.log("run results published", "r1")
    office.pass_time(LAG)
    sending.collect(office.platform)
    attempted: list[str] = []

    def slowly(_delivery: str, url: str, _body: bytes) -> None:
        attempted.append(url)
        office.pass_time(15_000)
        raise NotTakenError

    monkeypatch.setattr(office.fake.poster, "post", slowly)
    assert sending.send_deliveries(office.platform) == 0
    assert len(attempted) == 2, "the third would begin after the visit's time"
    assert set(attempted) == {URL, "https://desk.example.org/"}
