"""What the platform announces, or drafts, by itself: changed parameters, new sets and modules, planned runs.

A change of parameters and a planned final are published at once: they are decided, and everything is known of them.
Sets and modules are drafts, for the regulation wants their purpose told (R 4.7, 9.2), which people know alone.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from contest.domain.cycle.announcements import Announcement, AnnouncementKind, AnnouncementState
from contest.domain.cycle.changes import ABSENT, FieldChange
from contest.domain.moments import SECOND, Millis, iso
from tracks.protocol import Text

_LONGEST: Final = 60
"""Characters of a value that an announcement repeats; the versions are told in full elsewhere."""


def of_parameters(
    version: int, changed: Sequence[FieldChange], effective_at: Millis, reason: str, now: Millis
) -> Announcement:
    """The announcement of a change of parameters.

    Clause: R 5.8, D 6.12
    """
    lines = "\n".join(f"{each.field}: {_value(each.before)} → {_value(each.after)}" for each in changed)
    return _published(
        Announcement(
            f"parameters-{version}",
            AnnouncementKind.PARAMETERS,
            Text(f"Parameters change: version {version}", f"Изменение параметров: версия {version}"),
            Text(
                f"In force from {iso(effective_at)}.\n{lines}\nReason: {reason}",
                f"Вступает в силу {iso(effective_at)}.\n{lines}\nПричина: {reason}",
            ),
            now,
            {"version": version},
            effective_at,
        ),
        now,
    )


def of_sets(cycle_version: int, names: Sequence[str], now: Millis) -> Announcement:
    """The draft about training and test sets that are new, changed or gone; a person adds their purpose.

    Clause: R 4.7, R 9.2, D 14.1
    """
    listed = ", ".join(names)
    return Announcement(
        f"sets-{cycle_version}",
        AnnouncementKind.SETS,
        Text("Data sets are renewed", "Обновлены выборки"),
        Text(f"New or changed: {listed}.", f"Новые или изменённые: {listed}."),
        now,
        {"sets": list(names)},
        now,
    )


def of_modules(cycle_version: int, hashes: Sequence[str], now: Millis) -> Announcement:
    """The draft about the common modules.

    Clause: R 4.7, R 9.2, D 14.1
    """
    listed = "\n".join(hashes)
    return Announcement(
        f"modules-{cycle_version}",
        AnnouncementKind.MODULES,
        Text("The common modules are renewed", "Обновлены общие программные модули"),
        Text(f"SHA-256 of the published modules:\n{listed}", f"SHA-256 опубликованных модулей:\n{listed}"),
        now,
        {"modules": list(hashes)},
        now,
    )


def of_run(run_id: str, starts_at: Millis, interval: Millis, files: int, *, trial: bool, now: Millis) -> Announcement:
    """The announcement of a final's schedule: start and interval (R 7.5).

    Clause: R 7.5, D 6.9, D 8.8
    """
    what = Text("Trial run", "Пробный прогон") if trial else Text("Final", "Финальные испытания")
    every = f"{interval / SECOND:g}"
    return _published(
        Announcement(
            f"run-{run_id}",
            AnnouncementKind.SCHEDULE,
            Text(f"{what.en}: {iso(starts_at)}", f"{what.ru}: {iso(starts_at)}"),
            Text(
                f"Start: {iso(starts_at)}. Files: {files}, one every {every} s.",
                f"Старт: {iso(starts_at)}. Файлов: {files}, по одному каждые {every} с.",
            ),
            now,
            {"run": run_id},
            starts_at,
        ),
        now,
    )


def _published(draft: Announcement, now: Millis) -> Announcement:
    return replace(draft, state=AnnouncementState.PUBLISHED, published_at=now)


def _value(value: Any) -> str:
    if value is ABSENT:
        return "∅"
    said = json.dumps(value, ensure_ascii=False)
    return said if len(said) <= _LONGEST else f"{said[:_LONGEST]}…"
