"""Sizes and limits of a deployed cycle, with the unit in every name."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Final

LONGEST_CYCLE_NAME: Final = 20
_CYCLE_NAME: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
LOG_RETENTIONS_DAYS: Final = (1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827)
"""What CloudWatch offers, from the shortest to five years."""


class ConfigError(ValueError):
    """A cycle cannot be deployed as configured; the message says what to change."""


def _check_cycle_name(name: object) -> None:
    if not isinstance(name, str) or not name:
        raise ConfigError("no cycle is named: give its name with -c cycle=NAME, for example -c cycle=demo")
    if len(name) > LONGEST_CYCLE_NAME or not _CYCLE_NAME.fullmatch(name):
        raise ConfigError(
            f"{name!r} cannot name a cycle: use 1 to {LONGEST_CYCLE_NAME} small Latin letters, digits and single "
            "hyphens, a letter first, for example spring-2027"
        )


def _within(name: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise ConfigError(f"{name} = {value} is outside {low}…{high}")


@dataclass(frozen=True, slots=True)
class FunctionSize:
    """How much of Lambda one function may use.

    ``reserved_concurrency`` both guarantees and bounds the simultaneous executions; None leaves the function in the
    account's common pool, which is right until the account's limit is known to be enough.
    """

    memory_mib: int
    timeout_s: int
    reserved_concurrency: int | None = None

    def __post_init__(self) -> None:
        """Refuse what Lambda would refuse only in the middle of a deployment."""
        _within("memory_mib", self.memory_mib, 128, 10_240)
        _within("timeout_s", self.timeout_s, 1, 900)
        if self.reserved_concurrency is not None:
            _within("reserved_concurrency", self.reserved_concurrency, 1, 1_000)


@dataclass(frozen=True, slots=True)
class AlarmThresholds:
    """When the organizer is called."""

    dead_letters: int = 0
    oldest_message_s: int = 120
    """platform §4: no submission may wait longer than two minutes for its score."""
    function_errors: int = 0
    function_throttles: int = 0
    server_errors_5xx: int = 5
    """In five minutes; fewer are single faults that a client's retry hides."""
    stream_iterator_age_s: int = 60
    audit_differences: int = 0


SIZES: Final = MappingProxyType(
    {
        "Authorize": FunctionSize(memory_mib=512, timeout_s=10),
        "Dispatch": FunctionSize(memory_mib=1_024, timeout_s=29),
        "Submit": FunctionSize(memory_mib=1_769, timeout_s=29),
        "Results": FunctionSize(memory_mib=1_769, timeout_s=29),
        "Minute": FunctionSize(memory_mib=1_024, timeout_s=55),
        "Relay": FunctionSize(memory_mib=512, timeout_s=30),
        "Score": FunctionSize(memory_mib=1_769, timeout_s=120),
        "Audit": FunctionSize(memory_mib=1_769, timeout_s=900),
    }
)
"""1 769 MiB is one whole processor. The gateway gives up after 30 s and on the authorizer after 10 s."""


@dataclass(frozen=True, slots=True)
class CycleConfig:
    """Everything about a deployed cycle that is a choice; the defaults are those of a real cycle."""

    cycle: str
    retain_data: bool = True
    """Keep tables, bucket, secret and log groups when the stack goes, and refuse their deletion."""
    log_retention_days: int = 365
    access_log_retention_days: int = 365
    requests_per_second: int = 1_000
    """The gateway's limit over all teams together; a team's own limit is a parameter of the cycle."""
    requests_burst: int = 2_000
    allowed_origins: tuple[str, ...] = ("*",)
    """Sites whose pages may call the interface. Tokens travel in a header, never in a cookie: any origin is safe."""
    scoring_batch_size: int = 10
    scoring_max_concurrency: int = 50
    scoring_visibility_s: int = 180
    scoring_max_receives: int = 5
    relay_batch_size: int = 100
    relay_retries: int = 5
    audit_interval_hours: int = 4
    alarm_email: str | None = None
    alarms: AlarmThresholds = AlarmThresholds()
    sizes: MappingProxyType[str, FunctionSize] = field(default_factory=lambda: SIZES)

    def __post_init__(self) -> None:
        """Refuse a bad value here, with its name, rather than in the middle of a deployment."""
        _check_cycle_name(self.cycle)
        for name in ("log_retention_days", "access_log_retention_days"):
            if getattr(self, name) not in LOG_RETENTIONS_DAYS:
                offered = ", ".join(map(str, LOG_RETENTIONS_DAYS))
                raise ConfigError(f"{name} = {getattr(self, name)}: CloudWatch keeps logs for {offered} days")
        _within("scoring_max_concurrency", self.scoring_max_concurrency, 2, 1_000)
        _within("scoring_batch_size", self.scoring_batch_size, 1, 10)
        _within("scoring_visibility_s", self.scoring_visibility_s, self.sizes["Score"].timeout_s, 43_200)
        _within("relay_batch_size", self.relay_batch_size, 1, 1_000)
        _within("audit_interval_hours", self.audit_interval_hours, 1, 24)
        if set(self.sizes) != set(SIZES):
            raise ConfigError(f"sizes must name exactly {', '.join(SIZES)}; it names {', '.join(self.sizes)}")


CYCLES: Final = MappingProxyType(
    {
        "demo": CycleConfig(
            "demo",
            retain_data=False,
            log_retention_days=14,
            access_log_retention_days=14,
            scoring_max_concurrency=10,
        )
    }
)
"""Cycles that differ from a real cycle's defaults."""


def for_cycle(name: str, *, alarm_email: str | None = None) -> CycleConfig:
    """The configuration of the named cycle; :class:`ConfigError` for a name that cannot be one.

    A cycle that CYCLES does not list gets the defaults, so a new cycle needs no change of code.
    """
    known = CYCLES.get(name) or CycleConfig(name)
    if not alarm_email:
        return known
    values = {item.name: getattr(known, item.name) for item in fields(known)}
    return CycleConfig(**{**values, "alarm_email": alarm_email})
