"""Open an algorithmic session (R 6.4)."""

from __future__ import annotations

from contest.domain import limits, sampling
from contest.domain.cycle import ALL_LANGUAGES, Cycle, EssaySet, Parameters
from contest.domain.moments import Millis
from contest.domain.people import token_hash
from contest.domain.rights import Identity
from contest.domain.session import Order, Plan, PlannedFile, Session
from contest.errors import BusyError, InvalidRequestError, QuotaExhaustedError, SessionAlreadyOpenError
from contest.ports import LostRaceError
from contest.services import closing, knowledge
from contest.services.platform import ATTEMPTS, Platform


def open_session(
    platform: Platform, identity: Identity, order: Order, retry_key: str | None, arrival: Millis
) -> Session:
    """Open a session, or find the one that this ``Idempotency-Key`` has opened before.

    Quota, session, plan, lock and key are one transaction: of two openings in the same instant one wins and the
    other is told of it; no opening is counted without a session.
    """
    key = token_hash(retry_key) if retry_key else None
    for _ in range(ATTEMPTS):
        known = _opened_with(platform, identity.team_id, key)
        if known is not None:
            return known
        try:
            return _open(platform, identity.team_id, order, key, arrival)
        except LostRaceError:
            continue
        except (SessionAlreadyOpenError, QuotaExhaustedError):
            # What stands in the way may be the session that this very request, sent twice, has just opened.
            known = _opened_with(platform, identity.team_id, key)
            if known is None:
                raise
            return known
    raise BusyError


def _opened_with(platform: Platform, team_id: str, key: str | None) -> Session | None:
    known = platform.sessions.opened_with(team_id, key) if key else None
    return platform.sessions.get(known) if known is not None else None


def _open(platform: Platform, team_id: str, order: Order, key: str | None, arrival: Millis) -> Session:
    """Try to open; :class:`LostRaceError` when something changed between the looks and the transaction."""
    cycle = knowledge.cycle_now(platform)
    rules = knowledge.parameters(platform, cycle.parameters_version)
    chosen = _chosen_set(cycle, rules, order)
    _refuse_second(platform, team_id, order.mode, arrival)
    day = limits.quota_day(arrival, cycle.time_zone)
    if platform.sessions.opened_on(team_id, order.mode, day) >= rules.sessions_per_day:
        resets_at = limits.quota_resets_at(arrival, cycle.time_zone)
        raise QuotaExhaustedError.until(resets_at, arrival, rules.sessions_per_day)
    session, plan = _drawn(platform, team_id, cycle, chosen, order, arrival)
    platform.sessions.open(session, plan, key, rules.sessions_per_day)
    return session


def _chosen_set(cycle: Cycle, rules: Parameters, order: Order) -> EssaySet:
    """The set of an order, or everything that is wrong with the order in this cycle."""
    chosen = next((each for each in cycle.open_sets if each.name == order.set_name), None)
    faults = []
    if chosen is None:
        names = ", ".join(each.name for each in cycle.open_sets)
        faults.append(
            _fault("unknown_set", "set", f"the cycle has the sets: {names}", f"в цикле есть выборки: {names}")
        )
    elif order.language != ALL_LANGUAGES and not chosen.sizes.get(order.language):
        names = ", ".join([ALL_LANGUAGES, *chosen.sizes])
        faults.append(_fault("unknown_language", "language", f"the set has: {names}", f"в выборке есть: {names}"))
    shortest, longest, _ = rules.time_limit_s
    if not shortest <= order.time_limit_s <= longest:
        said = f"{shortest}–{longest}"
        faults.append(_fault("out_of_range", "time_limit_s", f"allowed: {said} s", f"допустимо: {said} с"))
    if faults or chosen is None:
        raise InvalidRequestError(faults)
    return chosen


def _fault(code: str, field: str, en: str, ru: str) -> dict[str, str]:
    return {"code": code, "message": en, "message_ru": ru, "field": field}


def _refuse_second(platform: Platform, team_id: str, mode: str, now: Millis) -> None:
    """One open session per team and mode (platform §1). One whose time is over is not in the way."""
    first = platform.sessions.open_of(team_id, mode)
    session = platform.sessions.get(first) if first else None
    if session is not None and closing.by_time(platform, session, now).is_open:
        raise SessionAlreadyOpenError.named(session.session_id)


def _drawn(
    platform: Platform, team_id: str, cycle: Cycle, chosen: EssaySet, order: Order, now: Millis
) -> tuple[Session, Plan]:
    session_id = platform.randomness.session_id()
    manifest = knowledge.manifest(platform, cycle.name, chosen.manifest)
    possible = sampling.eligible(manifest.items, order.language)
    plan = tuple(
        PlannedFile(platform.randomness.file_id(), item.item_id, item.language, item.group)
        for item in sampling.choose(possible, session_id, order.files)
    )
    session = Session(
        session_id=session_id,
        team_id=team_id,
        cycle=cycle.name,
        track=cycle.track,
        order=order,
        set_kind=chosen.kind,
        manifest=chosen.manifest,
        files=len(plan),
        available=len(possible),
        parameters_version=cycle.parameters_version,
        opened_at=now,
        quota_day=limits.quota_day(now, cycle.time_zone),
    )
    return session, plan
