"""Admission of a participant's request: right, rate, session, modules; a team's view of its sessions.

A request reads once all that it needs to know of its identity and its session. It is admitted by the right of its
route, the rate of its team and the ownership of the session. The modules that a program reports are compared with those
that the organizers have published (R 4.3, D 6.14). A session is shown with all its files; a client's log is stored with
its session (platform §3).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import field, replace
from typing import Any, Final, NamedTuple, cast

from contest import reading, stored_names
from contest.cycle.rules.cycle import REQUESTS_PER_SECOND, Cycle, Mode, Parameters
from contest.errors import (
    AnswerTooLargeError,
    BusyError,
    ConfirmationNeededError,
    NoCycleError,
    RateLimitedError,
    SessionClosedError,
    UnknownSessionError,
)
from contest.people.errors import NoTeamError
from contest.people.rules import USE_NOTED_EVERY, Identity, may, token_hash
from contest.platform import SMALL, Platform, decide_until_written
from contest.ports import Found, Page, Wanted
from contest.results.errors import UnknownModulesError
from contest.results.rules.qualification import Annulment
from contest.routes import Right
from contest.run.rules import fate
from contest.run.rules import schedule as schedule_rules
from contest.run.rules.fate import FileView
from contest.run.rules.run import BELIEVED
from contest.run.rules.schedule import Gone, RememberedSession, Schedule
from contest.session import following
from contest.session.following import Known
from contest.session.rules import session as session_rules
from contest.session.rules.delivery import Bodies, Receipt
from contest.session.rules.session import (
    SESSION_ID,
    Client,
    Counts,
    Key,
    Latest,
    Session,
    State,
    TeamRequests,
    newest_names,
)
from contest.values import Millis, canonical, sha256_hex
from markup_core.lazy import dataclass

_LAST_NUMBER = 9_999
"""Greatest possible number of a file; a number without a file is refused where the session's plan is known."""
_NO_BODIES = Bodies()
_SEEN_SIZE = 40_000
"""Approximate bytes in memory of a long session with its files that are gone."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request of a participant, over HTTP or the event channel."""

    identity: Identity
    arrival: Millis
    """Moment at which it counts as arrived."""
    session_id: str = ""
    number: int | None = None
    """Number of the file that it is about."""
    key: str | None = None
    """Its ``Idempotency-Key``."""
    read_facts: Found | None = None
    """Facts that were read when it was let in."""
    own_open: Session | None = None
    """Session of the request, where that was read as the team's own and open."""
    schedule: Schedule | None = None
    """Schedule of its session's run, valid since then; None where it has to be read."""
    read_at: Millis = 0
    """Moment at which the facts had been read."""
    cycle: Cycle | None = None
    """Cycle as it was at most a minute before that."""
    rules: Parameters | None = None
    """Parameters of the cycle by which it was let in."""
    begun: Millis = 0
    """Moment from which the platform could work on it: its arrival, or when its body was there."""
    headers_at: Millis | None = None
    """Moment at which its headers reached the gateway; None of a request without a body that could come later."""
    body_at: Millis | None = None
    """Moment at which the platform had its whole body."""
    took: Millis = 0
    """Milliseconds that reading its facts took: the best estimate of the time of one more call."""
    leaves: bool = False
    """True if it is noted when it is done, because it was let in whatever the rate is."""
    gone: Gone = field(default_factory=dict)
    """Files that this process knew to be gone for good when it was let in; files noted here are remembered as long as
    the session is."""
    armed: Mapping[int, Millis] = field(default_factory=dict)
    """Files of its run whose release records this process has looked at, with the openings for which they were."""

    @property
    def key_sha256(self) -> str | None:
        """The hash under which the idempotency key is stored."""
        return token_hash(self.key) if self.key else None

    def key_for(self, *parts: Any) -> Key | None:
        """Return the idempotency key with the hash of the request; None without a key."""
        return Key(token_hash(self.key), sha256_hex(canonical(list(parts)))) if self.key else None


def read(platform: Platform, request: Request, moment: Millis, *, answers: bool, lists: bool = False) -> Request:
    """Read what the request needs of its session, from ``moment`` (now) on and in one call.

    Return the request with it and with the cycle as it was at most a minute ago, None before there is one. Which run,
    and which files may come next, is known by this process's memory of the session; facts that other requests need too
    are remembered. ``answers``: whether the request is an answer to the file that it names. ``lists``: whether it lists
    its team's sessions; those that this process remembers are read with their names.
    """
    remembered, cycle, run_id, last, is_believed, armed = reading.remembered_request(
        platform, request.session_id, moment
    )
    is_about_one = SESSION_ID.fullmatch(request.session_id) is not None
    number = request.number if request.number is not None and 1 <= request.number <= _LAST_NUMBER else 0
    before = reading.own_schedule(platform, remembered.session) if remembered and run_id is None else last
    numbers = (
        schedule_rules.looked_at(number, remembered, before, in_run=run_id is not None, answers=answers)
        if is_about_one
        else ()
    )
    needs = Wanted(
        team_id=request.identity.team_id,
        session_id=request.session_id if is_about_one else "",
        numbers=frozenset(numbers),
        reads_bodies=answers and is_about_one,
        key_sha256=request.key_sha256,
        run_id=run_id,
        release=number if run_id is not None and is_about_one and not answers and number not in armed else 0,
        reads_run=run_id is not None and not is_believed,
        cycle=cycle is None,
        lists=lists,
        guessed=frozenset(_own(platform, request.identity.team_id)) if lists else frozenset(),
        known_session=remembered.session if remembered and remembered.session.state is State.OPEN else None,
        known_run=last.run if last else None,
    )
    read_facts = platform.session_reads.read(needs)
    if read_facts.session is not None and remembered is None:
        remembered = RememberedSession(read_facts.session, {})
        platform.memory.put(("seen", request.session_id), remembered, _SEEN_SIZE)
    schedule = last if is_believed else None
    if read_facts.run is not None:
        schedule = reading.remember_run(platform, read_facts.run, moment, last)
    if read_facts.cycle is not None:
        reading.remember_cycle(platform, read_facts.cycle, moment)
    known_gone = {} if remembered is None else remembered.gone
    session = read_facts.session
    is_own = session is not None and session.team_id == request.identity.team_id and session.state is State.OPEN
    return replace(
        request,
        read_facts=read_facts,
        own_open=session if is_own else None,
        cycle=read_facts.cycle or cycle,
        schedule=schedule if session is not None and session.run_id == run_id else None,
        gone=known_gone,
        armed=armed,
    )


_MOST_OWN: Final = 90
"""Maximum sessions of a team that a process remembers; one call reads a hundred items."""


def remember_own(platform: Platform, team_id: str, session_ids: Iterable[str]) -> None:
    """Remember names of a team's sessions, as guesses at what its next list has; the first ones stay longest."""
    names = tuple(dict.fromkeys([*session_ids, *_own(platform, team_id)]))
    platform.memory.put(("own sessions", team_id), names[:_MOST_OWN], SMALL)


def _own(platform: Platform, team_id: str) -> tuple[str, ...]:
    return cast(tuple[str, ...], platform.memory.known(("own sessions", team_id)) or ())


_USED: Final = "used"
"""Memory key of the tokens that a process has noted as used."""
_STARTED: Final = "started"
"""Memory key of the note that a process has worked on a request."""


class Case(NamedTuple):
    """A request about a session of the asker's own, with each fact that it needs read once."""

    request: Request
    session: Session
    read_facts: Found
    """Facts that were read with the session."""
    rules: Parameters
    """The session's parameters."""
    schedule: Schedule | None
    """Schedule by which the files open; None where they are there from the start."""
    latest: Latest | None
    """The latest request about the session before this one."""


# Clause: D 12.8, platform §1 rights, platform §3 rate
def admit(
    platform: Platform, request: Request, *, spared: bool = False, body_bytes: int | None = None, lists: bool = False
) -> Request:
    """Let a request in whose identity has the right to it: its team is within the rate (D 12.8).

    It counts, and its session is heard of, in one write; the facts read for it come with it from here on. A request
    beyond the rate is refused by what was read, and does not count. Answers are ``spared`` within a file's first
    sends and refusals: nobody loses a file to the rate limit (platform §3); :func:`note_request` notes them afterwards.
    A request with a body, of ``body_bytes``, arrives no earlier than the time of such a body allows, and is
    worked on from when the body was there: the time it took is the program's own. A process's first request has waited
    for its start. ``lists``: whether it lists its team's sessions.
    """
    if request.identity.person_id:
        return _admit_person(platform, request)
    if not request.identity.team_id:
        return request
    begun = platform.clock.now()
    request = read(platform, request, begun, answers=spared, lists=lists)
    if request.cycle is None:
        raise NoCycleError
    rules = reading.parameters(platform, request.cycle.at(begun).parameters_version)
    read_at = platform.clock.now()
    read_facts, request = cast(Found, request.read_facts), _timed(platform, request, begun, rules, body_bytes)
    schedule = request.schedule if read_at // BELIEVED == begun // BELIEVED else None
    request = replace(request, schedule=schedule, read_at=read_at, rules=rules, took=read_at - begun)
    if spared and _is_spared(platform, request, read_facts):
        note_use(platform, request.identity, read_at)
        return replace(request, leaves=True)
    before, per_second = read_facts.requests, rules.requests_per_second
    second = session_rules.free_second(request.arrival, before, per_second)
    if second is None or _note(platform, request, second, read_at) > per_second:
        raise RateLimitedError(retry_after_s=1)
    note_use(platform, request.identity, read_at)
    return request


# Clause: platform §3 body
def _timed(platform: Platform, request: Request, begun: Millis, rules: Parameters, body_bytes: int | None) -> Request:
    """Return a request with the moment in which it counts as arrived, and the times of its body.

    The gateway's time of a request is that of its headers; it calls the function when it has the whole body. The first
    request that a process works on has waited for its start (platform §3).
    """
    if body_bytes is None:
        return replace(request, begun=request.arrival)
    starts = platform.memory.known(_STARTED) is None
    if starts:
        platform.memory.put(_STARTED, value=True)
    arrival = session_rules.counted_arrival(request.arrival, begun, body_bytes, rules, starts=starts)
    worked_from = arrival if starts else max(arrival, begun)
    return replace(
        request, arrival=arrival, begun=worked_from, headers_at=request.arrival, body_at=max(request.arrival, begun)
    )


# Clause: platform §1 own rate
def _admit_person(platform: Platform, request: Request) -> Request:
    """Admit a person within a rate of the person's own, separate from the rate of the team's program."""
    requests = platform.requests.of_person(request.identity.person_id, session_rules.rate_window(request.arrival))
    try:
        version = reading.recent_cycle(platform).parameters_version
        per_second = reading.parameters(platform, version).requests_per_second
    except NoCycleError:
        per_second = REQUESTS_PER_SECOND
    if requests > per_second:
        raise RateLimitedError(retry_after_s=1)
    return request


@contextmanager
def let_in(
    platform: Platform, request: Request, *, spared: bool = False, body_bytes: int | None = None, lists: bool = False
) -> Iterator[Request]:
    """Let a request in as :func:`admit` does, and note it when it is done where that has to wait."""
    admitted = admit(platform, request, spared=spared, body_bytes=body_bytes, lists=lists)
    try:
        yield admitted
    finally:
        note_request(platform, admitted)


# Clause: platform §1 last use
def note_use(platform: Platform, identity: Identity, moment: Millis) -> None:
    """Note the use of a program's token, once in a while by each process (platform §1)."""
    key = (_USED, identity.token_id, moment // USE_NOTED_EVERY)
    if platform.memory.known(key) is None:
        platform.requests.note_use(identity.team_id, identity.token_id, moment)
        platform.memory.put(key, value=True)


# Clause: platform §3 own latency
def note_request(platform: Platform, admitted: Request) -> None:
    """Note a request that is never refused after it is done: it counts for the rate, and the platform's work on it
    lasts until now."""
    if not admitted.leaves or admitted.read_facts is None:
        return
    with suppress(BusyError):  # the decision stands; the next request is noted
        second = session_rules.rate_window(admitted.arrival, admitted.read_facts.requests)
        _note(platform, admitted, second, platform.clock.now())


def _is_spared(platform: Platform, request: Request, read_facts: Found) -> bool:
    """Return whether the request is an answer to a file of the team's own that is never refused for the rate."""
    session, number = request.own_open, request.number or 0
    if session is None:
        return False
    rules = _rules_of(platform, request, session)
    return session_rules.may_exceed_rate(
        read_facts.deliveries.get(number),
        read_facts.bodies.get(number, _NO_BODIES),
        request.arrival,
        sends=rules.sends_per_file,
        refusals=rules.refusals_per_file,
    )


# Clause: platform §1 program, D 1.16, platform §1 secrets
def own_session(platform: Platform, request: Request) -> Case:
    """Return the session of a request with the facts read for it; :class:`UnknownSessionError` for anybody else's.

    It is remembered as heard of now. A session that was silent for its idle time, or whose run is over, has ended
    before this request, which finds it closed.
    """
    if request.identity.person_id:
        return _watched(platform, request)
    if request.read_facts is None:
        request = read(platform, request, platform.clock.now(), answers=False)
        request = replace(request, schedule=None, read_at=platform.clock.now())
        _note(platform, request, None, request.read_at)
    read_facts = cast(Found, request.read_facts)
    session, requests = read_facts.session, read_facts.requests
    if session is None or session.team_id != request.identity.team_id:
        raise UnknownSessionError
    rules = _rules_of(platform, request, session)
    schedule = request.schedule or reading.schedule_of(platform, session, request.read_at)
    latest = requests.latest_of(session) if requests is not None else None
    if request.own_open is not None:
        if schedule is not None and session.files != schedule.total_files:  # it has all files that its run has by now
            session = replace(session, files=schedule.total_files)
        seen_at = latest.at if latest is not None else session.opened_at
        if schedule_rules.may_be_over(schedule, rules, seen_at, request.arrival):
            session = following.by_time(platform, session, request.arrival, seen_at=seen_at)
    return Case(request, session, read_facts, rules, schedule, latest)


def _rules_of(platform: Platform, request: Request, session: Session) -> Parameters:
    """Return a session's parameters, usually those by which its request was admitted."""
    version = session.parameters_version
    if request.rules is not None and request.rules.version == version:
        return request.rules
    return reading.parameters(platform, version)


# Clause: platform §1 participant
def _watched(platform: Platform, request: Request) -> Case:
    """Return a session for a person: a member gets the own team's, a reader of all reports any team's.

    Looking is not taking part: the session is not heard of by it, and ends when its program's silence ends it.
    """
    session = reading.session(platform, request.session_id) if SESSION_ID.fullmatch(request.session_id) else None
    if session is None or not may_read(request.identity, session):
        raise UnknownSessionError
    session = following.by_time(platform, session, request.arrival)
    return Case(
        request,
        session,
        Found(Wanted(session.team_id, request.session_id)),
        reading.parameters(platform, session.parameters_version),
        reading.schedule_of(platform, session),
        latest=None,
    )


def may_read(identity: Identity, session: Session) -> bool:
    """Return whether an identity may read a session (platform §1)."""
    own = bool(identity.team_id) and session.team_id == identity.team_id
    return own or reads_all(identity)


def reads_all(identity: Identity) -> bool:
    """Return whether an identity may read every team's reports (platform §1: judges, commission, organizers)."""
    return may(identity, Right.READ_REPORTS)


def _note(platform: Platform, request: Request, second: int | None, now: Millis) -> int:
    """Note a request in its second, and with its session if that is the team's and open; return the second's count.

    The platform's work on it lasts until ``now``, and as much longer as a call takes.
    """
    read_facts = cast(Found, request.read_facts)
    team_id, own = request.identity.team_id, request.own_open
    until = request.arrival + now + request.took - (request.begun or request.arrival)
    return decide_until_written(
        read_facts.requests,
        lambda before: platform.requests.note(
            team_id, before, request.arrival, second=second, session=own, until=until
        ),
        lambda: platform.requests.of_team(team_id),
    )


# Clause: R 4.3, R 11.4, D 6.14, D 6.15, D 12.7, platform §2 client
def are_known(cycle: Cycle, client: Client | None) -> bool | None:
    """Return whether a program's modules are among the published ones (R 4.3, 11.4); None where either names none."""
    if client is None or client.sha256 is None or not cycle.known_modules:
        return None
    return client.sha256 in cycle.known_modules


# Clause: D 6.14
def refuse_unknown(platform: Platform, rules: Parameters, client: Client | None) -> None:
    """Raise :class:`UnknownModulesError` for a session that counts, where these parameters demand the published modules
    and the program does not report them. Nothing is refused while none are published.

    **Decision**: a program says its hash itself, as every client outside of the organizers' machines does; the demand
    keeps out who has forgotten to bring the modules up to date, and makes a changed one a lie on record.
    """
    cycle = reading.recent_cycle(platform)
    if rules.modules_demanded and cycle.known_modules and not are_known(cycle, client):
        raise UnknownModulesError


@dataclass(frozen=True, slots=True)
class SessionView:
    """A session with its counts, and whether its client is one of the cycle's known ones (None: cannot be said)."""

    session: Session
    counts: Counts
    client_known: bool | None
    files: tuple[FileView, ...] = ()
    schedule: Schedule | None = None
    annulled: Annulment | None = None
    """Annulment by the organizers of a session that is over; None without one."""
    greatest_share: float = 1.0
    """Share of missed files above which a solution is annulled (R 7.7)."""


def fresh(platform: Platform, session: Session, now: Millis) -> SessionView:
    """Return a session with its counts, opened just now or long ago."""
    is_new = session.is_open and session.opened_at == now
    return _counted(platform, session, following.known_at_opening(platform, session) if is_new else None, now)


def _counted(platform: Platform, session: Session, facts: Known | None, now: Millis) -> SessionView:
    schedule = reading.schedule(platform, session.run_id) if session.run_id else None
    return _view(platform, session, following.counts_of(platform, session, now, facts), schedule)


def session_status(platform: Platform, request: Request) -> SessionView:
    """Return an own session with the state of every file; it is ended first if its time is over."""
    case, arrival = own_session(platform, request), request.arrival
    session, facts = case.session, following.known_of(platform, case.session, case.schedule)
    if case.schedule is None:  # one with a schedule was ended with the request, if it may be over at all
        session = following.by_time(platform, session, arrival, seen_at=arrival, facts=facts)
        facts = facts if session is case.session else following.known_of(platform, session)
    return _detailed(platform, session, facts, arrival, case.request.cycle)


# Clause: platform §3 list
def list_sessions(
    platform: Platform, request: Request, mode: str | None, limit: int, before: Millis | None
) -> tuple[SessionView, ...]:
    """List the team's sessions, newest first; ``before`` is the opening of the last one on the page before."""
    if not request.identity.team_id:
        raise NoTeamError
    team_id = request.identity.team_id
    views = sessions_of(platform, team_id, mode, limit, before, request.arrival, request.read_facts)
    remember_own(platform, team_id, (view.session.session_id for view in views))
    return views


_READ_TOGETHER: Final = 100
"""Sessions of which one batch reads the states."""


def sessions_of(
    platform: Platform,
    team_id: str,
    mode: str | None,
    limit: int,
    before: Millis | None,
    now: Millis,
    read_facts: Found | None = None,
) -> tuple[SessionView, ...]:
    """List the sessions of any team, as :func:`list_sessions`; none for an unknown team.

    The sessions of a mode are looked for among all of the team. ``read_facts``: the facts that a request of the team's
    program has read when it was let in.
    """
    requests = None if read_facts is None else read_facts.requests
    most, guessed = limit if mode is None else sys.maxsize, dict[str, Session]()
    if read_facts is None or not read_facts.needs.lists:
        names = platform.sessions.of_team(team_id, most, before)
    else:
        names, guessed = newest_names(read_facts.opened, most, before), dict(read_facts.guessed)
    chosen: list[Session] = []
    for first in range(0, len(names), _READ_TOGETHER):
        stored = reading.sessions(platform, names[first : first + _READ_TOGETHER], guessed)
        chosen += [session for session in stored.values() if mode in {None, session.order.mode}]
        if len(chosen) > limit and chosen[-1].opened_at < chosen[limit - 1].opened_at:
            break
    last = chosen[:limit][-1].opened_at if chosen else 0
    return tuple(_listed(platform, session, requests, now) for session in chosen if session.opened_at >= last)


def _listed(platform: Platform, session: Session, requests: TeamRequests | None, now: Millis) -> SessionView:
    """Return a session with its counts; it is ended first if its time is over."""
    if not session.is_open:
        return _counted(platform, session, None, now)
    seen_at = None if requests is None else requests.seen_at(session) or session.opened_at
    facts = following.known_of(platform, session)
    latest = following.by_time(platform, session, now, seen_at, facts=facts)
    return _counted(platform, latest, facts if latest is session else None, now)


# Clause: R 4.5, platform §3 abort, platform §3 final states
def abort(platform: Platform, request: Request, *, confirmed: bool = False) -> SessionView:
    """End an own session at its team's wish (platform §3). Aborting an aborted one is the same; the quota stays used.

    In a final that ends the participation (R 4.5) and has to be ``confirmed``. A session that ended otherwise keeps
    its state, which is final, and the caller is told so.
    """
    before = own_session(platform, request).session
    if before.is_open and before.order.mode == Mode.FINAL and not confirmed:
        raise ConfirmationNeededError
    session = following.end_session(platform, before, State.ABORTED, request.arrival)
    if session.state is not State.ABORTED:
        raise SessionClosedError.in_state(session.state.value)
    return _detailed(platform, session, following.known_of(platform, session), request.arrival, None)


def session_receipts(platform: Platform, request: Request, limit: int, after: str | None) -> Page[Receipt]:
    """List receipts of an own session by file and send."""
    session = own_session(platform, request).session
    return platform.deliveries.receipts(session.session_id, limit, after)


def _detailed(platform: Platform, session: Session, facts: Known, now: Millis, cycle: Cycle | None) -> SessionView:
    files = following.files_of(platform, session, facts, now)
    policies = reading.track_of(platform, session).policies(session.order.mode)
    schedule = facts.circumstances.schedule if session.run_id else None
    view = _view(platform, session, fate.count_states(files), schedule, cycle)
    return replace(view, files=files, greatest_share=policies.max_voided_share)


def _view(
    platform: Platform, session: Session, counts: Counts, schedule: Schedule | None, cycle: Cycle | None = None
) -> SessionView:
    """Return a session with its counts; ``cycle`` where the caller has read it."""
    annulled = None
    if session.state is not State.OPEN:
        annulled = following.annulment_of(platform, session, reading.annulments(platform, session.cycle))
    return SessionView(
        session=session,
        counts=counts,
        client_known=are_known(cycle or reading.recent_written_cycle(platform), session.order.client),
        schedule=schedule,
        annulled=annulled,
    )


MAX_LOG: Final = 1024 * 1024
KEPT: Final = 20
"""Maximum stored logs of a session, the latest ones."""


# Clause: platform §3 log
def store_log(platform: Platform, request: Request, body: bytes) -> str:
    """Store a log, open session or not, and return its SHA-256. The same log again is stored once more, harmlessly."""
    if len(body) > MAX_LOG:
        raise AnswerTooLargeError.over(len(body), MAX_LOG)
    session = own_session(platform, request).session
    digest, folder = sha256_hex(body), stored_names.log_folder(session.session_id)
    platform.blobs.put(f"{folder}{request.arrival:013d}-{digest[:16]}", body)
    for name in platform.blobs.names(folder)[:-KEPT]:
        platform.blobs.delete(name)
    return digest
