"""Sizes and limits of a deployed cycle, with the unit in every name: the model of the files ``cycles/NAME.yaml``.

Each cycle has one checked-in file, found by its name (:func:`for_cycle`). ``python -m infra.config NAME --alarm-email
ADDRESS`` writes a new one (``make cycle``); ``python -m infra.config --schema`` writes the JSON schema for editors,
``cycles/schema.json``, which is made of this model (``make template``).
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, cast

import yaml  # type: ignore[import-untyped]  # ships no types
from pydantic import (
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    field_validator,
    model_validator,
)

from contest import settings
from contest.routes import SHARES, kept_for
from infra.layers import ROOT

CYCLES: Final = ROOT / "cycles"
"""Folder of the cycles' checked-in files."""
LONGEST_CYCLE_NAME: Final = settings.LONGEST_CYCLE_NAME
_CERTIFICATE: Final = re.compile(r"arn:aws[a-z-]*:acm:us-east-1:\d{12}:certificate/[0-9a-z-]+")
_CYCLE_NAME: Final = re.compile(settings.CYCLE_NAME_FORM)
LEAST_RATE: Final = 10
"""Lowest number of requests to which a rule of the firewall can limit."""
LOG_RETENTIONS_DAYS: Final = (1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827)
"""Retention periods of logs that CloudWatch offers, in days, from the shortest to five years."""
_CHECKED: Final = ConfigDict(frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True)
_PARTIAL: Final = ConfigDict(**_CHECKED, json_schema_extra=lambda schema: schema.pop("required", None))
"""Settings of a model of which a file may name some values only; the others keep their defaults."""


class ConfigError(ValueError):
    """A cycle cannot be deployed as configured; the message names the change to make."""


def _check_cycle_name(name: object) -> None:
    if not isinstance(name, str) or not name:
        raise ConfigError("no cycle is named: give its name, for example make synth CYCLE=demo")
    if len(name) > LONGEST_CYCLE_NAME or not _CYCLE_NAME.fullmatch(name):
        raise ConfigError(
            f"{name!r} cannot name a cycle: use 1 to {LONGEST_CYCLE_NAME} small Latin letters, digits and single "
            "hyphens, a letter first, for example spring-2027"
        )
    for word in settings.RESERVED_IN_NAMES:
        if word in name:
            raise ConfigError(
                f"{name!r} cannot name a cycle: the name stands in the domain prefix of the sign-in, and Cognito "
                f"refuses {word!r} anywhere in one; choose a name without it"
            )


class FunctionSize(BaseModel):
    """The size of Lambda that one function may use.

    ``reserved_concurrency`` both guarantees and bounds the simultaneous executions; None leaves the function in the
    account's common pool, which is right until the account's limit is known to be enough.
    """

    model_config = _PARTIAL
    memory_mib: int = Field(ge=128, le=10_240)
    timeout_s: int = Field(ge=1, le=900)
    reserved_concurrency: int | None = Field(default=None, ge=1, le=1_000)


Threshold = Annotated[int, Field(ge=0, le=2_000_000_000)]


class AlarmThresholds(BaseModel):
    """The thresholds at which the organizer is called."""

    model_config = _CHECKED
    dead_letters: Threshold = 0
    unscored_age_s: Threshold = 120
    """platform §4: no submission may wait longer than two minutes for its score."""
    oldest_push_s: Threshold = 300
    """A push is queued up to three minutes ahead of its second and carried at once then."""
    function_errors: Threshold = 0
    function_throttles: Threshold = 0
    server_errors_5xx: Threshold = 5
    """5xx answers in five minutes; fewer are single faults that a client's retry hides."""
    client_errors_4xx: Threshold = 3_000
    """4xx answers in five minutes; two hundred programs that ask for each file once too early make a thousand."""
    table_throttles: Threshold = 0
    spill_over: Threshold = 0
    opening_lateness_ms: Threshold = 2_000
    """A request is held for so long at most before its opening; a start from a snapshot takes less."""
    hand_out_lateness_ms: Threshold = 5_000
    audit_differences: Threshold = 0
    mass_failures: Threshold = 0
    files_overdue: Threshold = 0
    submissions_stuck: Threshold = 0
    visit_unfinished: Threshold = 0
    runs_lost: Threshold = 0
    channel_faults: Threshold = 5
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
        "MinuteTimer": FunctionSize(memory_mib=1_769, timeout_s=55),
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


class ArmedWindow(BaseModel):
    """A time at which functions are kept running for so many teams."""

    model_config = ConfigDict(**_CHECKED, validate_by_name=True, validate_by_alias=True)
    since: Annotated[AwareDatetime, Field(alias="from")]
    """The moment with its offset from UTC, for example 2027-05-10T08:00:00+03:00."""
    until: AwareDatetime
    teams: int = Field(default=50, ge=1, le=1_000)

    @model_validator(mode="after")
    def _in_order(self) -> ArmedWindow:
        if self.until <= self.since:
            raise ConfigError(f"an armed time ends before it begins: from {self.since}, until {self.until}")
        return self


Days = Annotated[int, Field(json_schema_extra={"enum": list(LOG_RETENTIONS_DAYS)})]
AtOnce = Annotated[int, Field(ge=2, le=1_000)]
"""Executions of a queue's worker at once; Lambda takes 2 to 1,000."""
Batch = Annotated[int, Field(ge=1, le=10)]
Rate = Annotated[int, Field(ge=LEAST_RATE, le=2_000_000_000)]
PerSecond = Annotated[int, Field(ge=1, le=2_000_000_000)]
Words = Annotated[tuple[str, ...], Field(strict=False)]


class LockedCopies(BaseModel):
    """Copies of the storage that nobody can delete for some days: the tables' each week, the objects' at once."""

    model_config = _CHECKED
    days: int = Field(default=90, ge=1, le=3_650)
    """Days in which a copy costs and cannot be deleted, in ``compliance`` mode not even by the account's owner."""
    mode: Literal["governance", "compliance"] = "governance"
    bucket: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$")] | None = None
    """A bucket with Object Lock in another account; without one, the storage's stack makes its own."""
    account: Annotated[str, StringConstraints(pattern=r"^\d{12}$")] | None = None
    """The account of ``bucket``."""

    @model_validator(mode="after")
    def _together(self) -> LockedCopies:
        if (self.bucket is None) != (self.account is None):
            raise ConfigError("bucket and account of another account's copies belong together: give both or none")
        return self


Restorable = Literal[
    "ExchangeTable", "ScoresTable", "CatalogueTable", "IdentityTable", "ExpertsTable", "ExchangeStream", "Objects"
]
"""Outputs of the storage's stack that a restore makes anew."""


PinnedImage = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][\w./:-]{0,180}@sha256:[0-9a-f]{64}$")]


class CycleConfig(BaseModel):
    """Everything about a deployed cycle that is a choice; the defaults are those of a real cycle."""

    model_config = _CHECKED
    cycle: str
    retain_data: bool = True
    """Keep tables, bucket, secret and log groups when the stack goes, and refuse their deletion."""
    log_retention_days: Days = 365
    access_log_retention_days: Days = 365
    requests_per_second: PerSecond = 1_000
    """The gateway's limit over all teams together; a team's own limit is a parameter of the cycle."""
    requests_burst: PerSecond = 2_000
    requests_per_address: Rate = 30_000
    """Requests a minute from one IP address: a hall with fifty teams, each at its own limit, has one address."""
    requests_without_token: Rate = 1_200
    """Requests a minute without a token (public data) from an IP address, before the cache; site files do not count."""
    requests_per_token: Rate = 6_000
    """Requests a minute with one token: ten times a team's own limit, which tells the program what it does wrong."""
    connections_per_address: Rate = 600
    """Requests a minute to the event channel from one IP address: a hall whose clients all come back at once."""
    signing: Literal["secret", "kms"] = "secret"
    """Place of the key of receipts, commitments and records: derived (Ed25519) from a secret that the signing functions
    read, or in AWS KMS (ES256), which signs for them and never gives it out. KMS asks a price for each signature and
    bounds their number in a second (docs/operations.md)."""
    address_keys: int = Field(default=1, ge=1, le=1_000)
    """Number of the two pairs of keys that sign addresses of uploads and downloads; a higher one makes new pairs."""
    allowed_origins: Words = ("*",)
    """Sites whose pages may call the interface. Tokens travel in a header, never in a cookie: any origin is safe."""
    frames_per_second: PerSecond = 500
    """The event channel's limit over all connections together."""
    frames_burst: PerSecond = 1_000
    domain_name: str | None = None
    """The cycle's own host name; without one, CloudFront gives a name and chooses the TLS version itself."""
    certificate_arn: str | None = None
    """The domain's certificate in AWS Certificate Manager, region us-east-1."""
    armed: Annotated[tuple[ArmedWindow, ...], Field(strict=False, max_length=10)] = ()
    """Times at which functions are kept running, so that not even the first request waits for a start. Finals are
    armed by the platform itself, without this."""
    snapshots: bool = False
    """The functions that somebody waits for and that are never kept running start from snapshots (Lambda SnapStart). A
    snapshot costs by the hour, used or not: turn it on while many people work in the cabinet or mark up."""
    scoring_batch_size: Batch = 10
    scoring_max_concurrency: AtOnce = 50
    scoring_max_receives: int = Field(default=5, ge=1, le=1_000)
    settlement_max_concurrency: AtOnce = 20
    settlement_max_receives: int = Field(default=3, ge=1, le=1_000)
    rescoring_max_concurrency: AtOnce = 20
    rescoring_max_receives: int = Field(default=5, ge=1, le=1_000)
    shadow_max_concurrency: AtOnce = 20
    shadow_max_receives: int = Field(default=3, ge=1, le=1_000)
    audit_max_concurrency: AtOnce = 5
    audit_max_receives: int = Field(default=3, ge=1, le=1_000)
    letters_batch_size: Batch = 10
    import_max_concurrency: AtOnce = 2
    import_max_receives: int = Field(default=2, ge=1, le=1_000)
    submission_max_concurrency: AtOnce = 5
    submission_max_receives: int = Field(default=3, ge=1, le=1_000)
    programs: bool = False
    """True to run submitted programs: machines with a GPU come and go as they are needed, in a stack of their own."""
    program_machine: str = "g5.8xlarge"
    """EC2's name of the machine that a program runs on, one at a time: one GPU of at least 24 GB, at least 128 GB of
    memory (F-2). It stands in the reports."""
    program_machine_vcpus: int = Field(default=32, ge=4, le=512)
    """Number of vCPUs that Batch counts for such a machine."""
    programs_at_once: int = Field(default=4, ge=1, le=100)
    program_disk_gib: int = Field(default=200, ge=100, le=16_384)
    """Disk of a machine, in GiB: an image of 15 GB unpacked, a 10 GB archive packed and unpacked, and written files."""
    measures: bool = False
    """The contest's own measure is in use: a program of the organizers scores answers, in a function without rights
    and without a network."""
    measure_image: PinnedImage | None = None
    """Container image of the contest's measure, for Linux on amd64, by its digest: who deploys makes a second such
    function of it, with Docker. It needs ``measures``."""
    push_batch_size: Batch = 10
    push_max_concurrency: AtOnce = 50
    push_max_receives: int = Field(default=3, ge=1, le=1_000)
    relay_batch_size: int = Field(default=100, ge=1, le=1_000)
    relay_retries: int = Field(default=5, ge=0, le=10_000)
    audit_interval_hours: int = Field(default=4, ge=1, le=24)
    alarm_email: Annotated[str, StringConstraints(pattern=r"^[^@\s]+@[^@\s]+\.[^@\s]+$")] | None = None
    """Mail address of the alarms. A cycle that keeps its data cannot be deployed without it."""
    mail_from: Annotated[str, StringConstraints(pattern=r"^[^@\s]+@[^@\s]+\.[^@\s]+$")] | None = None
    """Address that mails to participants come from, an identity of Amazon SES that AWS has verified in this region;
    it needs ``domain_name``, to which the links in mails lead. Without one no mails are sent."""
    alarms: AlarmThresholds = AlarmThresholds()
    detailed_route_metrics: bool = False
    """True to keep CloudWatch metrics of each route apart; up to 390 USD a month, and no alarm reads them."""
    dashboard: bool = False
    """True for a dashboard of alarms, requests and durations in CloudWatch; 3 USD a month."""
    restored: Mapping[Restorable, str] = Field(default_factory=dict)
    """After a restore: the tables, the stream and the bucket that the application works on instead of those of the
    storage's stack, by the names of its outputs."""
    locked_copies: LockedCopies | None = Field(default_factory=LockedCopies)
    """Locked copies of the storage of a cycle that keeps its data; ``null``: none."""
    sizes: Mapping[str, FunctionSize] = Field(default_factory=lambda: dict(SIZES))
    """Sizes by function; a file names only the functions, and of each the values, that differ from the defaults."""

    @field_validator("sizes", mode="before")
    @classmethod
    def _beside_the_usual(cls, sizes: Any) -> Any:
        if not isinstance(sizes, Mapping):
            return sizes
        unknown = [str(name) for name in sizes if name not in SIZES]
        if unknown:
            raise ConfigError(f"sizes names {', '.join(unknown)}; there are {', '.join(SIZES)}")
        chosen = {
            name: SIZES[name].model_dump() | size if isinstance(size, dict) else size for name, size in sizes.items()
        }
        return {**SIZES, **chosen}

    @field_validator("log_retention_days", "access_log_retention_days")
    @classmethod
    def _offered(cls, days: int) -> int:
        if days not in LOG_RETENTIONS_DAYS:
            raise ConfigError(f"CloudWatch keeps logs for {', '.join(map(str, LOG_RETENTIONS_DAYS))} days, not {days}")
        return days

    @field_validator("cycle")
    @classmethod
    def _named(cls, cycle: str) -> str:
        _check_cycle_name(cycle)
        return cycle

    @model_validator(mode="after")
    def _fit_together(self) -> CycleConfig:
        """Refuse here what AWS would refuse only in the middle of a deployment."""
        if self.retain_data and self.alarm_email is None:
            raise ConfigError(
                "alarm_email is missing: a real cycle is not deployed without an address that its alarms reach; "
                "add alarm_email: organizers@example.org"
            )
        if self.measure_image is not None and not self.measures:
            raise ConfigError("measure_image needs measures: true")
        if ("ExchangeTable" in self.restored) != ("ExchangeStream" in self.restored):
            raise ConfigError(
                "restored: ExchangeTable and ExchangeStream belong together: a restored table has another"
            )
        self._check_domain()
        self._check_armed()
        return self

    def changed(self, **choices: Any) -> CycleConfig:
        """Return the configuration with other choices, checked as a whole."""
        return CycleConfig.model_validate(self.model_dump() | choices)

    @property
    def copies(self) -> LockedCopies | None:
        """Return the settings of the storage's copies; None without copies, as for every cycle that keeps no data."""
        return self.locked_copies if self.retain_data else None

    @property
    def program_lane(self) -> str:
        """Return the name of the queue and of the definition of jobs that run programs."""
        return f"hurdle-{self.cycle}-programs"

    @property
    def copy_lane(self) -> str:
        """Return the same of jobs that copy programs' images; also the name of the registry's part for them."""
        return f"hurdle-{self.cycle}-images"

    def visibility_s(self, worker: str) -> int:
        """Return the seconds for which a message that its worker has received is hidden: six times the time-out (AWS
        Lambda developer guide, "Creating and configuring an Amazon SQS event source mapping")."""
        return 6 * self.sizes[worker].timeout_s

    def starts_from_snapshot(self, function: str) -> bool:
        """Return whether the function starts from a snapshot; Lambda combines no snapshots with kept executions."""
        return self.snapshots and function not in SHARES

    @property
    def most_kept(self) -> int:
        """Return how many executions the greatest window keeps running; without one, a final of fifty teams."""
        return sum(kept_for(max((window.teams for window in self.armed), default=50)).values())

    def _check_domain(self) -> None:
        if (self.domain_name is None) != (self.certificate_arn is None):
            raise ConfigError("domain_name and certificate_arn belong together: give both or none")
        if self.mail_from is not None and self.domain_name is None:
            raise ConfigError("mail_from needs domain_name: links in mails lead to the cycle's own host")
        if self.certificate_arn is not None and not _CERTIFICATE.fullmatch(self.certificate_arn):
            raise ConfigError(
                f"certificate_arn = {self.certificate_arn!r}: CloudFront takes a certificate of AWS Certificate "
                "Manager in the region us-east-1, arn:aws:acm:us-east-1:ACCOUNT:certificate/ID"
            )

    def _check_armed(self) -> None:
        for window in self.armed:
            for name, count in kept_for(window.teams).items():
                most = self.sizes[name].reserved_concurrency or count
                if count > most:
                    raise ConfigError(
                        f"armed for {window.teams} teams keeps {count} executions of {name} running, more than the "
                        f"{most} that may run (sizes.{name}.reserved_concurrency)"
                    )


class _OnceEach(yaml.SafeLoader):
    """Reject a key that a mapping names twice: YAML forbids it, and PyYAML takes the last one."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """See the class."""
        names = [key.value for key, _ in node.value]
        twice = sorted({str(name) for name in names if names.count(name) > 1})
        if twice:
            raise yaml.constructor.ConstructorError(
                None, None, f"{', '.join(twice)} stands there twice; say it once", node.start_mark
            )
        return cast("dict[Any, Any]", super().construct_mapping(node, deep))


# Clause: platform §2 deployment
def read(path: Path) -> CycleConfig:
    """Return the configuration of a cycle's file; :class:`ConfigError` names each fault and its place."""
    try:
        choices = yaml.load(path.read_text("utf-8"), _OnceEach)  # noqa: S506 -- a safe loader
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from None
    if not isinstance(choices, dict) or "cycle" not in choices:
        raise ConfigError(f"{path} must be a mapping that names its cycle (cycle: NAME)")
    return _checked(choices, f"{path}: ")


def _checked(choices: dict[str, Any], place: str = "") -> CycleConfig:
    try:
        return CycleConfig.model_validate(choices)
    except ValidationError as error:
        raise ConfigError("\n".join(f"{place}{fault}" for fault in _faults(error))) from None


def _faults(error: ValidationError) -> list[str]:
    faults = []
    for fault in error.errors():
        own = fault.get("ctx", {}).get("error")
        message = f"{own}" if own else f"{fault['msg']}, not {fault['input']!r}"
        place = ".".join(map(str, fault["loc"]))
        if fault["type"] == "extra_forbidden":
            message = "there is no such choice; cycles/schema.json lists all"
        faults.append(f"{place}: {message}" if place else message)
    return faults


# Clause: platform §2 deployment
def for_cycle(name: str, folder: Path = CYCLES) -> CycleConfig:
    """Return the configuration of the named cycle, from its file; :class:`ConfigError` with the remedy."""
    _check_cycle_name(name)
    path = folder / f"{name}.yaml"
    if not path.is_file():
        raise ConfigError(
            f"the cycle {name} has no file {folder.name}/{path.name}, so nothing says how to deploy it; write one: "
            f'make cycle CYCLE={name} ARGS="--alarm-email ADDRESS"'
        )
    config = read(path)
    if config.cycle != name:
        raise ConfigError(f"{path} is of the cycle {config.cycle}, and {name} is to be deployed")
    return config


SCHEMA: Final = "schema.json"
_WHAT: Final = "Write a cycle's file, or the schema by which editors check one."
_HEAD: Final = """\
# yaml-language-server: $schema=schema.json
# How the cycle {name} is deployed: make deploy CYCLE={name}. What is not chosen here has its default
# (infra/config.py); schema.json lists every choice, and an editor that knows YAML schemas shows them.
"""


def schema() -> str:
    """Return the JSON schema of a cycle's file."""
    return json.dumps(CycleConfig.model_json_schema(), indent=1, ensure_ascii=False) + "\n"


def write(folder: Path, choices: dict[str, Any]) -> Path:
    """Write a new cycle's file into the folder and return its path; :class:`ConfigError`, and no file, if it is bad."""
    _checked(choices)
    path = folder / f"{choices['cycle']}.yaml"
    try:
        file = path.open("x", encoding="utf-8")
    except FileExistsError:
        raise ConfigError(f"{path} is there already; change it in an editor") from None
    with file:
        file.write(_HEAD.format(name=choices["cycle"]))
        yaml.safe_dump(choices, file, sort_keys=False, allow_unicode=True)
    return path


def main(words: Sequence[str], folder: Path = CYCLES) -> int:
    """Write the schema or the cycle's file; exit code 2 if the cycle cannot be deployed."""
    parser = argparse.ArgumentParser(prog="python -m infra.config", description=_WHAT)
    parser.add_argument("cycle", nargs="?", metavar="NAME")
    parser.add_argument("--alarm-email", metavar="ADDRESS", help="where alarms are sent")
    parser.add_argument("--domain-name", metavar="HOST", help="the cycle's own host name")
    parser.add_argument("--certificate-arn", metavar="ARN", help="the host name's certificate in us-east-1")
    parser.add_argument("--programs", action="store_true", default=None, help="submitted programs are run")
    parser.add_argument("--measures", action="store_true", default=None, help="the contest has a measure of its own")
    parser.add_argument("--measure-image", metavar="NAME@sha256:DIGEST", help="the measure's container image")
    parser.add_argument("--schema", action="store_true", help=f"write {SCHEMA} instead")
    choices = vars(parser.parse_args(words))
    if choices.pop("schema"):
        (folder / SCHEMA).write_text(schema(), "utf-8")
        return 0
    if not choices["cycle"] or not choices["alarm_email"]:
        parser.error('name the cycle and where its alarms go: make cycle CYCLE=NAME ARGS="--alarm-email ADDRESS"')
    try:
        path = write(folder, {name: choice for name, choice in choices.items() if choice is not None})
    except ConfigError as error:
        print(f"cycle: {error}", file=sys.stderr)
        return 2
    print(f"wrote {path}: check it in, then make preflight CYCLE={choices['cycle']}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
