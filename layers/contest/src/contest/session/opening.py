"""Opening of a session, or joining of a scheduled run, exactly once.

A program opens a session over files of its choice (R 6.4), or takes part in a scheduled run (R 6.6, 7.4, 4.5). A retry
returns the session that the first attempt opened. A team has one open session of a mode.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Final

from contest import reading
from contest.cycle.rules import sets
from contest.cycle.rules.cycle import ALL_LANGUAGES, MAX_FILES, Cycle, EssaySet, Mode, Parameters, SetKind
from contest.errors import (
    AlreadyParticipatedError,
    InvalidRequestError,
    KeyReusedError,
    NoRunError,
    NotAdmittedError,
    QuotaExhaustedError,
    RunNotJoinableError,
    SessionAlreadyOpenError,
    UnknownRunError,
)
from contest.people import teams
from contest.platform import Platform, read_and_decide
from contest.ports import Held
from contest.refusals import ContestError
from contest.run.rules import run as run_rules
from contest.run.rules.run import Run
from contest.run.rules.schedule import Schedule
from contest.session import access, following
from contest.session.access import Request
from contest.session.rules import session as session_rules
from contest.session.rules.session import Client, Key, OpeningWish, Order, Plan, PlannedFile, Session, Used
from contest.texts import tr
from contest.values import SECOND, Millis
from markup_core.texts import Text
from tracks.protocol import mode_named
from tracks.rules import ModeRules


# Clause: platform §1 one session
def opened_once(
    platform: Platform, request: Request, wished: Mapping[str, Any], attempt: Callable[[Key | None], Session]
) -> Session:
    """Return the session that an attempt opens, or the one opened before by a request with this ``Idempotency-Key``.

    The attempt looks, decides, and writes under the request's key; :class:`LostRaceError` when something changed in
    between. :class:`KeyReusedError` where the key was used for another request than the ``wished`` one.
    """
    key = request.key_for("open", wished)

    def opened(stored: Session | None) -> Session:
        if stored is not None:
            return stored
        try:
            session = attempt(key)
        except ContestError:
            # What stands in the way may be the session that this very request, sent twice, has just opened.
            twin = _opened_with(platform, request, key)
            if twin is None:
                raise
            return twin
        access.remember_own(platform, session.team_id, [session.session_id])
        return session

    return read_and_decide(lambda: _opened_with(platform, request, key), opened)


def require_same(used: Used, key: Key) -> None:
    """Raise :class:`KeyReusedError` where a key was used for another request."""
    if used.asked_sha256 != key.asked_sha256:
        raise KeyReusedError


# Clause: platform §1 one session
def refuse_second(platform: Platform, team_id: str, mode: str, now: Millis) -> None:
    """Refuse a second open session of a team in a mode (platform §1). A session whose time is over does not count."""
    _refuse_open(platform, platform.sessions.open_of(team_id, mode), now)


def _refuse_open(platform: Platform, session_id: str | None, now: Millis) -> None:
    session = reading.session(platform, session_id) if session_id else None
    if session is not None and following.by_time(platform, session, now).is_open:
        raise SessionAlreadyOpenError.named(session.session_id)


def _opened_with(platform: Platform, request: Request, key: Key | None) -> Session | None:
    used = platform.sessions.used(request.identity.team_id, key.key_sha256) if key else None
    if used is None or key is None:
        return None
    require_same(used, key)
    return reading.session(platform, used.session_id)


_LATEST = 10
"""Number of the latest runs of a mode among which the one to join is looked for."""


# Clause: R 4.4, R 6.3
def join_run(platform: Platform, request: Request, mode: Mode, run_id: str | None, client: Client | None) -> Session:
    """Open a session in a run; without a name, in the next one of the mode that the team may join.

    Joinable from the run's creation until its joining time after the start is over (R-App2), and later where its rules
    or the organizers let the team in. In a final a team has one
    session, whatever becomes of it; in a technical run one at a time.
    """
    team_id, arrival = request.identity.team_id, request.arrival

    def attempt(key: Key | None) -> Session:
        facts = platform.session_reads.held(team_id, reading.recent_cycle(platform).name, mode.value, run_id)
        _refuse_open(platform, facts.open_session, arrival)
        chosen = _chosen(platform, team_id, mode, facts, arrival) if run_id is None else _named(platform, mode, run_id)
        if run_id is not None:
            _refuse(team_id, chosen, facts, arrival)
        following.refuse_annulled(platform, chosen.run.cycle, chosen.run.set_name)
        access.refuse_unknown(platform, reading.parameters(platform, chosen.run.parameters_version), client)
        session = _session(platform, team_id, chosen, client, arrival)
        platform.sessions.join(session, key)
        return session

    wished = {"mode": mode.value, "run_id": run_id, "client": asdict(client) if client else None}
    return opened_once(platform, request, wished, attempt)


def _named(platform: Platform, mode: Mode, run_id: str) -> Schedule:
    """Return the named run of a mode."""
    try:
        named = reading.schedule(platform, run_id)
    except UnknownRunError:
        raise NoRunError from None
    if named.run.mode is not mode:
        raise NoRunError
    return named


def _chosen(platform: Platform, team_id: str, mode: Mode, facts: Held, now: Millis) -> Schedule:
    """Return the run to join, of several the one that starts first; refuse where there is none, with the reason."""
    latest = (reading.schedule(platform, run_id) for run_id in platform.runs.of_mode(mode, _LATEST))
    joinable = sorted(
        (schedule for schedule in latest if schedule.may_join(team_id, now)),
        key=lambda schedule: (schedule.run.starts_at, schedule.run.run_id),
    )
    if not joinable:
        # When the timer's next run will start is known; a final is known only when it is planned.
        version = reading.recent_cycle(platform).parameters_version
        times = reading.parameters(platform, version).technical_times
        is_known = mode is Mode.TECHNICAL and times.enabled
        raise NoRunError.until(run_rules.next_start(times, now) if is_known else None)
    for schedule in joinable:
        if _is_admitted(team_id, schedule.run, facts) and not _participation(platform, team_id, schedule.run):
            return schedule
    facts = facts._replace(participation=_participation(platform, team_id, joinable[0].run))
    _refuse(team_id, joinable[0], facts, now)
    raise NoRunError


# Clause: R 7.4, R 4.5, TS D-3, platform §1 policies
def _refuse(team_id: str, schedule: Schedule, facts: Held, now: Millis) -> None:
    run = schedule.run
    if not _is_admitted(team_id, run, facts):
        raise NotAdmittedError
    if facts.participation is not None and run.mode is Mode.FINAL:
        raise AlreadyParticipatedError.named(facts.participation)
    if not schedule.may_join(team_id, now):
        join_until = schedule.join_until_of(team_id, now)
        raise RunNotJoinableError.since(min(join_until, schedule.stopped_at or join_until))


# Clause: R 7.2, R 8.2.3, platform §3 admission
def _is_admitted(team_id: str, run: Run, facts: Held) -> bool:
    """Return whether a run takes a team; a final that names none takes only teams that the organizers have admitted."""
    if run.takes_admitted:
        return facts.admission is not None and facts.admission.admitted
    return run.admitted is None or team_id in run.admitted


# Clause: R 4.5
def _participation(platform: Platform, team_id: str, run: Run) -> str | None:
    return platform.sessions.participation(team_id, run.run_id) if run.mode is Mode.FINAL else None


def _session(platform: Platform, team_id: str, schedule: Schedule, client: Client | None, now: Millis) -> Session:
    cycle = reading.recent_cycle(platform)
    run, files = schedule.run, schedule.total_files
    return Session(
        session_id=platform.randomness.session_id(),
        team_id=team_id,
        cycle=run.cycle,
        track=run.track,
        order=Order(run.mode.value, run.set_name, files, run.language, run.limits.answer // SECOND, client),
        set_kind=run.set_kind,
        manifest=run.manifest,
        files=files,
        available=files,
        parameters_version=run.parameters_version,
        opened_at=now,
        quota_day=session_rules.quota_day(now, cycle.time_zone),
        run_id=run.run_id,
    )


_CHOICES: Final = ("set_name", "files", "language", "time_limit_s", "choices")
"""Fields that only an algorithmic session lets a program choose."""
_WIRE: Final[Mapping[str, str]] = {"set_name": "set", "run_id": "run"}


# Clause: R 4.4, R 6.3, TS T6
def open_wished(platform: Platform, request: Request, wish: OpeningWish) -> Session:
    """Open a session of any mode, or return the one that this ``Idempotency-Key`` opened before.

    Fields foreign to a mode are refused by name, all at once. In the algorithmic one quota, session, plan, lock and
    key are one transaction: of two openings in the same instant one wins and the other is told of it; no opening is
    counted without a session.
    """
    teams.refuse_unselected(platform, request.identity.team_id)
    rules = _mode(platform, wish)
    scheduled = rules.in_run
    refused = _CHOICES if scheduled else ("run_id",)
    faults = [_refused(_WIRE.get(field, field), wish.mode) for field in refused if getattr(wish, field) is not None]
    if not scheduled:
        faults += _unknown_choices(wish, rules)
    if not scheduled and wish.set_name is None:
        faults.append(_fault("missing", "body.set", tr("say which set")))
    if faults:
        raise InvalidRequestError(faults)
    if scheduled:
        return join_run(platform, request, Mode(wish.mode), wish.run_id, wish.client)
    return opened_once(platform, request, asdict(wish), lambda key: _open(platform, request, wish, key))


def _mode(platform: Platform, wish: OpeningWish) -> ModeRules:
    """Return the requested mode of the contest; refuse an unknown name."""
    track = reading.track_of(platform, reading.recent_cycle(platform))
    mode = mode_named(track, wish.mode)
    if mode is None:
        names = ", ".join(kind.name for kind in track.modes() if not kind.submitted)
        message = (
            tr("this contest has sessions of the modes: {names}", names=names)
            if names
            else tr("this contest has no sessions: answers are submitted whole (pku submit FILE, POST /v1/submissions)")
        )
        raise InvalidRequestError([_fault("unknown_mode", "body.mode", message)])
    return mode


def _unknown_choices(wish: OpeningWish, rules: ModeRules) -> Iterator[dict[str, str]]:
    """List choices that the contest's sessions of the mode do not offer, and numbers beyond their limits."""
    chosen = {"files": wish.files, **{f"choices.{name}": value for name, value in (wish.choices or {}).items()}}
    accepted = f"choices.{rules.counts}" if rules.draws_groups else rules.counts
    for name, value in chosen.items():
        if value is not None and name != accepted:
            yield _refused(name, wish.mode)
        elif value is not None and not 1 <= value <= rules.most:
            allowed = f"1–{rules.most}"
            yield _fault("out_of_range", f"body.{name}", tr("allowed: {allowed}", allowed=allowed))


def _order(wish: OpeningWish, rules: Parameters, mode: ModeRules) -> Order:
    """Return the program's order, completed by the defaults."""
    _, _, usual_limit_s = rules.time_limit_s
    usual = mode.most if mode.usual is None else mode.usual
    groups = {mode.counts: (wish.choices or {}).get(mode.counts, usual)} if mode.draws_groups else {}
    return Order(
        mode=wish.mode,
        set_name=wish.set_name or "",
        files=wish.files if wish.files is not None else MAX_FILES if mode.draws_groups else usual,
        language=wish.language if wish.language is not None else ALL_LANGUAGES,
        time_limit_s=wish.time_limit_s if wish.time_limit_s is not None else usual_limit_s,
        client=wish.client,
        choices=groups,
    )


def _refused(name: str, mode: str) -> dict[str, str]:
    return _fault(
        "not_in_this_mode", f"body.{name}", tr("{name} cannot be chosen in the mode {mode}", name=name, mode=mode)
    )


# Clause: R 6.4, R 6.3, D 7.13
def _open(platform: Platform, request: Request, wish: OpeningWish, key: Key | None) -> Session:
    """Try to open; :class:`LostRaceError` when something changed between the looks and the transaction."""
    team_id, arrival = request.identity.team_id, request.arrival
    cycle = reading.cycle_now(platform)
    mode = _over_the_set(platform, cycle, wish)
    rules = _rules_of(platform, cycle, mode, wish.set_name or "")
    order = _order(wish, rules, mode)
    chosen = _chosen_set(cycle, rules, order, mode)
    following.refuse_annulled(platform, cycle.name, chosen.name)
    following.refuse_outside_qualification(cycle, chosen.kind, arrival)
    if chosen.kind is SetKind.TEST:
        access.refuse_unknown(platform, rules, order.client)
    refuse_second(platform, team_id, order.mode, arrival)
    day = session_rules.quota_day(arrival, cycle.time_zone)
    quota = session_rules.quota_of(order.mode, chosen.kind, rules)
    if platform.sessions.opened_on(team_id, quota.name, day) >= quota.most:
        resets_at = session_rules.quota_resets_at(arrival, cycle.time_zone)
        raise QuotaExhaustedError.until(resets_at, arrival, quota.most)
    session, plan = _drawn(platform, request, cycle, chosen, order, mode, wish.groups)
    platform.sessions.open(session, plan, key, quota)
    return session


# Clause: TS T6
def _over_the_set(platform: Platform, cycle: Cycle, wish: OpeningWish) -> ModeRules:
    """Return the mode over the requested set, whose items may allow fewer files; refuse choices that the set does not
    offer."""
    mode, chosen = _mode(platform, wish), cycle.set_named(wish.set_name or "")
    if chosen is None:
        return mode
    over_set = mode.over(reading.first_step(platform, cycle, chosen))
    if faults := [*_unknown_choices(wish, over_set)]:
        raise InvalidRequestError(faults)
    return over_set


# Clause: TS T6
def _rules_of(platform: Platform, cycle: Cycle, mode: ModeRules, set_name: str) -> Parameters:
    """Return the cycle's parameters for a mode: their times for an answer are those of algorithmic sessions, of any
    other kind the contest's. A step with a limit of its own has that, in every kind."""
    rules = reading.parameters(platform, cycle.parameters_version)
    chosen = cycle.set_named(set_name)
    limit = reading.files_of(platform, cycle, chosen).limit_s if chosen is not None else None
    if limit is not None:
        return replace(rules, time_limit_s=(limit, limit, limit))
    if mode.name == Mode.ALGORITHMIC:
        return rules
    return replace(rules, time_limit_s=reading.track_of(platform, cycle).policies(mode.name).answer_limit_s)


# Clause: R 6.4, platform §3 algorithmic, platform §3 sets, D 7.6, TS T6
def _chosen_set(cycle: Cycle, rules: Parameters, order: Order, mode: ModeRules) -> EssaySet:
    """Return the set of an order; refuse with all faults of the order in this cycle."""
    chosen = next((essay_set for essay_set in cycle.open_sets if essay_set.name == order.set_name), None)
    faults = []
    if chosen is None:
        names = ", ".join(essay_set.name for essay_set in cycle.open_sets)
        faults.append(_fault("unknown_set", "set", tr("the cycle has the sets: {names}", names=names)))
    elif order.language != ALL_LANGUAGES and not chosen.sizes.get(order.language):
        names = ", ".join([ALL_LANGUAGES, *chosen.sizes])
        faults.append(_fault("unknown_language", "language", tr("the set has: {names}", names=names)))
    shortest, longest, _ = rules.time_limit_s
    if not shortest <= order.time_limit_s <= longest:
        bounds = f"{shortest}–{longest}"
        faults.append(_fault("out_of_range", "time_limit_s", tr("allowed: {bounds} s", bounds=bounds)))
    if chosen is not None and mode.sets and chosen.kind.value not in mode.sets:
        names = ", ".join(essay_set.name for essay_set in cycle.open_sets if essay_set.kind.value in mode.sets)
        en = tr("sessions of the mode {name} draw from: {value}", name=mode.name, value=names or "—")
        faults.append(_fault("set_not_of_mode", "set", en))
    if faults or chosen is None:
        raise InvalidRequestError(faults)
    return chosen


def _fault(code: str, field: str, message: Text) -> dict[str, str]:
    return {"code": code, **message.as_fields(), "field": field}


# Clause: R 5.8, R 4.7, D 14.2, platform §3 algorithmic, TS T2, TS T7, TS D-0
def _drawn(
    platform: Platform,
    request: Request,
    cycle: Cycle,
    chosen: EssaySet,
    order: Order,
    mode: ModeRules,
    named: Sequence[str] | None,
) -> tuple[Session, Plan]:
    session_id = platform.randomness.session_id()
    manifest = reading.manifest(platform, cycle.name, chosen.manifest)
    possible = sets.eligible_items(manifest.items, order.language)
    if order.choices:
        (groups,) = order.choices.values()
        among = possible if named is None else sets.of_groups(possible, named)
        drawn = sets.choose_groups(among, session_id, groups, mode.per_group)
        order = replace(order, files=len(drawn))
    else:
        drawn = sets.choose_items(possible, session_id, order.files)
    steps = reading.files_of(platform, cycle, chosen).steps
    if len(steps) > 1:
        order = replace(order, interval_s=order.time_limit_s)
    plan = tuple(  # the files of an item, one for each of its publications, are all under one opaque name
        PlannedFile(file_id, item.item_id, item.language, item.group, step=step)
        for item, file_id in [(item, platform.randomness.file_id()) for item in drawn]
        for step in steps
    )
    session = Session(
        session_id=session_id,
        team_id=request.identity.team_id,
        cycle=cycle.name,
        track=cycle.track,
        order=order,
        set_kind=chosen.kind,
        manifest=chosen.manifest,
        files=len(plan),
        available=len(possible),
        parameters_version=cycle.parameters_version,
        opened_at=request.arrival,
        quota_day=session_rules.quota_day(request.arrival, cycle.time_zone),
    )
    return session, plan
