"""Open a session: of files of one's choice (R 6.4), or in a scheduled run (R 6.6, 7.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Final

from contest.domain.cycle import sampling
from contest.domain.cycle.cycle import ALL_LANGUAGES, MAX_FILES, Cycle, EssaySet, Item, Mode, Parameters, SetKind
from contest.domain.session import limits
from contest.domain.session.requests import Key
from contest.domain.session.session import OpeningWish, Order, Plan, PlannedFile, Session
from contest.errors import InvalidRequestError, QuotaExhaustedError
from contest.services import files_of_items, grounds, reading
from contest.services.platform import Platform
from contest.services.session import modules
from contest.services.session.idempotency import opened_once, refuse_second
from contest.services.session.joining import join_run
from contest.services.session.request import Request
from tracks.protocol import mode_named
from tracks.rules import ModeRules

_CHOICES: Final = ("set_name", "files", "language", "time_limit_s", "choices")
"""What only an algorithmic session lets a program choose."""
_WIRE: Final[Mapping[str, str]] = {"set_name": "set", "run_id": "run"}


def open_wished(platform: Platform, request: Request, wish: OpeningWish) -> Session:
    """Open a session of any mode, or find the one that this ``Idempotency-Key`` has opened before.

    What a mode does not take is refused by name, all at once. In the algorithmic one quota, session, plan, lock and
    key are one transaction: of two openings in the same instant one wins and the other is told of it; no opening is
    counted without a session.

    Clause: R 4.4, R 6.3, TS T6
    """
    rules = _mode(platform, wish)
    scheduled = rules.in_run
    refused = _CHOICES if scheduled else ("run_id",)
    faults = [_refused(_WIRE.get(each, each), wish.mode) for each in refused if getattr(wish, each) is not None]
    if not scheduled:
        faults += _unknown_choices(wish, rules)
    if not scheduled and wish.set_name is None:
        faults.append(_fault("missing", "body.set", "say which set", "укажите выборку"))
    if faults:
        raise InvalidRequestError(faults)
    if scheduled:
        return join_run(platform, request, Mode(wish.mode), wish.run_id, wish.client)
    return opened_once(platform, request, asdict(wish), lambda key: _open(platform, request, wish, key))


def _mode(platform: Platform, wish: OpeningWish) -> ModeRules:
    """The contest's kind of session that is asked for; refused where it has none of this name."""
    track = platform.tracks(reading.recent_cycle(platform).track)
    found = mode_named(track, wish.mode)
    if found is None:
        names = ", ".join(each.name for each in track.modes() if not each.submitted)
        en, ru = f"this contest has sessions of the modes: {names}", f"в этом конкурсе есть режимы сессий: {names}"
        raise InvalidRequestError([_fault("unknown_mode", "body.mode", en, ru)])
    return found


def _unknown_choices(wish: OpeningWish, rules: ModeRules) -> Iterator[dict[str, str]]:
    """What this contest's sessions of the mode do not let a program choose, and numbers beyond what they have."""
    said = {"files": wish.files, **{f"choices.{name}": value for name, value in (wish.choices or {}).items()}}
    taken = f"choices.{rules.counts}" if rules.draws_groups else rules.counts
    for name, value in said.items():
        if value is not None and name != taken:
            yield _refused(name, wish.mode)
        elif value is not None and not 1 <= value <= rules.most:
            allowed = f"1–{rules.most}"
            yield _fault("out_of_range", f"body.{name}", f"allowed: {allowed}", f"допустимо: {allowed}")


def _order(wish: OpeningWish, rules: Parameters, mode: ModeRules) -> Order:
    """What the program says, and what holds where it says nothing."""
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
        "not_in_this_mode",
        f"body.{name}",
        f"{name} cannot be chosen in the mode {mode}",
        f"{name} нельзя указать в режиме {mode}",
    )


def _open(platform: Platform, request: Request, wish: OpeningWish, key: Key | None) -> Session:
    """Try to open; :class:`LostRaceError` when something changed between the looks and the transaction.

    Clause: R 6.4, R 6.3, D 7.13
    """
    team_id, arrival = request.identity.team_id, request.arrival
    cycle = reading.cycle_now(platform)
    mode = _over_the_set(platform, cycle, wish)
    rules = _rules_of(platform, cycle, mode, wish.set_name or "")
    order = _order(wish, rules, mode)
    chosen = _chosen_set(cycle, rules, order, mode)
    grounds.refuse_annulled(platform, cycle.name, chosen.name)
    grounds.refuse_outside_qualification(cycle, chosen.kind, arrival)
    if chosen.kind is SetKind.TEST:
        modules.refuse_unknown(platform, rules, order.client)
    refuse_second(platform, team_id, order.mode, arrival)
    day = limits.quota_day(arrival, cycle.time_zone)
    quota = limits.quota_of(order.mode, chosen.kind, rules)
    if platform.sessions.opened_on(team_id, quota.name, day) >= quota.most:
        resets_at = limits.quota_resets_at(arrival, cycle.time_zone)
        raise QuotaExhaustedError.until(resets_at, arrival, quota.most)
    session, plan = _drawn(platform, request, cycle, chosen, order, mode, wish.groups)
    platform.sessions.open(session, plan, key, quota)
    return session


def _over_the_set(platform: Platform, cycle: Cycle, wish: OpeningWish) -> ModeRules:
    """The kind of session over the set that is asked for, whose items may allow fewer; what it does not let choose is
    refused.

    Clause: TS T6
    """
    mode, chosen = _mode(platform, wish), cycle.set_named(wish.set_name or "")
    if chosen is None:
        return mode
    found = mode.over(files_of_items.first_step(platform, cycle, chosen))
    if faults := [*_unknown_choices(wish, found)]:
        raise InvalidRequestError(faults)
    return found


def _rules_of(platform: Platform, cycle: Cycle, mode: ModeRules, set_name: str) -> Parameters:
    """The cycle's parameters; the times for an answer that it says are those of algorithmic sessions, of any other kind
    they are the contest's. A step with a limit of its own has that, in every kind.

    Clause: TS T6
    """
    rules = reading.parameters(platform, cycle.parameters_version)
    chosen = cycle.set_named(set_name)
    limit = files_of_items.files_of(platform, cycle, chosen).limit_s if chosen is not None else None
    if limit is not None:
        return replace(rules, time_limit_s=(limit, limit, limit))
    if mode.name == Mode.ALGORITHMIC:
        return rules
    return replace(rules, time_limit_s=platform.tracks(cycle.track).policies(mode.name).answer_limit_s)


def _chosen_set(cycle: Cycle, rules: Parameters, order: Order, mode: ModeRules) -> EssaySet:
    """The set of an order, or everything that is wrong with the order in this cycle.

    Clause: R 6.4, platform §3 algorithmic, platform §3 sets, D 7.6, TS T6
    """
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
    if chosen is not None and mode.sets and chosen.kind.value not in mode.sets:
        names = ", ".join(each.name for each in cycle.open_sets if each.kind.value in mode.sets)
        en = f"sessions of the mode {mode.name} draw from: {names or '—'}"
        faults.append(_fault("set_not_of_mode", "set", en, f"сессии режима {mode.name} — из выборок: {names or '—'}"))
    if faults or chosen is None:
        raise InvalidRequestError(faults)
    return chosen


def _fault(code: str, field: str, en: str, ru: str) -> dict[str, str]:
    return {"code": code, "message": en, "message_ru": ru, "field": field}


def _drawn(
    platform: Platform,
    request: Request,
    cycle: Cycle,
    chosen: EssaySet,
    order: Order,
    mode: ModeRules,
    named: Sequence[str] | None,
) -> tuple[Session, Plan]:
    """Clause: R 5.8, R 4.7, D 14.2, platform §3 algorithmic, TS T7"""
    session_id = platform.randomness.session_id()
    manifest = reading.manifest(platform, cycle.name, chosen.manifest)
    possible = sampling.eligible(manifest.items, order.language)
    if order.choices:
        (groups,) = order.choices.values()
        among = possible if named is None else sampling.of_groups(possible, named)
        drawn = sampling.choose_groups(among, session_id, groups, mode.per_group)
        order = replace(order, files=len(drawn))
    else:
        drawn = sampling.choose(possible, session_id, order.files)
    steps = files_of_items.files_of(platform, cycle, chosen).steps
    if len(steps) > 1:
        order = replace(order, interval_s=order.time_limit_s)
    plan = tuple(file for item in drawn for file in _files(platform, item, steps))
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
        quota_day=limits.quota_day(request.arrival, cycle.time_zone),
    )
    return session, plan


def _files(platform: Platform, item: Item, steps: Sequence[str]) -> Iterator[PlannedFile]:
    """The files of an item, one for each of its publications, all under one opaque name.

    Clause: TS T2, TS D-0
    """
    file_id = platform.randomness.file_id()
    for step in steps:
        yield PlannedFile(file_id, item.item_id, item.language, item.group, step=step)
