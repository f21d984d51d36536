"""What protocols of judges and commission a run has, and which its contest waits for (R 8.3, D 11)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from contest.domain.cycle.cycle import Cycle
from contest.domain.moments import iso
from contest.domain.results import run_report
from contest.domain.run.protocols import Matter, ProtocolStanding, standing
from contest.domain.run.run import Run
from contest.services import reading
from contest.services.platform import Platform
from tracks.protocol import Reason, Text
from tracks.rules import Signatory

SIDES: Final[Mapping[Signatory, Text]] = MappingProxyType(
    {
        Signatory.JUDGES: Text("the judges", "Судейская коллегия"),
        Signatory.COMMISSION: Text("the technical commission", "Техническая комиссия"),
    }
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A side whose protocol the contest asks for, by which clause (empty: by its cycle alone), whether results wait for
    it, and what it has said of them as they are now."""

    by: Signatory
    clause: str
    demanded: bool
    standing: ProtocolStanding


def demanded(platform: Platform, cycle: Cycle, run: Run) -> tuple[Signatory, ...]:
    """Whose protocols publication waits for: the cycle's word, else the contest's.

    Clause: D 6.10, D 8.14
    """
    own = cycle.protocols
    usual = platform.tracks(run.track).policies(run.mode.value).demanded
    return tuple(sorted(usual)) if own is None else own


def wanted(platform: Platform, cycle: Cycle, run: Run) -> tuple[Wanted, ...]:
    """Every side that the contest's rules or its cycle name, judges first."""
    asked_for, needed = platform.tracks(run.track).policies(run.mode.value).protocols, demanded(platform, cycle, run)
    edition = run_report.results_edition(run)
    return tuple(
        Wanted(each, asked_for.get(each, ""), each in needed, standing(run.protocols, Matter.RESULTS, each, edition))
        for each in (Signatory.JUDGES, Signatory.COMMISSION)
        if each in asked_for or each in needed
    )


def confirmed(platform: Platform, cycle: Cycle, run: Run) -> bool | None:
    """Whether everybody whose protocol is demanded has found the results as they are now right; None: nobody is asked.

    Clause: TS D-6
    """
    needed = [each for each in wanted(platform, cycle, run) if each.demanded]
    return all(each.standing is ProtocolStanding.POSITIVE for each in needed) if needed else None


_SAID: Final[Mapping[ProtocolStanding, Text]] = MappingProxyType(
    {
        ProtocolStanding.NONE: Text(
            "no protocol on these results: {side}", "нет протокола по этим результатам: {side}"
        ),
        ProtocolStanding.OUTDATED: Text(
            "the results have changed since the protocol: {side}",
            "результаты изменились после протокола: {side}",
        ),
        ProtocolStanding.NEGATIVE: Text(
            "a protocol objects to these results: {side}", "есть возражения по этим результатам: {side}"
        ),
    }
)


def lacking(platform: Platform, run: Run) -> Iterator[Reason]:
    """Warnings of a final whose results could be published, or are, without a positive protocol that its rules name.

    Clause: R 8.3.3, R 8.3.4, D 11.2, D 11.4
    """
    for each in wanted(platform, reading.cycle_now(platform), run):
        if each.standing is not ProtocolStanding.POSITIVE:
            said, side = _SAID[each.standing], SIDES[each.by]
            cited = f" ({each.clause})" if each.clause else ""
            told = Text(f"{said.en.format(side=side.en)}{cited}", f"{said.ru.format(side=side.ru)}{cited}")
            yield Reason(f"protocol_{each.standing}", told, {"by": each.by, "clause": each.clause})


def restart_lacks(platform: Platform, run: Run) -> Iterator[Reason]:
    """Warnings of a restart whose rules want a mass failure stated by both sides first; nothing is refused for it, for
    a hall full of teams does not wait for paper.

    Clause: R 7.16.1, D 6.13, D 11.3
    """
    clause = platform.tracks(run.track).policies(run.mode.value).restarted_by
    for each in Signatory if clause else ():
        if standing(run.protocols, Matter.MASS_FAILURE, each) is not ProtocolStanding.POSITIVE:
            side = SIDES[each]
            told = Text(
                f"no protocol on a mass failure: {side.en}; a restart rests on it ({clause})",
                f"нет протокола о массовом сбое: {side.ru}; перезапуск проводится на его основании ({clause})",
            )
            yield Reason("no_failure_protocol", told, {"by": each, "clause": clause})


def described(run: Run) -> list[dict[str, Any]]:
    """The protocols as JSON values, the latest first; ``current``: about the run as it is now."""
    edition = run_report.results_edition(run)
    return [
        {
            "number": each.number,
            "matter": each.matter.value,
            "by": each.by.value,
            "positive": each.positive,
            "reason": each.reason,
            "who": each.who,
            "at": iso(each.at),
            "current": each.matter is not Matter.RESULTS or each.edition == edition,
        }
        for each in reversed(run.protocols)
    ]
