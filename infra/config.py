"""Sizes and limits of a deployed cycle, with the unit in every name."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from contest import settings
from infra.rights import FUNCTIONS

LONGEST_CYCLE_NAME: Final = settings.LONGEST_CYCLE_NAME
_CERTIFICATE: Final = re.compile(r"arn:aws[a-z-]*:acm:us-east-1:\d{12}:certificate/[0-9a-z-]+")
_CYCLE_NAME: Final = re.compile(settings.CYCLE_NAME_FORM)
LEAST_RATE: Final = 10
"""The least that a rule of the firewall counts to."""
LOG_RETENTIONS_DAYS: Final = (1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827)
"""What CloudWatch offers, from the shortest to five years."""


class ConfigError(ValueError):
    """A cycle cannot be deployed as configured; the message names the change to make."""


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
    """The size of Lambda that one function may use.

    ``reserved_concurrency`` both guarantees and bounds the simultaneous executions; None leaves the function in the
    account's common pool, which is right until the account's limit is known to be enough.
    """

    memory_mib: int
    timeout_s: int
    reserved_concurrency: int | None = None

    def __post_init__(self) -> None:
        """Refuse values that Lambda would refuse only in the middle of a deployment."""
        _within("memory_mib", self.memory_mib, 128, 10_240)
        _within("timeout_s", self.timeout_s, 1, 900)
        if self.reserved_concurrency is not None:
            _within("reserved_concurrency", self.reserved_concurrency, 1, 1_000)


@dataclass(frozen=True, slots=True)
class AlarmThresholds:
    """The thresholds at which the organizer is called."""

    dead_letters: int = 0
    oldest_message_s: int = 120
    """platform §4: no submission may wait longer than two minutes for its score."""
    oldest_push_s: int = 300
    """A push is queued up to three minutes ahead of its second and carried at once then."""
    function_errors: int = 0
    function_throttles: int = 0
    server_errors_5xx: int = 5
    """In five minutes; fewer are single faults that a client's retry hides."""
    stream_iterator_age_s: int = 60
    audit_differences: int = 0
    mass_failures: int = 0
    files_overdue: int = 0
    submissions_stuck: int = 0
    runs_lost: int = 0
    channel_faults: int = 5
    """Frames and connections in five minutes that the event channel could not pass on."""


SIZES: Final = MappingProxyType(
    {
        "Authorize": FunctionSize(memory_mib=512, timeout_s=10),
        "Dispatch": FunctionSize(memory_mib=1_024, timeout_s=29),
        "Submit": FunctionSize(memory_mib=1_769, timeout_s=29),
        "Results": FunctionSize(memory_mib=1_769, timeout_s=29),
        "Administration": FunctionSize(memory_mib=1_769, timeout_s=29),
        "RunControl": FunctionSize(memory_mib=1_769, timeout_s=29),
        "Annotate": FunctionSize(memory_mib=1_769, timeout_s=29),
        "Operations": FunctionSize(memory_mib=1_769, timeout_s=29),
        "Submissions": FunctionSize(memory_mib=1_769, timeout_s=29),
        "Sets": FunctionSize(memory_mib=1_769, timeout_s=29),
        "Public": FunctionSize(memory_mib=1_769, timeout_s=29, reserved_concurrency=20),
        "Socket": FunctionSize(memory_mib=1_769, timeout_s=29),
        "LegacyClients": FunctionSize(memory_mib=1_769, timeout_s=29),
        "Push": FunctionSize(memory_mib=1_024, timeout_s=10),
        "MinuteTimer": FunctionSize(memory_mib=1_024, timeout_s=55),
        "ChannelTimer": FunctionSize(memory_mib=1_024, timeout_s=55),
        "Relay": FunctionSize(memory_mib=512, timeout_s=30),
        "Score": FunctionSize(memory_mib=1_769, timeout_s=120),
        "Settle": FunctionSize(memory_mib=1_769, timeout_s=300),
        "DeadLetters": FunctionSize(memory_mib=512, timeout_s=20),
        "Rescore": FunctionSize(memory_mib=3_008, timeout_s=600),
        "Shadow": FunctionSize(memory_mib=3_008, timeout_s=900),
        "Import": FunctionSize(memory_mib=3_008, timeout_s=900),
        "SubmissionWorker": FunctionSize(memory_mib=3_008, timeout_s=900),
        "Audit": FunctionSize(memory_mib=512, timeout_s=120),
        "Verify": FunctionSize(memory_mib=3_008, timeout_s=300),
    }
)
"""1 769 MiB is one whole processor. The gateways give up after 30 s and on the authorizer after 10 s. What everybody
may call has a bound of its own, so that it takes nothing from what programs wait for."""

HOT: Final = MappingProxyType({"Authorize": 10, "Dispatch": 50, "Submit": 25, "Socket": 25, "Push": 10})
"""What a final of fifty teams keeps running: a request is held up to two seconds before the opening, so Dispatch may
have one execution for each team at once; answers come one by one and take tens of milliseconds."""


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
    requests_per_address: int = 30_000
    """A minute, of one address: a hall with fifty teams, each at its own limit, has one."""
    requests_without_token: int = 1_200
    """A minute, of one address: what everybody may read, before the cache; the site's own files are not counted."""
    requests_per_token: int = 6_000
    """A minute: ten times a team's own limit, which tells the program what it does wrong."""
    connections_per_address: int = 600
    """A minute, of one address: a hall whose clients all come back at once."""
    address_keys: int = 1
    """Number of the pair of keys that signs addresses, and of the other: a higher one makes new pairs."""
    allowed_origins: tuple[str, ...] = ("*",)
    """Sites whose pages may call the interface. Tokens travel in a header, never in a cookie: any origin is safe."""
    frames_per_second: int = 500
    """The event channel's limit over all connections together."""
    frames_burst: int = 1_000
    domain_name: str | None = None
    """The cycle's own host name; without one, CloudFront gives a name and chooses the TLS version itself."""
    certificate_arn: str | None = None
    """The domain's certificate in AWS Certificate Manager, region us-east-1."""
    armed: bool = False
    """A run is near: the functions of ``provisioned_concurrency`` are kept running instead of started from snapshots
    (Lambda does not combine the two), so that not even the first request of a run waits for a start."""
    provisioned_concurrency: MappingProxyType[str, int] = field(default_factory=lambda: HOT)
    scoring_batch_size: int = 10
    scoring_max_concurrency: int = 50
    scoring_visibility_s: int = 180
    scoring_max_receives: int = 5
    settlement_max_concurrency: int = 20
    settlement_visibility_s: int = 360
    settlement_max_receives: int = 3
    rescoring_max_concurrency: int = 20
    rescoring_visibility_s: int = 660
    rescoring_max_receives: int = 5
    shadow_max_concurrency: int = 20
    shadow_visibility_s: int = 960
    shadow_max_receives: int = 3
    audit_max_concurrency: int = 5
    audit_visibility_s: int = 360
    audit_max_receives: int = 3
    letters_visibility_s: int = 60
    letters_batch_size: int = 10
    import_max_concurrency: int = 2
    import_visibility_s: int = 960
    import_max_receives: int = 2
    submission_max_concurrency: int = 5
    submission_visibility_s: int = 960
    submission_max_receives: int = 3
    programs: bool = False
    """Submitted programs are run: machines with a GPU come and go as they are needed, in a stack of their own."""
    program_machine: str = "g5.8xlarge"
    """EC2's name of the machine that a program runs on, one at a time: one GPU of at least 24 GB, at least 128 GB of
    memory (F-2). It stands in the reports."""
    program_machine_vcpus: int = 32
    """What Batch counts of such a machine."""
    programs_at_once: int = 4
    program_disk_gib: int = 200
    """Of each machine: an image of 15 GB unpacked, an archive of 10 GB packed and unpacked, what is written."""
    push_batch_size: int = 10
    push_max_concurrency: int = 50
    push_visibility_s: int = 10
    """A failed push is tried again after this time, hence the shortest that Lambda takes: the function's time-out."""
    push_max_receives: int = 3
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
        _within("settlement_max_concurrency", self.settlement_max_concurrency, 2, 1_000)
        _within("settlement_visibility_s", self.settlement_visibility_s, self.sizes["Settle"].timeout_s, 43_200)
        _within("rescoring_max_concurrency", self.rescoring_max_concurrency, 2, 1_000)
        _within("rescoring_visibility_s", self.rescoring_visibility_s, self.sizes["Rescore"].timeout_s, 43_200)
        _within("shadow_max_concurrency", self.shadow_max_concurrency, 2, 1_000)
        _within("shadow_visibility_s", self.shadow_visibility_s, self.sizes["Shadow"].timeout_s, 43_200)
        _within("audit_max_concurrency", self.audit_max_concurrency, 2, 1_000)
        _within("audit_visibility_s", self.audit_visibility_s, self.sizes["Verify"].timeout_s, 43_200)
        _within("import_max_concurrency", self.import_max_concurrency, 2, 1_000)
        _within("import_visibility_s", self.import_visibility_s, self.sizes["Import"].timeout_s, 43_200)
        _within("submission_max_concurrency", self.submission_max_concurrency, 2, 1_000)
        _within(
            "submission_visibility_s", self.submission_visibility_s, self.sizes["SubmissionWorker"].timeout_s, 43_200
        )
        _within("program_machine_vcpus", self.program_machine_vcpus, 4, 512)
        _within("programs_at_once", self.programs_at_once, 1, 100)
        _within("program_disk_gib", self.program_disk_gib, 100, 16_384)
        _within("push_max_concurrency", self.push_max_concurrency, 2, 1_000)
        _within("push_batch_size", self.push_batch_size, 1, 10)
        _within("push_visibility_s", self.push_visibility_s, self.sizes["Push"].timeout_s, 43_200)
        _within("letters_visibility_s", self.letters_visibility_s, self.sizes["DeadLetters"].timeout_s, 43_200)
        _within("letters_batch_size", self.letters_batch_size, 1, 10)
        _within("relay_batch_size", self.relay_batch_size, 1, 1_000)
        _within("address_keys", self.address_keys, 1, 1_000)
        _within("audit_interval_hours", self.audit_interval_hours, 1, 24)
        if set(self.sizes) != set(SIZES):
            raise ConfigError(f"sizes must name exactly {', '.join(SIZES)}; it names {', '.join(self.sizes)}")
        for name in ("requests_per_address", "requests_without_token", "requests_per_token", "connections_per_address"):
            _within(name, getattr(self, name), LEAST_RATE, 2_000_000_000)
        self._check_domain()
        self._check_provisioned()

    @property
    def program_lane(self) -> str:
        """Return the name of the queue and of the definition of jobs that run programs."""
        return f"hurdle-{self.cycle}-programs"

    @property
    def copy_lane(self) -> str:
        """Return the same of jobs that copy programs' images; also the name of the registry's part for them."""
        return f"hurdle-{self.cycle}-images"

    def provisioned(self, function: str) -> int | None:
        """Return the number of running executions kept for the function; None when it starts from a snapshot."""
        return self.provisioned_concurrency.get(function) if self.armed else None

    def _check_domain(self) -> None:
        if (self.domain_name is None) != (self.certificate_arn is None):
            raise ConfigError("domain_name and certificate_arn belong together: give both or none")
        if self.certificate_arn is not None and not _CERTIFICATE.fullmatch(self.certificate_arn):
            raise ConfigError(
                f"certificate_arn = {self.certificate_arn!r}: CloudFront takes a certificate of AWS Certificate "
                "Manager in the region us-east-1, arn:aws:acm:us-east-1:ACCOUNT:certificate/ID"
            )

    def _check_provisioned(self) -> None:
        prompt = [row.name for row in FUNCTIONS if row.prompt]
        for name, count in self.provisioned_concurrency.items():
            if name not in prompt:
                raise ConfigError(
                    f"provisioned_concurrency names {name}: only what somebody waits for can be kept running, "
                    f"{', '.join(prompt)}"
                )
            _within(f"provisioned_concurrency of {name}", count, 1, self.sizes[name].reserved_concurrency or 1_000)


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


_CHOICES: Final = frozenset(
    setting.name
    for setting in fields(CycleConfig)
    if setting.name not in {"alarms", "sizes", "provisioned_concurrency"}
)
"""What a deployment file may say: everything that is one value."""


def from_file(path: Path) -> CycleConfig:
    """Return the configuration of a cycle's deployment file; :class:`ConfigError` names its fault.

    Clause: platform §2 deployment
    """
    try:
        choices = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from None
    if not isinstance(choices, dict) or "cycle" not in choices:
        raise ConfigError(f"{path} must be an object that names its cycle")
    unknown = sorted(set(choices) - _CHOICES)
    if unknown:
        raise ConfigError(f"{path}: {', '.join(unknown)} cannot be chosen; there are {', '.join(sorted(_CHOICES))}")
    usual = CycleConfig("usual")
    for name, value in choices.items():
        if not _is_like(getattr(usual, name), value):
            raise ConfigError(f"{path}: {name} = {json.dumps(value)} is not of its kind")
    values: dict[str, Any] = {
        name: tuple(choice) if isinstance(choice, list) else choice for name, choice in choices.items()
    }
    return CycleConfig(**values)


def _is_like(usual: object, value: object) -> bool:
    """Return whether a value has the kind of the usual one: a number, yes or no, words, a list of words, none."""
    if isinstance(usual, tuple):
        return isinstance(value, list) and all(isinstance(word, str) for word in value)
    if usual is None:
        return value is None or isinstance(value, str)
    return type(value) is type(usual)


def for_cycle(
    name: str,
    *,
    deployment: str | None = None,
    alarm_email: str | None = None,
    armed: bool = False,
    programs: bool = False,
) -> CycleConfig:
    """Return the configuration of the named cycle; :class:`ConfigError` for a name that cannot be one.

    ``deployment``: the cycle's deployment file. Without one a cycle that CYCLES does not list gets the defaults, so a
    new cycle needs no change of code.

    Clause: platform §2 deployment
    """
    config = from_file(Path(deployment)) if deployment else CYCLES.get(name) or CycleConfig(name)
    if config.cycle != name:
        raise ConfigError(f"{deployment} is of the cycle {config.cycle}, and {name} is to be deployed")
    return replace(
        config,
        alarm_email=alarm_email or config.alarm_email,
        armed=armed or config.armed,
        programs=programs or config.programs,
    )


_WHEN: Final = {"armed": "before a run, and leave it out after it", "programs": "where submitted programs are run"}


def is_yes(name: str, answer: object) -> bool:
    """Return the meaning of a context value of yes or no; :class:`ConfigError` for anything that is neither."""
    if answer in {None, "", "no"}:
        return False
    if answer == "yes":
        return True
    raise ConfigError(f"{name} = {answer!r}: say -c {name}=yes {_WHEN[name]}")


def main(arguments: list[str]) -> int:
    """``python -m infra.config CYCLE [DEPLOYMENT]``: 0 where the cycle's submitted programs are run, else 1."""
    cycle, *deployment = arguments
    return 0 if for_cycle(cycle, deployment=deployment[0] if deployment else None).programs else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
